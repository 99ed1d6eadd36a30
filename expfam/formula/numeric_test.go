package formula

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
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
				// A step of 3e-4 of the scale of x leaves 1e-8 of truncation and of rounding in the 4-point rule.
				step := 3e-4 * math.Min(1, math.Max(0.02, math.Abs(x)))
				check := func(what string, f Expr, got float64) {
					want := must.Differences(f.Eval, x, step)
					must.Be(t, close(got, want, 1e-7*(1+math.Abs(f.Eval(x)))),
						"%s: got %v, finite difference %v", what, got, want)
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

// Graph against Eval, in value and in derivative, and autodiff of the graph against the symbolic derivative.
func TestGraph(t *testing.T) {
	enginetest.On(t, func(t *testing.T, eng *engine.Engine) {
		for _, c := range table {
			t.Run(c.text, func(t *testing.T) {
				e := MustParse(c.text)
				d := e.Derivative()
				fn := func(x *graph.Node) (v, s, auto *graph.Node) {
					all := GraphAll(x, e, d)
					return all[0], all[1], graph.Gradient(graph.ReduceAllSum(all[0]), x)[0]
				}
				exec := must.Get(graph.NewExec3(eng.Backend, fn))(t)
				p32 := make([]float32, len(c.points))
				rounded := make([]float64, len(c.points))
				for i, x := range c.points {
					p32[i] = float32(x)
					rounded[i] = float64(p32[i])
				}
				check := func(input any, points []float64, tol, gradTol float64) {
					v, s, auto, err := exec.Call(input)
					must.Do(t, err)
					for i, x := range points {
						got, want := enginetest.Float64s(v)[i], e.Eval(x)
						must.Be(t, close(got, want, tol), "%T value at %v: got %v, want %v", input, x, got, want)
						got, want = enginetest.Float64s(s)[i], d.Eval(x)
						must.Be(t, close(got, want, tol), "%T slope at %v: got %v, want %v", input, x, got, want)
						got, want = enginetest.Float64s(auto)[i], d.Eval(x)
						must.Be(t, close(got, want, gradTol), "%T gradient at %v: got %v, want %v", input, x, got, want)
					}
				}
				// 4e-6: some tens of ulp of float32, over the conditioning of a formula of several terms.
				check(p32, rounded, 4e-6, 2e-5)
				if eng.String() == "go" { // ONNX Runtime has no Erf in float64
					// 1e-12: 1 − erf has lost three digits at 3.
					check(c.points, c.points, 1e-12, 1e-10)
				}
			})
		}
	})
}

// Powers above 1 have the slope 0 at 0, where the roots and logarithms that they are made of have infinite slopes.
func TestPowersAtZero(t *testing.T) {
	enginetest.On(t, func(t *testing.T, eng *engine.Engine) {
		for _, text := range []string{"x^1.5", "x^2.5", "x^65", "x^66"} {
			exec := must.Get(graph.NewExec2(eng.Backend, func(x *graph.Node) (v, slope *graph.Node) {
				v = GraphAll(x, MustParse(text))[0]
				return v, graph.Gradient(graph.ReduceAllSum(v), x)[0]
			}))(t)
			v, slope, err := exec.Call([]float32{0})
			must.Do(t, err)
			got := append(enginetest.Float64s(v), enginetest.Float64s(slope)...)
			must.Be(t, math.Abs(got[0]) < 1e-30 && math.Abs(got[1]) < 1e-15, "%s: value and slope %v at 0", text, got)
		}
	})
}

// The tail functions against 1/mills(u) = Φ(−u)/φ(u) = ∫₀^∞ exp(−ut − t²/2) dt by quadrature.
func TestTails(t *testing.T) {
	for _, u := range []float64{-5, -1, 0, 1, 2.9, 3.9, 4, 4.1, 7, 20, 100} {
		t.Run(fmt.Sprint(u), func(t *testing.T) {
			end := 12 - math.Min(u, 0) // the integrand is below e⁻⁷² of its peak there
			if u > 1 {
				end = 45 / u
			}
			ratio := quad.Fixed(func(t float64) float64 { return math.Exp(-u*t - t*t/2) }, 0, end, 200, quad.Legendre{},
				0)
			density := -u*u/2 - math.Log(2*math.Pi)/2
			for _, c := range []struct {
				name      string
				got, want float64
			}{
				{"mills", mills(u), 1 / ratio},
				{"lognormcdf", lognormcdf(-u), density + math.Log(ratio)},
				{"normcdf", normcdf(-u), math.Exp(density) * ratio},
			} {
				// Some ulp, of u²/2 inside the exponential as well.
				if tol := 2e-14 * (1 + u*u/50); math.Abs(c.got-c.want) > tol*math.Abs(c.want)+1e-15 {
					t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
				}
			}
		})
	}
}

// Relative accuracy in float32 where the plain formula of each function under- or overflows or cancels.
func TestGraphExtreme(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range []struct {
			text   string
			points []float32
			tol    float64
		}{
			// 1e-6: a few ulp. The exponential of −u²/2 loses u²/2 ulp more.
			{"sigmoid(x)", []float32{-80, -15, -1, 0, 15, 80}, 1e-6},
			{"softplus(x)", []float32{-80, -15, -1, 0, 15, 80, 1e4}, 1e-6},
			{"lognormcdf(x)", []float32{-1000, -80, -12, -2.1, -1.9, 0.5, 2.1, 5}, 2e-6},
			{"lognormcdf(x)", []float32{7, 12}, 1e-5},
			{"normcdf(x)", []float32{-12, -5, -2.1, 0, 3}, 1e-5},
			{"mills(x)", []float32{-5, 0, 1.9, 2.1, 80, 1e4}, 2e-6},
			{"log1mexp(x)", []float32{1e-6, 0.1, 0.7, 5, 60}, 1e-6},
			{"expm1(x)", []float32{-60, -1e-6, 1e-6, 0.9, 1.1, 60}, 1e-6},
			{"log1p(x)", []float32{-0.9, -1e-6, 1e-6, 0.1, 1e20}, 1e-6},
			{"logit(x)", []float32{1e-30, 0.1, 0.9}, 1e-6},
			{"logit(1-exp(-exp(x)))", []float32{-30, -1, 1, 4}, 2e-6},
			{"log(1+exp(x))/x", []float32{-80, 80}, 1e-6},
		} {
			t.Run(c.text, func(t *testing.T) {
				f := MustParse(c.text)
				exec := must.Get(graph.NewExec1(e.Backend, f.Graph))(t)
				out := must.Get(exec.Call(c.points))(t)
				for i, got := range out.Value().([]float32) {
					want := f.Eval(float64(c.points[i]))
					if !(math.Abs(float64(got)-want) <= c.tol*math.Abs(want)) {
						t.Errorf("at %v: got %v, want %v, relative error %.1e", c.points[i], got, want,
							float64(got)/want-1)
					}
				}
			})
		}
	})
}
