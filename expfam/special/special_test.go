package special_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mathext"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/special"
	"github.com/expfam/lab/internal/must"
)

type node = graph.Node

var oneArgument = map[string]func(x *node) *node{
	"LogGamma": special.LogGamma, "Digamma": special.Digamma, "Trigamma": special.Trigamma,
	"LogGammaStirling": special.LogGammaStirling, "DigammaMinusLog": special.DigammaMinusLog,
	"TrigammaMinusInverse": special.TrigammaMinusInverse, "Softplus": special.Softplus, "Sigmoid": special.Sigmoid,
	"Log1p": special.Log1p, "Log1pMx": special.Log1pMx, "Expm1": special.Expm1, "ExpM1Mx": special.ExpM1Mx,
	"Erf": special.Erf, "Erfcx": special.Erfcx,
}

var twoArguments = map[string]func(a, t *node) *node{
	"LogGammaRatio": special.LogGammaRatio, "DigammaRatio": special.DigammaRatio,
	"DigammaDifference": special.DigammaDifference, "TrigammaDifference": special.TrigammaDifference,
}

// tolerance of a function's value v at (a, t): relative error times scale.
func scale(name string, x []float64, v float64) float64 {
	switch s := math.Abs(v); name {
	case "Digamma":
		return max(s, 0.1) // a root at 1.46
	case "LogGammaRatio":
		// D(a,1) = 0 comes from terms of size T/a.
		return max(s, x[1]/max(x[0], 1))
	case "DigammaRatio":
		// Roots near T = 1.
		return max(s, x[1]/x[0]/max(x[0], 1))
	case "LogGammaStirling":
		return max(s, 1) // roots
	default:
		return s
	}
}

//go:embed testdata/reference.json
var referenceJSON []byte

func TestReference(t *testing.T) {
	var reference map[string][][]float64
	must.Do(t, json.Unmarshal(referenceJSON, &reference))
	must.Need(t, len(reference) == len(oneArgument)+len(twoArguments),
		"reference has %d functions, tests %d", len(reference), len(oneArgument)+len(twoArguments))
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for name, rows := range reference {
			for _, dtype := range enginetest.DTypes {
				t.Run(name+"/"+dtype.String(), func(t *testing.T) {
					x := make([][]float64, len(rows[0])-1)
					for k := range x {
						for _, row := range rows {
							x[k] = append(x[k], row[k])
						}
					}
					var out [][]float64
					if f := oneArgument[name]; f != nil {
						out = enginetest.Call(t, e, f, enginetest.Column(dtype, x[0]))
					} else {
						out = enginetest.Call(t, e, twoArguments[name], enginetest.Column(dtype, x[0]),
							enginetest.Column(dtype, x[1]))
					}
					// A few units in the last place: 6e-8 and 1.1e-16.
					tol := 2e-6
					if dtype == dtypes.Float64 {
						tol = 2e-14
					}
					worst := 0.
					for i, got := range out[0] {
						row := rows[i]
						want := row[len(row)-1]
						err := math.Abs(got-want) / scale(name, row[:len(row)-1], want)
						if left := math.Abs(got) * 1000; want == 0 && !(err <= left) {
							// Where terms of order one cancel, fused products
							// leave a part of their own rounding errors.
							err = left
						}
						if !(err <= tol) {
							t.Errorf("%v: got %g, want %g, relative error %.2g", row[:len(row)-1], got, want, err)
						}
						worst = max(worst, err)
					}
					t.Logf("worst relative error %.2g", worst)
				})
			}
		}
	})
}

