package expfam_test

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// TestNB2IsTheNegativeBinomial: with k = 1/κ successes of probability k/(k+eθ) the counts have the same distribution,
// and without dispersion they are Poisson.
func TestNB2IsTheNegativeBinomial(t *testing.T) {
	for _, c := range []struct{ kappa, theta, exposure, y float64 }{
		{0.4, 2, 1, 3}, {0.4, 2, 7, 0}, {2, 1e-4, 3e4, 11}, {1e-6, 5, 2, 9}, {0, 3, 2, 4},
	} {
		terms := must.Get(Likelihood{Family: NB2{Dispersion: c.kappa}}.Terms())(t)
		term := must.Get(NB2{Dispersion: c.kappa}.Reduce(c.y, Given(c.exposure)))(t)
		got := terms.LogLik(math.Log(c.theta), term)
		other, mean := Family(Poisson{}), c.theta
		known := Given(c.exposure)
		if c.kappa > 0 {
			k := 1 / c.kappa
			other, mean, known = NegativeBinomial{}, k/(k+c.exposure*c.theta), Given(k)
		}
		want := other.Natural().LogLikelihood(must.Get(other.Reduce(c.y, known))(t), mean)
		// the other form subtracts numbers of the size of 14 k
		must.Absolute(t, "log-likelihood", got, want, 1e-10+1e-14/math.Max(c.kappa, 1e-6))
	}
}

// TestNB2Shared: the data of a cell share its rate, so two of them are one with the sums, up to how they are split.
func TestNB2Shared(t *testing.T) {
	f := NB2{Dispersion: 0.7}
	terms := must.Get(Likelihood{Family: f}.Terms())(t)
	two := must.Get(f.Reduce(3, Given(2)))(t).Add(must.Get(f.Reduce(1, Given(5)))(t))
	one := must.Get(f.Reduce(4, Given(7)))(t)
	// given the sum 4, the first of two Poisson counts is binomial with probability 2/7
	split := math.Log(4 * math.Pow(2./7, 3) * 5 / 7)
	for _, x := range []float64{-2, 0.3, 1} {
		must.Absolute(t, "log-likelihood", terms.LogLik(x, two), terms.LogLik(x, one)+split, 1e-12)
	}
}

// TestNB2Derivatives: slopes and informations are differences, and the graph has the values of the host.
func TestNB2Derivatives(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, kappa := range []float64{0, 1e-5, 0.3, 4} {
			terms := must.Get(Likelihood{Family: NB2{Dispersion: kappa}}.Terms())(t)
			x := []float32{-3, -0.5, 0, 1.5, 4}
			out := enginetest.Call(t, e, func(x *g.Node) []*g.Node {
				one := func(v float64) *g.Node { return g.Scalar(x.Graph(), x.DType(), v) }
				value, slope, information := terms.Graph(x, one(6), one(2.5))
				_, none, _ := terms.Graph(x, one(0), one(0))
				return []*g.Node{value, slope, information, none}
			}, x)
			for i, v := range x {
				at, term := float64(v), Term{Stat: 6, Size: 2.5}
				const h = 1e-5
				slope := (terms.LogLik(at+h, term) - terms.LogLik(at-h, term)) / (2 * h)
				must.Absolute(t, "slope", terms.Slope(at, term), slope, 1e-6*(1+math.Abs(slope)))
				information := -(terms.Slope(at+h, term) - terms.Slope(at-h, term)) / (2 * h)
				must.Absolute(t, "information", terms.Information(at, term), information, 1e-6*(1+information))
				for k, want := range []float64{terms.LogLik(at, term) - terms.LogLik(0, term), terms.Slope(at, term),
					terms.Information(at, term), 0} {
					got := out[k][i]
					if k == 0 {
						got -= out[0][2]
					}
					// float32, where 1e5 successes take part
					least := 1e-6 * math.Min(1/math.Max(kappa, 1e-3), 1e3)
					must.Absolute(t, "graph", got, want, 2e-5*(1+math.Abs(want))+least)
				}
			}
		}
	})
}
