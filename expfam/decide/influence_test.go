package decide_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// middle is the mean of θ over the middle third of a field.
func middle(theta []float64) float64 {
	d := len(theta)
	return stat.Mean(theta[d/3:2*d/3], nil)
}

// observe simulates data of every cell of a line, at known constants that differ.
func observe(t testing.TB, like expfam.Likelihood, prior interface {
	Draw(*rand.Rand, []float64)
	Dim() int
}, known func(j int) float64, seed uint64) expfam.Observations {
	t.Helper()
	rng := expfam.Stream(seed, "truth")
	x := make([]float64, prior.Dim())
	prior.Draw(rng, x)
	obs := make(expfam.Observations, len(x))
	link := like.Link
	if link == nil {
		link = like.Family.DefaultLink()
	}
	for j := range x {
		v := link.At(x[j])
		k := expfam.Given(known(j))
		obs[j] = must.Get(like.Family.Reduce(like.Family.Rand(v, k, rng), k))(t)
	}
	return obs
}

func without(obs expfam.Observations, k int) expfam.Observations {
	out := append(expfam.Observations(nil), obs...)
	out[k] = expfam.Term{}
	return out
}

// Gaussian data: leaving a datum out has a closed form, and so has its influence. With log p(y_i | x) quadratic in
// x_i, Cov(f, log p(y_i | x)) = Cov(f, x_i) (y_i − E x_i)/σ².
func TestInfluenceGaussian(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}
	prior := gp.RBF{}
	for seed := range uint64(3) {
		obs := observe(t, like, prior, func(j int) float64 { return 0.3 + 0.2*float64(j%3) }, seed)
		exact := must.Get(gp.Exact(prior, like, obs))(t)
		post := must.Get(exact.Sample(500, seed))(t)
		in := must.Get(decide.Influence{}.Of(post, obs, middle))(t)
		var slope, left []float64
		all := middle(exact.Mean)
		for k, term := range obs {
			left = append(left, middle(must.Get(gp.Exact(prior, like, without(obs, k)))(t).Mean)-all)
			cov := 0.0
			for j := 10; j < 20; j++ {
				cov += exact.Cov.At(j, k) / 10
			}
			slope = append(slope, cov*(term.Stat-term.Size*exact.Mean[k]))
		}
		r, first := stat.Correlation(in.Without, left, nil), stat.Correlation(in.Effect, slope, nil)
		t.Logf("seed %d: correlation with leave-one-out %.4f by weights, %.4f to first order; with the closed form of "+
			"the derivative %.4f", seed, r, -stat.Correlation(in.Effect, left, nil), first)
		must.Be(t, r >= 0.95 && first >= 0.95, "seed %d: correlations %.3f and %.3f; want 0.95", seed, r, first)
		// The band holds what has no influence: data whose derivative is below a tenth of the band are outside of it
		// with probability of about 0.05.
		quiet, loud := 0, 0
		for k, s := range slope {
			if math.Abs(s) < in.Noise[k]/10 {
				quiet++
				if in.Beyond(k) {
					loud++
				}
			}
		}
		must.Be(t, quiet <= 0 || float64(loud) <= 0.05*float64(quiet)+3*math.Sqrt(0.05*float64(quiet))+1,
			"seed %d: %d of %d data without an influence are outside of their bands", seed, loud, quiet)
	}
}

