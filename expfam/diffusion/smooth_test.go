package diffusion

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// Priors that are mainly a level have a return to higher noise, and others the usual one.
func TestReturnsOfSmoothPriors(t *testing.T) {
	terms := expfam.Must(expfam.Likelihood{Family: expfam.Poisson{}}.Terms())
	for _, c := range []struct {
		prior expfam.Prior
		back  string
	}{
		{gp.RBF{}, "back=1,"}, {gp.RBF{Length: 0.85}, "back=2,"}, {gp.RBF{Cells: 10, Length: 0.05}, "back=1,"},
		{gp.RBF{Cells: 1}, "back=1,"},
	} {
		s := expfam.Must(Sampler{Engine: enginetest.Open(t, "go")}.orDefault(c.prior))
		setup := must.Get(newSetup(t.Context(), c.prior, terms, s))(t)
		got := setup.sampler.Method.String()
		must.Be(t, strings.Contains(got, c.back), "%v: %s, want %s", c.prior, got, c.back)
	}
}

// Sharp data of a very smooth curve tell its level so precisely that a solve in Float32 overflows. The posterior has
// the closed form's mean and width all the same.
func TestSharpDataOfSmoothCurve(t *testing.T) {
	const cells, noise = 17, 1e-4
	field, like := gp.RBF{Cells: cells, Length: 1}, expfam.Likelihood{Family: expfam.Normal{}}
	rng, x := expfam.Stream(1, "smooth"), make([]float64, cells)
	field.Draw(rng, x)
	obs := make(expfam.Observations, cells)
	for j := range obs {
		if j%4 != 1 {
			obs[j] = expfam.Term{Stat: (x[j] + noise*rng.NormFloat64()) / (noise * noise), Size: 1 / (noise * noise)}
		}
	}
	exact := must.Get(gp.Exact(field, like, obs))(t)
	post := must.Get(Sample(field, like, obs, Sampler{Engine: enginetest.Open(t, "go"), Seed: 1, Fresh: true}))(t)
	for j, m := range post.Latent().Mean() {
		// 500 draws have a mean .045 sd off and a sd 3% off; four times that in the worst cell.
		sd := math.Sqrt(exact.Cov.At(j, j))
		must.Be(t, math.Abs(m-exact.Mean[j]) < 0.18*sd && math.Abs(post.Latent().SD()[j]/sd-1) < 0.13,
			"cell %d: %.6f ± %.6f, want %.6f ± %.6f", j, m, post.Latent().SD()[j], exact.Mean[j], sd)
	}
}
