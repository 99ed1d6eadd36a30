package expfam_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mathext"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// projections are likelihoods on all ways that Project takes: closed forms, and
// quadrature with each conjugate, from formulas and from a Go function.
var projections = []Likelihood{
	{Family: Normal{}},
	{Family: Normal{}, Link: MustLink("2*x-1")},
	{Family: Normal{}, Link: MustLink("softplus(x)")},
	{Family: Poisson{}},
	{Family: Poisson{}, Link: MustLink("exp(5+x)")},
	{Family: Poisson{}, Link: MustLink("softplus(x)")},
	{Family: Exponential{}},
	{Family: Exponential{}, Link: MustLink("softplus(-x)")},
	{Family: NormalVariance{}},
	{Family: Weibull{}, Link: MustLink("softplus(x)")},
	{Family: Binomial{}},
	{Family: Binomial{}, Link: MustLink("sigmoid(1-2*x)")},
	{Family: Geometric{}},
	{Family: Geometric{}, Link: MustLink("sigmoid(x+x^3/30)")},
	{Family: Poisson{}, Link: Must(TableLink("exp", math.Exp))},
}

// onEach runs a test of every projection on pure Go, and of so many kinds of conjugates on ONNX Runtime, which takes a
// second to compile the Beta's; with -full of all four. How a conjugate counts, which tells the two Betas and the two
// Gammas apart, has no part in a projection.
func onEach(t *testing.T, kinds int, run func(t *testing.T, e *engine.Engine, l Likelihood)) {
	kinds = fulltest.N(kinds, 4)
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		seen := map[string]bool{}
		for i := range projections {
			l := projections[len(projections)-1-i]
			kind := fmt.Sprintf("%T", l.Family.Conjugate())
			if e.String() != "go" && (seen[kind] || len(seen) == kinds) {
				continue
			}
			seen[kind] = true
			t.Run(l.String(), func(t *testing.T) { run(t, e, l) })
		}
	})
}

// sufficient are the two moments that a KL-optimal member shares with the law.
func sufficient(c Conjugate, theta float64) [2]float64 {
	switch c.(type) {
	case NormalPrior:
		return [2]float64{theta, theta * theta}
	case GammaPrior:
		return [2]float64{theta, math.Log(theta)}
	case InvGammaPrior:
		return [2]float64{1 / theta, math.Log(theta)}
	}
	return [2]float64{math.Log(theta), math.Log1p(-theta)}
}

// expected are the same moments of the member itself.
func expected(c Conjugate, a, b float64) [2]float64 {
	switch c.(type) {
	case NormalPrior:
		return [2]float64{a, a*a + 1/b}
	case GammaPrior:
		return [2]float64{a / b, mathext.Digamma(a) - math.Log(b)}
	case InvGammaPrior:
		return [2]float64{a / b, math.Log(b) - mathext.Digamma(a)}
	}
	return [2]float64{mathext.Digamma(a) - mathext.Digamma(a+b), mathext.Digamma(b) - mathext.Digamma(a+b)}
}

func TestProjectionMatchesMoments(t *testing.T) {
	var mean, variance []float64
	for _, m := range []float64{-2, -0.3, 0.9, 2.5} {
		for _, v := range []float64{1e-5, 1e-3, 0.04, 0.3, 1} {
			mean, variance = append(mean, m), append(variance, v)
		}
	}
	e := enginetest.Open(t, "go")
	for _, l := range projections {
		t.Run(l.String(), func(t *testing.T) {
			link := l.Link
			if link == nil {
				link = l.Family.DefaultLink()
			}
			c := l.Family.Conjugate()
			out := enginetest.Call(t, e, func(m, v *node) []*node {
				loc, conc := Must(l.Terms()).Project(m, v)
				return []*node{loc, conc}
			}, mean, variance)
			for i, m := range mean {
				sd := math.Sqrt(variance[i])
				var want [2]float64
				for k := range want {
					want[k] = integral(func(z float64) float64 {
						return sufficient(c, link.At(m+sd*z))[k] * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
					}, -12, 12, 60)
				}
				a, b := c.Parameters(out[0][i], out[1][i])
				got := expected(c, a, b)
				for k := range want {
					near(t, fmt.Sprintf("moment %d at m = %g, variance %g", k, m, variance[i]), got[k], want[k], 1e-8)
				}
			}
		})
	}
}