func TestGradientsAreTheDerivatives(t *testing.T) {
	x := []float64{1e-3, 0.3, 0.7, 1, 1.46, 2, 2.4, 2.7, 3.5, 7.5, 8.5, 30, 1e3, 1e5}
	w := []float64{-0.9, -0.5, -0.3, -0.01, 1e-4, 0.3, 0.6, 0.8, 3, 20}
	host := enginetest.Open(t, "go")
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for name, f := range oneArgument {
			t.Run(name, func(t *testing.T) {
				at := x
				if name[0] == 'S' || name[0] == 'E' && name != "Erfcx" || name == "Log1p" || name == "Log1pMx" {
					at = w
				}
				in := enginetest.Column(dtypes.Float64, at)
				out := enginetest.Call(t, e, func(x *node) []*node {
					first := graph.Gradient(graph.ReduceAllSum(f(x)), x)[0]
					return []*node{first, graph.Gradient(graph.ReduceAllSum(first), x)[0]}
				}, in)
				first, second := out[0], out[1]
				value := evaluator(t, host, func(x *node) *node { return f(x) })
				slope := evaluator(t, host, func(x *node) *node {
					return graph.Gradient(graph.ReduceAllSum(f(x)), x)[0]
				})
				for i, u := range at {
					// Differences of fourth order with step h lose h⁴ and rounding over h.
					h := 1e-4 * min(1, math.Abs(u))
					for order, pair := range [][2]float64{
						{first[i], must.Differences(value, u, h)}, {second[i], must.Differences(slope, u, h)},
					} {
						if got, want := pair[0], pair[1]; math.Abs(got-want) > 2e-6*(math.Abs(want)+1e-4)+1e-15/h {
							t.Errorf("derivative %d at %g: got %g, differences give %g", order+1, u, got, want)
						}
					}
				}
			})
		}
	})
}

func TestGradientsInTwoArguments(t *testing.T) {
	var a, n []float64
	for _, u := range []float64{1e-2, 0.5, 3, 7.99, 8.01, 50, 4000} {
		for _, v := range []float64{0.5, 1, 3, 70, 3000} {
			a, n = append(a, u), append(n, v)
		}
	}
	host := enginetest.Open(t, "go")
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for name, f := range twoArguments {
			t.Run(name, func(t *testing.T) {
				out := enginetest.Call(t, e, func(a, n *node) []*node {
					return graph.Gradient(graph.ReduceAllSum(f(a, n)), a, n)
				}, a, n)
				da, dn := out[0], out[1]
				value := evaluator2(t, host, f)
				for i := range a {
					ha, hn := 1e-4*a[i], 1e-4*n[i]
					wa := must.Differences(func(u float64) float64 { return value(u, n[i]) }, a[i], ha)
					wn := must.Differences(func(u float64) float64 { return value(a[i], u) }, n[i], hn)
					// Rounding of the value and of its terms, over the step.
					rounding := 1e-14 * (math.Abs(value(a[i], n[i])) + 1 + n[i]/a[i])
					if math.Abs(da[i]-wa) > 1e-6*math.Abs(wa)+rounding/ha {
						t.Errorf("d/da at (%g, %g): got %g, differences give %g", a[i], n[i], da[i], wa)
					}
					if math.Abs(dn[i]-wn) > 1e-6*math.Abs(wn)+rounding/hn {
						t.Errorf("d/dT at (%g, %g): got %g, differences give %g", a[i], n[i], dn[i], wn)
					}
				}
			})
		}
	})
}

func TestMissingCellIsExactlyZero(t *testing.T) {
	a := []float64{1e-12, 1e-3, 0.7, 5, 7.999, 8, 100, 1e4, 1e7, 1e12}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, dtype := range enginetest.DTypes {
			out := enginetest.Call(t, e, func(a *node) []*node {
				d := special.LogGammaRatio(a, graph.ZerosLike(a))
				return []*node{d, graph.Gradient(graph.ReduceAllSum(d), a)[0]}
			}, enginetest.Column(dtype, a))
			for k, what := range []string{"value", "gradient"} {
				for i, v := range out[k] {
					must.Equal(t, v, 0, dtype, what, "of D", a[i], "0")
				}
			}
		}
	})
}

