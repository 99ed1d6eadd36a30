package formula

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/diff/fd"
)

// table holds formulas with points well inside their domain.
var table = []struct {
	text   string
	points []float64
}{
	{"5+x", []float64{-6, 0, 3}},
	{"exp(5+x)", []float64{-6, 0, 3}},
	{"1/exp(x)", []float64{-6, 0, 3}},
	{"sigmoid(5*x)", []float64{-3, -0.1, 0, 0.1, 2}},
	{"softplus(5*x)", []float64{-3, -0.1, 0, 0.1, 2}},
	{"logit(x)", []float64{0.01, 0.3, 0.5, 0.9}},
	{"log(x)^2", []float64{0.01, 0.3, 0.5, 9}},
	{"log1p(x)", []float64{-0.9, -1e-3, 0.2, 0.6, 5}},
	{"log1m(x)", []float64{-5, -0.4, 1e-3, 0.9}},
	{"expm1(x)", []float64{-3, -0.4, 1e-3, 0.9, 2}},
	{"tanh(x)+x", []float64{-3, -0.4, 0, 0.9}},
	{"erf(x)*x", []float64{-2, -0.4, 0.1, 0.9}},
	{"normcdf(x)", []float64{-6, -2, 0, 2, 4}},
	{"lognormcdf(x)", []float64{-20, -6, -3.5, -2, -1, 0, 2, 4}},
	{"mills(x)", []float64{-6, -2, 0, 1, 2, 3.5, 20}},
	{"log1mexp(x)", []float64{0.01, 0.5, 1, 5}},
	{"logit(1-exp(-exp(x)))", []float64{-6, -1, 0, 1, 2}},
	{"x^3-2*x^2+x/7-1", []float64{-2, -1, 0.5, 3}},
	{"x^-2.5+sqrt(x)+x^0.3", []float64{0.1, 1, 7}},
	{"(1+x^2)^-1.5*exp(-x)", []float64{-2, 0, 3}},
	{"x^x", []float64{0.2, 1, 3}},
	{"log(1+exp(x))/(2+sigmoid(x))", []float64{-5, 0, 8}},
	{"x^5*exp(-x^2)", []float64{-2, 0.3, 1.5}},
}

func TestDerivative(t *testing.T) {
	for _, c := range table {
		e := MustParse(c.text)
		d := e.Derivative()
		dd := d.Derivative()
		for _, x := range c.points {
			t.Run(fmt.Sprintf("%s/%v", c.text, x), func(t *testing.T) {
				// A step of 3e-4 of the scale of x leaves 1e-8 of truncation
				// and of rounding in the 4-point rule.
				step := 3e-4 * math.Min(1, math.Max(0.02, math.Abs(x)))
				check := func(what string, f Expr, got float64) {
					s := fd.Formula{Stencil: []fd.Point{{Loc: -2, Coeff: 1. / 12}, {Loc: -1, Coeff: -2. / 3}, {Loc: 1, Coeff: 2. / 3}, {Loc: 2, Coeff: -1. / 12}}, Derivative: 1, Step: step}
					want := fd.Derivative(f.Eval, x, &fd.Settings{Formula: s})
					if !close(got, want, 1e-7*(1+math.Abs(f.Eval(x)))) {
						t.Errorf("%s: got %v, finite difference %v", what, got, want)
					}
				}
				check("first", e, d.Eval(x))
				check("second", d, dd.Eval(x))
			})
		}
	}
}

// close: relative to the size of the values, at least 1.
func close(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

func goBackend(t testing.TB) compute.Backend {
	t.Helper()
	backend, err := compute.NewWithConfig("go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(backend.Finalize)
	return backend
}

// Graph against Eval, in value and in derivative, and autodiff of the graph
// against the symbolic derivative.
func TestGraph(t *testing.T) {
	backend := goBackend(t)
	for _, c := range table {
		t.Run(c.text, func(t *testing.T) {
			e := MustParse(c.text)
			d := e.Derivative()
			fn := func(x *graph.Node) (v, s, auto *graph.Node) {
				all := GraphAll(x, e, d)
				return all[0], all[1], graph.Gradient(graph.ReduceAllSum(all[0]), x)[0]
			}
			exec, err := graph.NewExec3(backend, fn)
			if err != nil {
				t.Fatal(err)
			}
			p32 := make([]float32, len(c.points))
			for i, x := range c.points {
				p32[i] = float32(x)
			}
			v, s, auto, err := exec.Call(c.points)
			if err != nil {
				t.Fatal(err)
			}
			v32, s32, auto32, err := exec.Call(p32)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range c.points {
				x32 := float64(p32[i])
				for _, k := range []struct {
					name           string
					got, want, tol float64
				}{
					// 1e-12: 1 − erf has lost three digits at 3.
					{"value", v.Value().([]float64)[i], e.Eval(x), 1e-12},
					{"slope", s.Value().([]float64)[i], d.Eval(x), 1e-12},
					{"autodiff", auto.Value().([]float64)[i], d.Eval(x), 1e-10},
					// 4e-6: some tens of ulp of float32, over the conditioning
					// of a formula of several terms.
					{"value float32", float64(v32.Value().([]float32)[i]), e.Eval(x32), 4e-6},
					{"slope float32", float64(s32.Value().([]float32)[i]), d.Eval(x32), 4e-6},
					{"autodiff float32", float64(auto32.Value().([]float32)[i]), d.Eval(x32), 2e-5},
				} {
					if !close(k.got, k.want, k.tol) {
						t.Errorf("%s at %v: got %v, want %v", k.name, x, k.got, k.want)
					}
				}
			}
		})
	}
}
