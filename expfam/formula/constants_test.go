package formula

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/must"
)

func TestBindIsTheFormulaWithNumbers(t *testing.T) {
	for _, c := range []struct {
		text   string
		values map[string]float64
		want   string
	}{
		{"sigmoid(s*x)", map[string]float64{"s": 5}, "sigmoid(5*x)"},
		{"sigmoid(s*x)", map[string]float64{"s": 1}, "sigmoid(x)"},
		{"exp(c+x)", map[string]float64{"c": -2}, "exp(x-2)"},
		{"exp(c+x)", map[string]float64{"c": 0, "unused": 1}, "exp(x)"},
		{"log(k+k*exp(s*x))/s", map[string]float64{"s": 2, "k": 1}, "log(1+exp(2*x))/2"},
		{"exp(x)^p", map[string]float64{"p": 0.5}, "sqrt(exp(x))"},
	} {
		t.Run(c.text, func(t *testing.T) {
			e := must.Get(Parse(c.text, "x", "s", "c", "k", "p"))(t)
			got, err := e.Bind(c.values)
			if want := MustParse(c.want).String(); err != nil || got.String() != want {
				t.Errorf("got %v, %v; want %s", got, err, want)
			}
			if again, err := Parse(e.String(), "x", "s", "c", "k", "p"); err != nil || again.String() != e.String() {
				t.Errorf("%s reads back as %v, %v", e, again, err)
			}
		})
	}
}

func TestNamedConstants(t *testing.T) {
	e := must.Get(Parse("exp(c+s*x)", "x", "s", "c", "unused"))(t)
	must.Equal(t, e.Constants(), []string{"c", "s"}, "constants")
	must.Equal(t, e.LaTeX(), `e^{c + s \, x}`, "LaTeX")
	must.Equal(t, must.Get(e.Derivative().Bind(map[string]float64{"c": 0, "s": 2}))(t).Eval(0), 2, "derivative")
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if bound, err := e.Bind(map[string]float64{"s": v}); err == nil {
			t.Errorf("s = %v was accepted: %v", v, bound)
		}
	}
	for _, name := range []string{"x", "theta", "pi", "exp", "2", ""} {
		if _, err := Parse("theta", "theta", name); err == nil {
			t.Errorf("%q was accepted as the name of a constant", name)
		}
	}
	defer func() { must.Be(t, recover() != nil, "a constant without a value was evaluated") }()
	e.Eval(1)
}

// One compiled graph serves every value: θ, η = log θ and its derivative of
// θ = exp(c + s x), composed and differentiated after the constants were fed.
func TestFeed(t *testing.T) {
	link := must.Get(Parse("exp(c+s*x)", "x", "s", "c"))(t)
	e := must.Get(engine.Float64())(t)
	exec := must.Get(graph.NewExec(e.Backend, func(x, s, c *graph.Node) []*graph.Node {
		theta := link.Feed(map[string]*graph.Node{"s": s, "c": c})
		eta := MustParse("log(theta)").Substitute(theta)
		return GraphAll(x, theta, eta, eta.Derivative())
	}))(t)
	defer exec.Finalize()
	for _, v := range []struct{ s, c float64 }{{1, 0}, {5, -2}, {-0.5, 3}} {
		out := must.Get(exec.Call([]float64{-1, 0.25}, v.s, v.c))(t)
		for i, x := range []float64{-1, 0.25} {
			eta := v.c + v.s*x
			for k, want := range []float64{math.Exp(eta), eta, v.s} {
				// Rounding of one exponential and one sum.
				if got := out[k].Value().([]float64)[i]; math.Abs(got-want) > 1e-14*math.Max(1, math.Abs(want)) {
					t.Errorf("s %g, c %g, output %d at %g: %v, want %v", v.s, v.c, k, x, got, want)
				}
			}
		}
	}
}