func TestFiniteEverywhere(t *testing.T) {
	var a, n []float64
	for _, u := range []float64{-1, 0, 1e-30, 1e-6, 0.5, 1, 2, 3, 8, 1e7, 1e20} {
		for _, v := range []float64{0, 1e-10, 1, 1e7} {
			a, n = append(a, u), append(n, v)
		}
	}
	big := []float64{-1e30, -1e4, -100, -1, 0, 1, 100, 1e4, 1e30}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, dtype := range enginetest.Short(e, 1, enginetest.DTypes) {
			check := func(name string, out [][]float64) {
				for k := range out {
					for i, v := range out[k] {
						must.Be(t, !math.IsNaN(v) && !math.IsInf(v, 0),
							"%s %s: output %d, element %d is %g", name, dtype, k, i, v)
					}
				}
			}
			for name, f := range oneArgument {
				at := a
				if name[0] == 'S' || name == "Expm1" || name == "ExpM1Mx" {
					at = big
				}
				check(name, enginetest.Call(t, e, func(x *node) []*node {
					y := f(x)
					return []*node{y, graph.Gradient(graph.ReduceAllSum(y), x)[0]}
				}, enginetest.Column(dtype, at)))
			}
			for name, f := range twoArguments {
				check(name, enginetest.Call(t, e, func(a, n *node) []*node {
					y := f(a, n)
					return append(graph.Gradient(graph.ReduceAllSum(y), a, n), y)
				}, enginetest.Column(dtype, a), enginetest.Column(dtype, n)))
			}
		}
	})
}

func TestAgainstGonum(t *testing.T) {
	var x []float64
	for u := 0.01; u < 60; u *= 1.07 {
		x = append(x, u)
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		out := enginetest.Call(t, e, func(x *node) []*node { return []*node{special.LogGamma(x), special.Digamma(x)} },
			x)
		lg, psi := out[0], out[1]
		for i, u := range x {
			want, _ := math.Lgamma(u)
			must.Absolute(t, fmt.Sprintf("LogGamma(%g)", u), lg[i], want, 1e-14*(1+math.Abs(want)))
			// mathext.Digamma stops its series at about 5e-11.
			if want := mathext.Digamma(u); math.Abs(psi[i]-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("Digamma(%g) = %g, mathext %g", u, psi[i], want)
			}
		}
	})
}

// evaluator runs f on pairs: ONNX Runtime 1.30 builds an invalid model when a
// gradient that starts from the constant 1 has a single element.
func evaluator(t *testing.T, e *engine.Engine, f func(x *node) *node) func(float64) float64 {
	exec := must.Get(graph.NewExec(e.Backend, f))(t)
	t.Cleanup(exec.Finalize)
	return func(x float64) float64 { return enginetest.Float64s(exec.MustCall([]float64{x, x})[0])[0] }
}

func evaluator2(t *testing.T, e *engine.Engine, f func(a, b *node) *node) func(a, b float64) float64 {
	exec := must.Get(graph.NewExec(e.Backend, f))(t)
	t.Cleanup(exec.Finalize)
	return func(a, b float64) float64 {
		return enginetest.Float64s(exec.MustCall([]float64{a, a}, []float64{b, b})[0])[0]
	}
}

// The derivative of Erfcx at large x is −1/(√π x²) (1 − 3/(2x²) + 15/(4x⁴) − …), where 2x Erfcx(x) − 2/√π cancels.
func TestTheSlopeOfErfcxDoesNotCancel(t *testing.T) {
	x := []float64{17, 100, 999, 1001, 3e3, 1e5, 1e8}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, dtype := range enginetest.DTypes {
			out := enginetest.Call(t, e, func(x *node) []*node {
				first := graph.Gradient(graph.ReduceAllSum(special.Erfcx(x)), x)[0]
				return []*node{first, graph.Gradient(graph.ReduceAllSum(first), x)[0]}
			}, enginetest.Column(dtype, x))
			for i, u := range x {
				h := 1 / (2 * u * u)
				first := -2 * h / math.SqrtPi * (1 - 3*h + 15*h*h - 105*h*h*h + 945*h*h*h*h)
				second := 4 * h / (u * math.SqrtPi) * (1 - 6*h + 45*h*h - 420*h*h*h + 4725*h*h*h*h)
				// The difference keeps 9 digits in float64 at x = 1000. The second derivative is 4x² times smaller
				// than its terms squared, so that it keeps 4 digits there.
				for k, want := range []float64{first, second} {
					tolerance := 1e-5
					if dtype == dtypes.Float64 {
						tolerance = []float64{1e-8, 1e-3}[k]
					}
					if got := out[k][i]; !(math.Abs(got/want-1) <= tolerance) {
						t.Errorf("%v: derivative %d at %g is %g, want %g", dtype, k+1, u, got, want)
					}
				}
			}
		}
	})
}
