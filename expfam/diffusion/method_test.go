package diffusion

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// variance propagates a scalar Gaussian prior through the steps of a method with its exact denoiser, D = √α λ x/(αλ+v),
// and returns the variance of the result: no draws, so that the error is that of the discretisation alone.
func variance(steps []Step, lambda float64) float64 {
	// Second moments of (x, D').
	xx, xd, dd := 1.0, 0.0, 0.0
	for _, s := range steps {
		gain := s.Level.SqrtAlpha * lambda / (s.Level.SqrtAlpha*s.Level.SqrtAlpha*lambda + s.Level.V)
		a := s.A + s.B*gain
		noise := s.S*s.S + s.Spread*s.Spread*lambda*s.Level.V/(s.Level.SqrtAlpha*s.Level.SqrtAlpha*lambda+s.Level.V)
		xx, xd, dd = a*a*xx+2*a*s.C*xd+s.C*s.C*dd+noise, gain*(a*xx+s.C*xd), gain*gain*xx
	}
	return xx
}

// order is the slope of log error against log step number, at n and 2n steps.
func order(method func(n int) Method, n int, lambda float64) float64 {
	miss := func(n int) float64 { return math.Abs(variance(method(n).Steps(), lambda) - lambda) }
	return math.Log2(miss(n) / miss(2*n))
}

// predictor is a predictor-corrector without its correctors, the scheme of Euler and Maruyama.
type predictor struct{ PredictorCorrector }

func (m predictor) Steps() []Step {
	return slices.DeleteFunc(m.PredictorCorrector.Steps(), func(s Step) bool { return s.SNR > 0 })
}

func TestMethodOrder(t *testing.T) {
	// With ε → 0 only the discretisation is left.
	vp := level.VP{Epsilon: 1e-5}
	for _, c := range []struct {
		name   string
		method func(n int) Method
		n      int
		want   float64
	}{
		{"multistep", func(n int) Method { return Multistep{N: n, VP: vp} }, 200, 2},
		{"ode", func(n int) Method { return ODE{N: n, VP: vp} }, 200, 2},
		{"euler-maruyama", func(n int) Method { return predictor{PredictorCorrector{N: n, VP: vp}} }, 4000, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			// ± 0.2 as usual for measured orders: the grids end off 0.
			must.Absolute(t, "order", order(c.method, c.n, 0.7), c.want, 0.2)
		})
	}
}

func TestMethodVariance(t *testing.T) {
	for _, c := range []struct {
		method Method
		tol    float64 // relative; few-step bias, known from the order
		evals  int
	}{
		{Multistep{}, 0.06, 25},
		{Multistep{N: 100}, 0.005, 100},
		{ODE{}, 0.06, 25},
		{ODE{N: 100}, 0.005, 100},
		{Restarts{}, 0.06, 30},
		{Restarts{VP: level.VP{Beta1: 8}}, 0.06, 30}, // whose top is below the usual start
		{Restarts{First: 12, Count: 6, Each: 4, Last: 5, Low: 0.1, High: 1, Final: 0.25}, 0.12, 42},
		{predictor{}, 0.03, 1000},
	} {
		for _, lambda := range []float64{0.0025, 0.01, 0.1, 1, 3} {
			t.Run(fmt.Sprintf("%v/%g", c.method, lambda), func(t *testing.T) {
				steps := c.method.Steps()
				must.Equal(t, len(steps), c.evals, "evaluations")
				got := variance(steps, lambda)
				must.Be(t, math.Abs(got/lambda-1) < c.tol, "variance %.4f of a prior with variance %g", got, lambda)
			})
		}
	}
}

// Long steps take 3 to 7 percent of the variance of independent Gaussian cells, and the noise of Spread
// adds 15 to 22 percent.
func TestImageRestartsKeepTheVariance(t *testing.T) {
	with, without := ImageRestarts(), ImageRestarts()
	without.Spread = 0
	must.Equal(t, len(with.Steps()), 17, "evaluations, want 17")
	for _, lambda := range []float64{0.1, 0.3, 1} {
		got, lost := variance(with.Steps(), lambda)/lambda, variance(without.Steps(), lambda)/lambda
		must.Be(t, got > 1 && got < 1.16 && lost < 0.97,
			"variance %.4f of a prior with variance %g, %.4f without the noise", got*lambda, lambda, lost*lambda)
	}
}

// The default of larger images keeps the variance of coarse modes, of which two returns to low levels take up to a
// fifth. It evaluates the network as often.
func TestPyramidRestartsKeepCoarseModes(t *testing.T) {
	one, two := pyramidRestarts(), ImageRestarts()
	one.Spread, two.Spread = 0, 0
	must.Equal(t, len(one.Steps()), len(two.Steps()), "evaluations")
	for _, lambda := range []float64{0.1, 0.3, 1, 3} {
		must.Relative(t, fmt.Sprintf("variance of a prior with variance %g", lambda), variance(one.Steps(), lambda),
			lambda, 0.05)
	}
	const coarse = 3.
	must.Be(t, variance(two.Steps(), coarse) < 0.8*coarse, "two returns keep %.3g of %g", variance(two.Steps(), coarse),
		coarse)
}
