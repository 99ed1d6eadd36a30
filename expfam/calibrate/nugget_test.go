package calibrate

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// Data of a smooth curve with noise in every cell get a nugget, data of the curve alone none that matters. The
// posterior with the nugget covers the truth, and passes the check that the posterior without it fails.
func TestNugget(t *testing.T) {
	const cells = 40
	prior, like := gp.RBF{Cells: cells, Length: 0.2}, expfam.Likelihood{Family: expfam.Poisson{},
		Link: expfam.MustLink("exp(4+x)")}
	sampler := diffusion.Sampler{Draws: 60, Engine: enginetest.Fast(t), Method: diffusion.Multistep{N: 12},
		Fresh: true}
	for _, c := range []struct {
		name      string
		tau       float64
		low, high float64
	}{
		{"smooth", 0, 0, 0.05},
		{"rough", 0.4, 0.4, 0.4},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng, x := expfam.Stream(2, "nugget"), make([]float64, cells)
			expfam.Nugget(prior, c.tau).(expfam.Simulator).Draw(rng, x)
			theta := must.Get(like.Theta(x))(t)
			data := must.Get(like.Simulate(theta, nil, 1, 3))(t)
			obs := expfam.Must(like.Observe(data))
			fit := must.Get(Nugget{SDs: []float64{0, 0.05, 0.4}, Sampler: sampler}.Run(prior, like, obs))(t)
			must.Need(t, fit.SD >= c.low && fit.SD <= c.high && len(fit.Comparison) == 3,
				"%g is chosen:\n%v", fit.SD, fit.Comparison)
			post := expfam.Must(diffusion.Sample(fit.Prior, like, obs, sampler))
			inside := expfam.Must(post.Coverage(theta, 0.95))
			// 40 correlated cells.
			must.Be(t, inside >= 0.8 && post.Alarm() == "", "with %g: coverage %g; %s", fit.SD, inside, post.Alarm())
			if c.tau == 0 {
				return
			}
			without := expfam.Must(diffusion.Sample(prior, like, obs, sampler))
			if inside := expfam.Must(without.Coverage(theta, 0.95)); inside > 0.8 || without.Alarm() == "" {
				t.Errorf("without a nugget: coverage %g; %q", inside, without.Alarm())
			}
		})
	}
}

func TestNuggetRefuses(t *testing.T) {
	prior, like := gp.RBF{Cells: 3}, expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(1, 2, 3))
	for want, n := range map[string]Nugget{
		"give at least 2 SDs":                       {SDs: []float64{0.1}},
		"the standard deviation is -1":              {SDs: []float64{-1, 0.1}},
		"nugget NaN: calibrate: thinning: without ": {SDs: []float64{math.NaN(), 0.1}},
	} {
		n.Sampler.Engine = enginetest.Open(t, "go")
		must.Refuse(n.Run(prior, like, obs))(t, want)
	}
}