func TestProjectionDerivatives(t *testing.T) {
	onEach(t, 1, func(t *testing.T, e *engine.Engine, l Likelihood) {
		mean, variance := []float64{-1.2, 0.4, 1.5, 0.4}, []float64{0.3, 0.02, 0.9, 1e-4}
		exec := must.Get(graph.NewExec(e.Backend, func(m, v *node) []*node {
			loc, conc := Must(l.Terms()).Project(m, v)
			slopes := append(graph.Gradient(graph.ReduceAllSum(loc), m, v),
				graph.Gradient(graph.ReduceAllSum(conc), m, v)...)
			return append(slopes, loc, conc)
		}))(t)
		defer exec.Finalize()
		var out [][]float64
		for _, o := range exec.MustCall(mean, variance) {
			out = append(out, enginetest.Float64s(o))
		}
		// As many numbers as above, for which nothing has to be compiled anew.
		value := func(k int, m, v float64) float64 {
			return enginetest.Float64s(exec.MustCall([]float64{m, m, m, m}, []float64{v, v, v, v})[4+k])[0]
		}
		for i := range mean {
			for k, name := range []string{"loc", "logConc"} {
				byMean := differences(func(m float64) float64 { return value(k, m, variance[i]) }, mean[i], 1e-3)
				byVariance := differences(func(v float64) float64 { return value(k, mean[i], v) }, variance[i],
					1e-3*variance[i])
				at := fmt.Sprintf(" at (%g, %g)", mean[i], variance[i])
				// Rounding, about 1e-13 over the step.
				near(t, "d "+name+"/dm"+at, out[2*k][i], byMean, 1e-8)
				near(t, "d "+name+"/dvariance"+at, variance[i]*out[2*k+1][i], variance[i]*byVariance, 1e-8)
			}
		}
	})
}

func TestProjectionIsFinite(t *testing.T) {
	var mean, variance []float64
	for m := -8.; m <= 8; m += 2 {
		for _, v := range []float64{0, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1} {
			mean, variance = append(mean, m), append(variance, v)
		}
	}
	onEach(t, 1, func(t *testing.T, e *engine.Engine, l Likelihood) {
		for _, dtype := range enginetest.DTypes {
			if dtype == dtypes.Float64 && e.String() != "go" {
				continue // of which TestProjectionDerivatives has gradients there
			}
			out := enginetest.Call(t, e, func(m, v *node) []*node {
				loc, conc := Must(l.Terms()).Project(m, v)
				return append(graph.Gradient(graph.ReduceAllSum(graph.Add(loc, conc)), m), loc, conc)
			}, enginetest.Column(dtype, mean), enginetest.Column(dtype, variance))
			for what, values := range out {
				for i, v := range values {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%v, %s: output %d at (%g, %g) is %g", l, dtype, what, mean[i], variance[i], v)
					}
				}
			}
		}
	})
}

// TestProjectionInFloat32 compares both precisions where the curvature of the
// link over the law is far below a float32 ulp of its coordinate.
func TestProjectionInFloat32(t *testing.T) {
	var mean, variance []float64
	for _, m := range []float64{-2, -0.5, 0.75, 2.5} {
		for _, v := range []float64{1. / 65536, 1. / 1024, 1. / 16, 1} {
			mean, variance = append(mean, m), append(variance, v)
		}
	}
	double := enginetest.Open(t, "go")
	onEach(t, 4, func(t *testing.T, e *engine.Engine, l Likelihood) {
		project := func(m, v *node) []*node {
			loc, conc := Must(l.Terms()).Project(m, v)
			return []*node{loc, conc}
		}
		single := enginetest.Call(t, e, project, enginetest.Column(enginetest.DTypes[0], mean),
			enginetest.Column(enginetest.DTypes[0], variance))
		double := enginetest.Call(t, double, project, mean, variance)
		for i := range mean {
			at := fmt.Sprintf("%v at (%g, %g)", l, mean[i], variance[i])
			// The nodes themselves are rounded to 6e-8 of m, against a standard deviation of 4e-3 at the least.
			near(t, "loc of "+at, single[0][i], double[0][i], 2e-6)
			near(t, "logConc of "+at, single[1][i], double[1][i], 2e-4)
		}
	})
}
