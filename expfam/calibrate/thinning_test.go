package calibrate

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

// thinnable are families with a θ, a size that a cell can have, and the distribution function of a part's
// statistic given its size.
var thinnable = []struct {
	family expfam.Family
	theta  float64
	known  expfam.Known
	cdf    func(t expfam.Term) (below, at float64) // P(Y < y) and P(Y ≤ y)
}{
	{expfam.Poisson{}, 2.5, expfam.Given(2), func(t expfam.Term) (float64, float64) {
		d := distuv.Poisson{Lambda: 2.5 * t.Size}
		return d.CDF(t.Stat - 1), d.CDF(t.Stat)
	}},
	{expfam.Binomial{}, 0.3, expfam.Given(7), func(t expfam.Term) (float64, float64) {
		d := distuv.Binomial{N: t.Size, P: 0.3}
		return d.CDF(t.Stat - 1), d.CDF(t.Stat)
	}},
	{expfam.NegativeBinomial{}, 0.4, expfam.Given(3), func(t expfam.Term) (below, at float64) {
		for y := 0.0; y <= t.Stat; y++ {
			below = at
			at += negativeBinomial(y, t.Size, 0.4)
		}
		return below, at
	}},
	{expfam.Geometric{}, 0.3, expfam.Known{}, func(t expfam.Term) (below, at float64) {
		for y := 0.0; y <= t.Stat; y++ {
			below = at
			at += negativeBinomial(y, t.Size, 0.3)
		}
		return below, at
	}},
	{expfam.Gamma{}, 2, expfam.Given(1.5), func(t expfam.Term) (float64, float64) {
		p := distuv.Gamma{Alpha: t.Size, Beta: 2}.CDF(t.Stat)
		return p, p
	}},
	{expfam.Exponential{}, 2, expfam.Known{}, func(t expfam.Term) (float64, float64) {
		p := distuv.Gamma{Alpha: t.Size, Beta: 2}.CDF(t.Stat)
		return p, p
	}},
	{expfam.Normal{}, -1, expfam.Given(0.7), func(t expfam.Term) (float64, float64) {
		p := distuv.Normal{Mu: -1, Sigma: 1 / math.Sqrt(t.Size)}.CDF(t.Stat / t.Size)
		return p, p
	}},
	{expfam.LogNormal{}, 0.5, expfam.Given(0.7), func(t expfam.Term) (float64, float64) {
		p := distuv.Normal{Mu: 0.5, Sigma: 1 / math.Sqrt(t.Size)}.CDF(t.Stat / t.Size)
		return p, p
	}},
}

// negativeBinomial is Γ(r+y)/(Γ(r) y!) p^r (1−p)^y, for any r > 0.
func negativeBinomial(y, r, p float64) float64 {
	a, _ := math.Lgamma(r + y)
	b, _ := math.Lgamma(r)
	c, _ := math.Lgamma(y + 1)
	return math.Exp(a - b - c + r*math.Log(p) + y*math.Log1p(-p))
}

// Parts are independent of each other and distributed as the family says: a table of the
// randomised distribution functions of two parts, uniform on the square, has a χ² of
// 63 degrees of freedom, which is above 120 with probability 2e-5.
func TestPartsAreIndependentWithTheRightMarginals(t *testing.T) {
	const bins, n = 8, 8000
	for _, c := range thinnable {
		for _, parts := range []int{2, 3} {
			t.Run(fmt.Sprintf("%v in %d", c.family, parts), func(t *testing.T) {
				rng := expfam.Stream(1, "thinning/"+c.family.String())
				var counts [bins][bins]float64
				at := func(part expfam.Term) int {
					must.Need(t, part != (expfam.Term{}), "an empty part")
					low, high := c.cdf(part)
					return min(bins-1, int(bins*(low+rng.Float64()*(high-low))))
				}
				for range n {
					y := c.family.Rand(c.theta, c.known, rng)
					whole := must.Get(c.family.Reduce(y, c.known))(t)
					out := must.Get(c.family.(Thinner).Thin(whole, parts, rng))(t)
					counts[at(out[0])][at(out[parts-1])]++
					var stat, size float64
					for _, p := range out {
						stat, size = stat+p.Stat, size+p.Size
					}
					must.Need(t, math.Abs(size-whole.Size) <= 1e-9*whole.Size &&
						math.Abs(stat-whole.Stat) <= 1e-9*(1+math.Abs(whole.Stat)),
						"parts %v of %v", out, whole)
				}
				var chi2 float64
				const expected = float64(n) / bins / bins
				for _, row := range counts {
					for _, v := range row {
						chi2 += (v - expected) * (v - expected) / expected
					}
				}
				must.Be(t, chi2 <= 120, "χ² is %.0f, want about 63", chi2)
			})
		}
	}
}

