package calibrate

import (
	"context"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// p(y) Bin(k | y, s) = p(k) p(y − k | k), exactly, for every count and kept part.
func TestKeptCountsFactor(t *testing.T) {
	for _, f := range []CountThinner{expfam.Poisson{}, expfam.NegativeBinomial{}} {
		for _, share := range []float64{0.5, 0.8} {
			for _, theta := range []float64{0.1, 0.35, 0.9} {
				kept, rest := f.Kept(share)
				for y := range 12 {
					whole := must.Get(f.Reduce(float64(y), expfam.Given(2.5)))(t)
					for k := range y + 1 {
						a, b := must.Get2(f.KeptTerms(whole, float64(k), share))(t)
						n := f.Natural()
						got := n.LogLikelihood(a, kept.Eval(theta)) + n.LogLikelihood(b, rest.Eval(theta))
						want := n.LogLikelihood(whole, theta) + distuv.Binomial{N: float64(y),
							P: share}.LogProb(float64(k))
						near(t, fmt.Sprintf("%v: log p(%d kept of %d)", f, k, y), got, want, 1e-11)
					}
				}
			}
		}
	}
}

// A negative binomial that is nearly Poisson gets the scores of a Poisson on kept counts.
func TestKeptCountsOfTwoFamiliesAreComparable(t *testing.T) {
	const r = 1e7
	obs := must.Get(expfam.Likelihood{Family: expfam.Poisson{}}.Observe1(3, 0, 7, 2))(t)
	poisson := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	other := expfam.Likelihood{Family: expfam.NegativeBinomial{Successes: r}, Link: expfam.MustLink("1/(1+exp(x)/1e7)")}
	x := mat.NewDense(50, 4, nil)
	rng := expfam.Stream(1, "nearly")
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	fit := func(_ context.Context, like expfam.Likelihood, _ expfam.Observations) (*expfam.Posterior, error) {
		return &expfam.Posterior{X: x, Likelihood: like}, nil
	}
	th := Thinning{Parts: 4, Seed: 3, Counts: true}
	a := must.Get(th.Run(poisson, obs, fit))(t)
	same := must.Get(other.Observe1(3, 0, 7, 2))(t)
	b := must.Get(th.Run(other, same, fit))(t)
	for k := range a.Pointwise {
		near(t, "score", b.Pointwise[k], a.Pointwise[k], 1e-5) // r = 1e7 is Poisson up to y²/r
	}
	must.Be(t, floats.Sum(a.Pointwise) != 0, "no scores")
}