// Counts: against fits without each datum, with the same random numbers.
func TestInfluenceRefits(t *testing.T) {
	learned := must.Get(learn.Load("../../notebooks/weights/gp-experts-score.safetensors"))(t)
	for _, c := range []struct {
		name  string
		like  expfam.Likelihood
		prior expfam.Prior
		known float64
	}{
		{"poisson, exact prior", expfam.Likelihood{Family: expfam.Poisson{}}, gp.RBF{Cells: 40}, 3},
		{"binomial, exact prior", expfam.Likelihood{Family: expfam.Binomial{}}, gp.RBF{Cells: 40}, 20},
		{"poisson, learned prior", expfam.Likelihood{Family: expfam.Poisson{}}, learned, 3},
		{"binomial, learned prior", expfam.Likelihood{Family: expfam.Binomial{}}, learned, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !*fulltest.Full && c.name != "poisson, exact prior" {
				t.Skip("with -full")
			}
			sim := gp.RBF{Cells: c.prior.Dim()}
			obs := observe(t, c.like, sim, func(int) float64 { return c.known }, 1)
			// The refits have the seed of the full fit and more draws, so that the noise of their differences is below
			// that of 500 draws.
			e := enginetest.Fast(t)
			many := fulltest.N(500, 2000)
			compiled := must.Get(diffusion.Compile(c.prior, c.like, diffusion.Sampler{Draws: many, Engine: e}))(t)
			defer compiled.Close()
			fit := func(obs expfam.Observations) *expfam.Posterior {
				return must.Get(compiled.Sample(t.Context(), obs, 1))(t)
			}
			whole := fit(obs)
			few := &expfam.Posterior{X: mat.DenseCopyOf(whole.X.Slice(0, 500, 0, len(obs))), Likelihood: c.like}
			in := must.Get(decide.Influence{}.Of(few, obs, middle))(t)
			base := stat.Mean(whole.Functional(middle), nil)
			var left, told []float64
			for k := 0; k < len(obs); k += fulltest.N(4, 1) {
				left = append(left, stat.Mean(fit(without(obs, k)).Functional(middle), nil)-base)
				told = append(told, in.Without[k])
			}
			r := stat.Correlation(told, left, nil)
			t.Logf("%d refits of %d draws: correlation %.3f, largest change %.3g of sd %.3g", len(left), many, r,
				floats.Norm(left, math.Inf(1)), in.SD)
			must.Be(t, r >= 0.95, "correlation %.3f with %d refits; want 0.95", r, len(left))
		})
	}
}

// The map of influences is that of the single cells, and its bands those of permutations.
func TestInfluenceMap(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}
	obs := observe(t, like, gp.RBF{}, func(int) float64 { return 0.5 }, 1)
	obs[3] = expfam.Term{}
	post := must.Get(must.Get(gp.Exact(gp.RBF{}, like, obs))(t).Sample(500, 1))(t)
	all := must.Get(decide.Influence{}.Map(post, obs))(t)
	one := must.Get(decide.Influence{Permutations: 2000}.Of(post, obs, func(x []float64) float64 {
		return x[7]
	}))(t)
	n, cells := all.Dims()
	must.Need(t, n == 29 && cells == 30, "%d data and %d cells", n, cells)
	for c := range one.Data {
		number, effect, noise := all.Datum(c, 7)
		must.Be(t, number == one.Data[c] && math.Abs(effect-one.Effect[c]) <= 1e-12,
			"datum %d: effect %g on the map and %g alone", number, effect, one.Effect[c])
		// The quantile of 2000 permutations has a standard error of 2% at a normal density, and a covariance of 500
		// draws of heavier tails differs from normal by a few percent.
		if r := noise / one.Noise[c]; r < 0.88 || r > 1.14 {
			t.Errorf("datum %d: band %g on the map, %g by permutations", number, noise, one.Noise[c])
		}
	}
}

func TestInfluenceRefuses(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}
	obs := observe(t, like, gp.RBF{}, func(int) float64 { return 0.5 }, 1)
	exact := must.Get(gp.Exact(gp.RBF{}, like, obs))(t)
	post, few := must.Get(exact.Sample(100, 1))(t), must.Get(exact.Sample(10, 1))(t)
	f := middle
	must.Refuse(decide.Influence{Level: 2}.Of(post, obs, f))(t, "level 2")
	must.Refuse(decide.Influence{}.Map(few, obs))(t, "at least 25")
	must.Refuse(decide.Influence{}.Of(post, obs[1:], f))(t, "29 observations of 30 data")
	calls := 0
	must.Refuse(decide.Influence{}.Of(post, obs, func([]float64) float64 {
		if calls++; calls == 3 {
			return math.NaN()
		}
		return 0
	}))(t, "draw 2 is NaN")
}
