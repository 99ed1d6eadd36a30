package gmrf

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// scattered is a draw of a prior and beta-binomial positives of 20 to 200 trials in two cells of five.
func scattered(t *testing.T, p Prior, rho float64, seed uint64) ([]float64, expfam.Observations) {
	t.Helper()
	rng := expfam.Stream(seed, "test/scattered")
	x := must.Get(p.Draw(rng))(t)
	theta, known := must.Get(prevalence.Theta(x))(t), make([]float64, len(x))
	for j := range known {
		if rng.Float64() < 0.4 {
			known[j] = math.Round(20 * math.Pow(10, rng.Float64()))
		}
	}
	like := expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: rho}, Link: prevalence.Link}
	data := must.Get(like.Simulate(theta, known, 1, seed))(t)
	obs := must.Get(like.Observe(data))(t)
	return x, obs
}

func TestOverdispersionIsFound(t *testing.T) {
	seeds := fulltest.N(1, 3)
	prior := Prior{Grid: grid.Grid{Rows: 22, Cols: 22}}
	truth := prior
	truth.Range, truth.SD, truth.Level, truth.KnownLevel = 8, 0.25, -0.1, true
	for _, rho := range []float64{0.02, 0.1} {
		z := 0.0
		for seed := range uint64(seeds) {
			_, obs := scattered(t, truth, rho, seed)
			d := must.Get(Overdispersion(prior, prevalence, obs))(t)
			t.Logf("ρ = %g: %v", rho, d)
			// 190 cells tell ρ = 0.1 to a fifth, and 0.02 to a half.
			must.Be(t, d.SE > 0.05*rho && d.SE < rho, "standard error of %v", d)
			z += (math.Log(d.Correlation) - math.Log(rho)) * d.Correlation / d.SE / float64(seeds)
		}
		must.Be(t, math.Abs(z) <= 3/math.Sqrt(float64(seeds)),
			"ρ = %g: estimates are %.2g standard errors off on average, expected 0 ± %.2g", rho, z,
			1/math.Sqrt(float64(seeds)))
	}
	_, obs := scattered(t, truth, 0, 1)
	d, err := Overdispersion(prior, prevalence, obs)
	// Binomial data of some 100 trials bound ρ near a hundredth.
	if t.Log(d); err != nil || d.Correlation > 2*d.SE+2e-5 || d.SE > 0.01 {
		t.Errorf("Binomial data have %v, %v", d, err)
	}
	must.Refuse(Overdispersion(prior, expfam.Likelihood{Family: expfam.Poisson{}}, obs))(t, "positives of trials")
}

// TestOverdispersedSample: the likelihood of the posterior has the median of ρ, also where it is loaded.
func TestOverdispersedSample(t *testing.T) {
	prior := Prior{Grid: grid.Grid{Rows: 12, Cols: 10}, Range: 5, SD: 0.3, KnownLevel: true}
	_, obs := scattered(t, prior, 0.05, 3)
	t.Setenv("EXPFAM_STORE", t.TempDir())
	post := must.Get(Sample(prior, prevalence, obs, Options{Draws: 20, Overdispersed: true}))(t)
	if loaded, err := Sample(prior, prevalence, obs, Options{Draws: 20, Overdispersed: true}); err != nil ||
		loaded.Likelihood.String() != post.Likelihood.String() || loaded.Info.Seconds != post.Info.Seconds {
		t.Errorf("stored with the likelihood %v, %v", loaded.Likelihood, err)
	}
	family, ok := post.Likelihood.Family.(expfam.BetaBinomial)
	must.Need(t, ok && family.Correlation == post.Info.Diagnostics["correlation"],
		"the posterior has the likelihood %v", post.Likelihood)
}
