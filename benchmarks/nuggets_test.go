package benchmarks

import (
	"fmt"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/must"
)

// TestNuggets scores nuggets on flat surfaces with noise in every cell and on a photograph, with the image prior that
// ships, and then lets [calibrate.Nugget] choose one of them with 50 draws.
func TestNuggets(t *testing.T) {
	if !*full {
		t.Skip("ten minutes on two cores: run with -full")
	}
	prior := imagePrior(t, 64)
	images := must.Get(problem.OddImages(64, 10, 200))(t)
	photographs := must.Get(problem.Images("../notebooks/photos", 0, 64, 10, 1))(t)
	sds := []float64{0, 0.05, 0.1, 0.2}
	for _, c := range []struct {
		image problem.Image
		least float64 // of the cells in 95% intervals with the chosen nugget
	}{{images[2], 0.88}, {images[3], 0.88}, {photographs[5], 0.9}} {
		i, coverage := c.image, map[float64]float64{}
		for _, sd := range sds {
			with := expfam.Prior(prior)
			if sd > 0 {
				with = expfam.Nugget(prior, sd)
			}
			post := must.Get(sampled(with, nil, nil)(i))(t)
			s := must.Get(i.Score(fmt.Sprintf("nugget %g", sd), post))(t)
			coverage[sd] = s.Coverage
			t.Logf("%s, nugget %g: coverage %.3f, CRPS %.4f, log score %.4f; %v", i.Name, sd, s.Coverage, s.CRPS,
				s.LogScore, post.Info.Local)
		}
		fit := must.Get(calibrate.Nugget{SDs: sds, Sampler: diffusion.Sampler{Draws: 50, Batch: 8, Seed: 2}}.Run(prior,
			i.Likelihood, i.Seen))(t)
		t.Logf("%s: chosen %g\n%v", i.Name, fit.SD, fit.Comparison)
		must.Be(t, coverage[fit.SD] >= c.least,
			"%s: with the chosen nugget %g 95%% intervals hold %.3f of the cells, want %g", i.Name, fit.SD,
			coverage[fit.SD], c.least)
	}
}
