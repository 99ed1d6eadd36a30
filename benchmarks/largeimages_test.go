package benchmarks

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/must"
)

// TestLargeImages scores posteriors of Cox processes on images of more cells than the network was trained on beside
// those of the Gaussian field with a fitted range: photographs and procedural images (-datasets) of 128×128 cells. It
// goes on where it stopped. Beside the table it logs the share of squares of half the side whose 95% interval holds the
// true sum of θ.
func TestLargeImages(t *testing.T) {
	if !*full {
		t.Skip("minutes an image on two cores: run with -full")
	}
	const side = 128
	prior := imagePrior(t, side)
	images := some(must.Get(problem.Images("../notebooks/photos", 20, side, 50, 1))(t))
	var squares []float64
	table := scoreImages(t, images, []imageMethod{
		{"expfam", func(i problem.Image) (*expfam.Posterior, error) {
			post, err := sampled(prior, nil, nil)(i)
			if err == nil {
				squares = append(squares, halves(t, i, post))
			}
			return post, err
		}},
		{"GMRF Cox process", func(i problem.Image) (*expfam.Posterior, error) {
			return gmrf.Sample(gmrf.Prior{Grid: i.Grid}, i.Likelihood, i.Seen, gmrf.Options{Draws: imageDraws, Seed: 1})
		}},
	})
	t.Logf("95%% intervals hold the sums of %.3f of the squares of %d×%d cells", stat.Mean(squares, nil), side/2,
		side/2)
	ours, field := table[0], table[1]
	// The network has learned what edges are, so each image is scored better. Of one image in ten it may not be.
	if least := 9 * len(images) / 10; field.BetterLog < least || field.BetterCRPS < least {
		t.Errorf("the network scores better on %d (log score) and %d (CRPS) of %d images, at least %d are wanted",
			field.BetterLog, field.BetterCRPS, len(images), least)
	}
	// Some hundred independent cells of one image, a standard error of .02: three times.
	if c := ours.Coverage.Mean; !(c > 0.88 && c < 0.99) {
		t.Errorf("95%% intervals hold the truth in %.3f of the cells", c)
	}
}

// halves returns the share of the four quarters of an image whose 95% interval holds the true sum of θ.
func halves(t *testing.T, i problem.Image, post *expfam.Posterior) float64 {
	t.Helper()
	quarters := make([]int, i.Grid.Len())
	for j := range quarters {
		quarters[j] = 2*(2*(j/i.Grid.Cols)/i.Grid.Rows) + 2*(j%i.Grid.Cols)/i.Grid.Cols
	}
	sums := calibrate.Blocks(quarters)
	draws := must.Get(calibrate.Map(post, sums))(t)
	inside := must.Get(calibrate.Coverage{}.Latent(draws, sums(i.Theta)))(t)
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
