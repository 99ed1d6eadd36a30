package diffusion_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// Independent cells of a normal prior are drawn exactly, in two steps, by noise of their own standard deviation.
func TestSpreadDrawsIndependentCells(t *testing.T) {
	low := level.At(0.3)
	steps := given{{Level: level.At(40), B: low.SqrtAlpha, S: 0.3 * low.SqrtAlpha, Spread: low.SqrtAlpha},
		{Level: low, B: 1, Spread: 1}}
	prior, y := levels{40, 0, 1}, 1.2
	obs := slices.Repeat(expfam.Observations{{Stat: y, Size: 1}}, prior.cells)
	x := sample(t, prior, normal, obs, Sampler{Draws: 192, Seed: 1, Engine: enginetest.Open(t, "go"), Method: steps}).
		X.RawMatrix().Data
	// 7680 independent values of N(y/2, 1/2): standard errors of 0.008 and 0.006, four times.
	mean := stat.Mean(x, nil)
	must.Be(t, math.Abs(mean-y/2) <= 0.032, "mean %.3f, want %g", mean, y/2)
	sd := stat.StdDev(x, nil)
	must.Be(t, math.Abs(sd-math.Sqrt(0.5)) <= 0.024, "sd %.3f, want %.3f", sd, math.Sqrt(0.5))
}

// A sum of one cell with the weight 20 is a cell whose rate has the factor 20: the same noise, the same draws.
func TestSpreadBehindSums(t *testing.T) {
	prior, of := levels{4, 1, 0.5}, expfam.Poisson{} // with third cumulants
	weights := eye(prior.cells)
	for j := range weights {
		weights[j][j] = 20
	}
	draws := func(l expfam.Likelihood) *mat.Dense {
		obs := expfam.Must(l.Observe1(31, 5, 20, 90))
		return sample(t, prior, l, obs, Sampler{Draws: 8, Seed: 1, Engine: enginetest.Open(t, "go"),
			Method: Restarts{Spread: 1, Skew: 1}}).X
	}
	want := draws(expfam.Likelihood{Family: of, Link: expfam.MustLink("20*exp(x)")})
	got := draws(expfam.Likelihood{Family: of, Link: expfam.ExpLink,
		Operator: expfam.SumOf{Operator: weighted("twenty", weights...)}})
	sameDraws(t, "sums", got, want, 1e-3) // thirty steps in float32
}

// Two levels that are five of their own sd from the middle make x₀ | y a mixture of two normals, one of them
// nearly certain or not. Without third cumulants draws fall between the levels.
func TestSkewKnowsTwoLevels(t *testing.T) {
	const tau, draws = 0.5, 200
	prior := levels{40, 1, 0.2}
	rng := expfam.Stream(3, "levels")
	obs, y := make(expfam.Observations, prior.cells), make([]float64, prior.cells)
	for j := range obs {
		y[j] = math.Copysign(prior.at, rng.NormFloat64()) + math.Hypot(prior.sd, tau)*rng.NormFloat64()
		obs[j] = expfam.Term{Stat: y[j] / (tau * tau), Size: 1 / (tau * tau)}
	}
	width := func(m Method) (ratio float64) {
		x := sample(t, prior, expfam.Likelihood{Family: expfam.Normal{SD: tau}}, obs,
			Sampler{Draws: draws, Seed: 1, Engine: enginetest.Open(t, "go"), Method: m}).X
		column := make([]float64, draws)
		for j := range y {
			for k := range column {
				column[k] = x.At(k, j)
			}
			// The two normals have the variance s² and the means s² (y/τ² ± at/sd²), and the upper one the weight
			// (1 + tanh z)/2 with z = at y/(sd² + τ²).
			s2 := 1 / (1/(prior.sd*prior.sd) + 1/(tau*tau))
			half, lean := s2*prior.at/(prior.sd*prior.sd), math.Tanh(prior.at*y[j]/(prior.sd*prior.sd+tau*tau))
			ratio += stat.StdDev(column, nil) / math.Sqrt(s2+half*half*(1-lean*lean)) / float64(prior.cells)
		}
		return ratio
	}
	// The sd of cells with a rare second level is off by a quarter in 200 draws: a standard error of 0.03 for the mean
	// of 40.
	with, without := width(nil), width(Restarts{}) // the default has them
	t.Logf("sd over the exact one: %.3f, without third cumulants %.3f", with, without)
	must.Be(t, math.Abs(with-1) < 0.1 && without > 1.4,
		"the mean of sd over the exact one is %.3f, and %.3f without third cumulants", with, without)
}

// Steps up to the noise level Light take one Jacobian product, and the others three.
func TestLightStepsTakeOneProduct(t *testing.T) {
	prior := levels{5, 1, 0.5}
	obs := make(expfam.Observations, prior.cells)
	obs[0] = expfam.Term{Stat: 1, Size: 1}
	// The last seven steps and the estimate begin at 0.05 or below. So begin at 0.21 or below two more steps of
	// the first descent and four of each return.
	for light, few := range map[float64]int{0: 0, 0.05: 8, 0.21: 8 + 2 + 2*4} {
		m := Restarts{Light: light}
		want := 3*(30-few) + few
		post := sample(t, prior, normal, obs, Sampler{Draws: 2, Engine: enginetest.Open(t, "go"), Method: m})
		got := post.Info.Products
		must.Be(t, got == want, "%v takes %d products, want %d", m, got, want)
	}
}
