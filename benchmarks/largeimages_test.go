package benchmarks

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

var (
	largeSide   = flag.Int("side", 128, "rows and columns of large images, up to 256")
	largeVisits = flag.Int("visits", 50, "visits of large images")
	drawsEach   = flag.Int("draws", 0, "draws of a large image; 0 stands for 40 up to 128 rows, and 20 of more")
)

// largeDraws returns how many draws of a large image every method makes: 95% intervals end between 39 or more draws,
// 90% intervals between 19 or more.
func largeDraws() int {
	if *largeSide > 128 {
		return cmp.Or(*drawsEach, 20)
	}
	return cmp.Or(*drawsEach, 40)
}

// largeScore is the score of a large image. Halves is the share of the squares of half the side whose interval holds
// the true sum of θ.
type largeScore struct {
	problem.ImageScore
	Halves float64
}

// TestLargeImages scores posteriors of Cox processes on images of more cells than the network was trained on (-side,
// -visits) beside those of the Gaussian field with a fitted range: the first (-datasets) of ten photographs and twenty
// procedural images, in turns. It goes on where it stopped, because scores are stored image by image.
func TestLargeImages(t *testing.T) {
	if !*full {
		t.Skip("minutes an image on two cores: run with -full")
	}
	side := *largeSide
	prior := imagePrior(t, side)
	network := must.Get(diffusion.PriorFingerprint(prior, benchtest.Open(t, "onnx")))(t)
	var all []problem.ImageScore
	var halves []float64
	for _, i := range inTurns(must.Get(problem.Images("../notebooks/photos/large", 20, side, *largeVisits, 1))(t),
		*dataSets) {
		ours := scoreLarge(t, i, "expfam", network+", noise 0.4", func() (*expfam.Posterior, error) {
			return diffusion.Sample(prior, i.Likelihood, i.Seen, diffusion.Sampler{Draws: largeDraws(), Batch: 1,
				Seed: 1})
		})
		fit := "" // to all cells
		if side > 128 {
			fit = "four windows"
		}
		field := scoreLarge(t, i, "GMRF Cox process", fit, func() (*expfam.Posterior, error) {
			return gmrf.Sample(gmrf.Prior{Grid: i.Grid}, i.Likelihood, i.Seen, gmrf.Options{Draws: largeDraws(),
				Seed: 1})
		})
		all, halves = append(all, ours.ImageScore, field.ImageScore), append(halves, ours.Halves)
	}
	table, level := problem.Summarise(all), all[0].Level
	for _, s := range table {
		t.Log(s)
	}
	t.Logf("%g%% intervals hold the sums of %.3f of the squares of %d×%d cells", 100*level,
		stat.Mean(halves, nil), side/2, side/2)
	ours, field := table[0], table[1]
	// The network has learned what edges are, so each image is scored better. Of one image in ten it may not be.
	if least := 9 * ours.Images / 10; field.BetterLog < least || field.BetterCRPS < least {
		t.Errorf("the network scores better on %d (log score) and %d (CRPS) of %d images, at least %d are wanted",
			field.BetterLog, field.BetterCRPS, ours.Images, least)
	}
	// Some hundred independent cells of one image, a standard error of .03: twice.
	if c := ours.Coverage.Mean; math.Abs(c-level) > 0.06 {
		t.Errorf("%g%% intervals hold the truth in %.3f of the cells", 100*level, c)
	}
}

// inTurns returns the first n of the photographs and the procedural images, in turns.
func inTurns(images []problem.Image, n int) (list []problem.Image) {
	first := slices.IndexFunc(images, func(i problem.Image) bool { return !i.Photo })
	for k := range images {
		for _, at := range []int{k, first + k} {
			if len(list) < n && at < len(images) && (at < first || at > k) {
				list = append(list, images[at])
			}
		}
	}
	return list
}

// scoreLarge returns the score of a method on an image, from the store if it is there.
func scoreLarge(t *testing.T, i problem.Image, method, network string, sample func() (*expfam.Posterior,
	error)) largeScore {
	t.Helper()
	key := store.Key("large images", 2, method, network, i.Name, i.Grid.Rows, *largeVisits, i.Seed, largeDraws())
	s, err := store.Once("image-score", key, store.JSON[largeScore](), func() (largeScore, error) {
		post, err := sample()
		if err != nil {
			return largeScore{}, err
		}
		s, err := i.Score(method, post)
		return largeScore{s, halves(t, i, post, s.Level)}, err
	})
	must.Do(t, err, i.Name)
	t.Logf("%+v", s)
	return s
}

// halves returns the share of the four quarters of an image whose interval holds the true sum of θ.
func halves(t *testing.T, i problem.Image, post *expfam.Posterior, level float64) float64 {
	t.Helper()
	quarters := make([]int, i.Grid.Len())
	for j := range quarters {
		quarters[j] = 2*(2*(j/i.Grid.Cols)/i.Grid.Rows) + 2*(j%i.Grid.Cols)/i.Grid.Cols
	}
	sums := calibrate.Blocks(quarters)
	draws := must.Get(calibrate.Map(post, sums))(t)
	inside := must.Get(calibrate.Coverage{Level: level}.Latent(draws, sums(i.Theta)))(t)
	return inside.Mean().Mean
}

// BenchmarkPyramid is two draws of the Cox process by the pyramid. It reports the seconds of a draw, and the memory
// that the plan says.
func BenchmarkPyramid(b *testing.B) {
	for _, side := range []int{64, 128, 256, 512} {
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			prior := imagePrior(b, side)
			g := grid.Grid{Rows: side, Cols: side}
			data := must.Get(grid.Cox{Grid: g, Replicates: 10, Seed: 1}.Simulate(make([]float64, g.Len())))(b)
			s := diffusion.Sampler{Draws: 2, Fresh: true}
			var post *expfam.Posterior
			for b.Loop() {
				post = must.Get(diffusion.Sample(prior, data.Likelihood, data.Seen, s))(b)
			}
			b.ReportMetric(post.Info.Seconds/float64(s.Draws), "s/draw")
			b.ReportMetric(float64(post.Info.Memory)/1e9, "GB")
		})
	}
}
