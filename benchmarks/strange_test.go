package benchmarks

import (
	"flag"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/must"
)

var photos = flag.String("photos", "../notebooks/photos", "folder of photographs that no prior has seen")

// TestStrangeImages compares the default sampler with a Gaussian Markov field on the photographs of a folder (-photos)
// and on [problem.OddImages], image by image. README.md lists the twenty-four photographs of its table.
func TestStrangeImages(t *testing.T) {
	if !*full {
		t.Skip("half a minute an image on two cores: run with -full")
	}
	prior := imagePrior(t, 64)
	images := must.Get(problem.Images(*photos, 0, 64, 10, 100))(t)
	odd := must.Get(problem.OddImages(64, 10, 200))(t)
	images = append(images, odd...)
	table := scoreImages(t, images, []imageMethod{
		{"expfam", sampled(prior, nil, nil)},
		{"GMRF Cox process", func(i problem.Image) (*expfam.Posterior, error) {
			return gmrf.Sample(gmrf.Prior{Grid: grid.Grid{Rows: 64, Cols: 64}}, i.Likelihood, i.Seen,
				gmrf.Options{Draws: imageDraws, Seed: 1})
		}},
	})
	// 38 of 44 photographs and odd images are asked for.
	if least := (38*len(images) + 43) / 44; table[1].BetterCRPS < least || table[1].BetterLog < least {
		t.Errorf("the default is better on %d (CRPS) and %d (log score) of %d images, at least %d are wanted",
			table[1].BetterCRPS, table[1].BetterLog, len(images), least)
	}
	worst := table[0].Worst
	must.Be(t, worst >= 0.88, "95%% intervals of one image hold %.3f of its cells, at least 0.88 are wanted", worst)
}
