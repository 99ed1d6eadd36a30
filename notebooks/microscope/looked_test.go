package microscope

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// near fails unless |got − want| ≤ tol·(1 + |want|).
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	must.Be(t, math.Abs(got-want) <= tol*(1+math.Abs(want)),
		"%s: got %.15g, want %.15g, tolerance %g", what, got, want, tol)
}

// differences returns the derivative of f at x by central differences of fourth order with step h.
func differences(f func(float64) float64, x, h float64) float64 {
	return (8*(f(x+h)-f(x-h)) - f(x+2*h) + f(x-2*h)) / (12 * h)
}

// looked is a table of cells: each conjugate, levels from fine to coarse, a
// prior with two modes and one with heavy tails.
func looked(t *testing.T) map[string]Cell {
	two := Mixture{{Weight: 1, Mean: -1, SD: 0.4}, {Weight: 2, Mean: 1.5, SD: 0.5}}
	out := map[string]Cell{}
	for _, c := range []struct {
		like expfam.Likelihood
		y    float64
	}{
		{expfam.Likelihood{Family: expfam.Normal{SD: 0.7}}, 0.8},
		{expfam.Likelihood{Family: expfam.Poisson{}}, 4},
		{expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)")}, 180},
		{expfam.Likelihood{Family: expfam.Exponential{}, Link: expfam.MustLink("1/exp(x)")}, 2.5},
		{expfam.Likelihood{Family: expfam.Binomial{Trials: 12}, Link: expfam.MustLink("sigmoid(2*x)")}, 9},
		{expfam.Likelihood{Family: expfam.NegativeBinomial{Successes: 3}, Link: expfam.MustLink("sigmoid(x)")}, 4},
		{expfam.Likelihood{Family: expfam.NormalVariance{}}, 1.4},
		{expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("softplus(2*x)")}, 2},
	} {
		term := must.Get(c.like.Family.Reduce(c.y, expfam.Known{}))(t)
		for _, time := range []float64{0.03, 0.2, 0.6, 1} {
			for name, prior := range map[string]Law{"normal": nil, "two modes": two,
				"heavy tails": distuv.StudentsT{Sigma: 0.6, Nu: 4}} {
				out[fmt.Sprintf("%v/t=%g/%s", c.like, time, name)] = Cell{Prior: prior,
					Level: level.VP{}.Level(time), Likelihood: c.like, Term: term}
			}
		}
	}
	return out
}

func see(t testing.TB, m Cell, x ...float64) []View {
	t.Helper()
	return must.Get(m.At(x...))(t)
}