// The densities of parts are those of their distributions.
func TestDensitiesOfParts(t *testing.T) {
	rng := expfam.Stream(1, "densities")
	for _, c := range thinnable {
		if c.known == expfam.Given(7) || c.family == (expfam.LogNormal{}) { // whole trials; density of log y
			continue
		}
		y := c.family.Rand(c.theta, c.known, rng)
		whole := must.Get(c.family.Reduce(y, c.known))(t)
		for _, part := range must.Get(c.family.(Thinner).Thin(whole, 3, rng))(t) {
			got := math.Exp(c.family.Natural().LogLikelihood(part, c.theta))
			low, high := c.cdf(part)
			want := high - low
			if want == 0 { // a density: slope of the distribution function of the statistic
				h := 1e-6 * (1 + math.Abs(part.Stat))
				up, down := part, part
				up.Stat, down.Stat = part.Stat+h, part.Stat-h
				a, _ := c.cdf(up)
				b, _ := c.cdf(down)
				want = (a - b) / (2 * h)
				if _, normal := c.family.(expfam.Normal); normal {
					want *= part.Size // its observation is Stat/Size
				}
			}
			near(t, c.family.String()+": density of a part", got/want, 1, 1e-5) // of finite differences
		}
	}
}

// Of one part given the others the closed form is a difference of log evidences.
func TestThinningInClosedForm(t *testing.T) {
	prior, like, obs := normals(0)
	th := Thinning{Parts: 3, Seed: 1}
	e := must.Get(th.Run(like, obs, conditioned(prior, 10_000, 1)))(t)
	var want float64
	for _, s := range must.Get(th.Split(like, obs))(t) {
		for _, k := range e.Data {
			all := append(expfam.Observations(nil), s.Obs...)
			all[k] = all[k].Add(s.Held[k])
			want += must.Get(gp.Exact(prior, like, all))(t).
				LogEvidence - must.Get(gp.Exact(prior, like, s.Obs))(t).LogEvidence
		}
	}
	near(t, "sum over data and parts", e.Total().Mean, want, 0.1) // 33 terms, each within about 0.01
	must.Be(t, math.IsNaN(e.P) && e.Method == "thinning in 3" && len(e.Pointwise) == 11, "%+v", e)
}

// Three single trials go to at most three of five parts. A part without trials adds nothing to the scores.
func TestPartsWithoutTrials(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Bernoulli{}}
	obs := must.Get(like.Observe1(1, 0, 1))(t)
	post := sampleOf(like, 100, 3, 1)
	fit := func(context.Context, expfam.Likelihood, expfam.Observations) (*expfam.Posterior, error) {
		return post, nil
	}
	e := must.Get(Thinning{}.Run(like, obs, fit))(t)
	want := must.Get(LogScore(post, obs, nil))(t) // each trial is held out once, and the fit is the same
	for k := range want {
		near(t, "score", e.Pointwise[k], want[k], 1e-12)
	}
}

func TestWhatCannotBeThinned(t *testing.T) {
	obs := expfam.Observations{{Stat: 1, Size: 1}}
	for want, c := range map[string]struct {
		t    Thinning
		like expfam.Likelihood
		obs  expfam.Observations
	}{
		"give at least 2":  {Thinning{Parts: 1}, expfam.Likelihood{Family: expfam.Poisson{}}, obs},
		"does not split":   {Thinning{}, expfam.Likelihood{Family: expfam.BetaBinomial{}}, obs},
		"leave out Counts": {Thinning{Counts: true}, expfam.Likelihood{Family: expfam.Normal{}}, obs},
		"none of 1 data":   {Thinning{}, expfam.Likelihood{Family: expfam.Poisson{}}, expfam.Observations{{}}},
		"a whole number": {Thinning{}, expfam.Likelihood{Family: expfam.Binomial{}},
			expfam.Observations{{Stat: 1, Size: 2.5}}},
		"data sets together": {Thinning{}, expfam.Together(expfam.Likelihood{Family: expfam.Poisson{}},
			expfam.Likelihood{Family: expfam.Poisson{}}), obs},
	} {
		must.Refuse(c.t.Split(c.like, c.obs))(t, want)
	}
}

// Three trials in five parts leave two parts empty at least. The log densities add up to those of the trials all the
// same.
func TestFewerTrialsThanParts(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Bernoulli{}}
	obs := expfam.Must(like.Observe1(0, 1, 1))
	at := mat.NewDense(1, 3, []float64{0.3, -1, 2}) // a posterior of one draw knows x₀
	e := must.Get(Thinning{Seed: 1}.Run(like, obs,
		func(_ context.Context, like expfam.Likelihood, _ expfam.Observations) (*expfam.Posterior, error) {
			return &expfam.Posterior{X: at, Likelihood: like}, nil
		}))(t)
	terms := expfam.Must(like.Terms())
	for k, x := range at.RawRowView(0) {
		must.Equal(t, e.Pointwise[k], terms.LogLik(x, obs[k]), "trial", k, "has the log density")
	}
}
