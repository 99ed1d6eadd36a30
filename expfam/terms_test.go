package expfam

import (
	"fmt"
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/diff/fd"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// tabulated is the same link as a Go function.
func tabulated(l Link) Link { return Must(TableLink(l.String(), l.At)) }

type termCase struct {
	family Family
	link   Link
	cell   Term
}

// links are the formula and, unless its values round to an end of the interval, which is
// accepted of formulas alone, the same link as a Go function.
func (c termCase) links() map[string]Link {
	links := map[string]Link{"formula": c.link}
	if n := c.family.Natural(); c.link.At(checkRange) < n.High {
		links["function"] = tabulated(c.link)
	}
	return links
}

var termCases = []termCase{
	{Binomial{}, MustLink("sigmoid(5*x)"), Term{Stat: 7, Size: 30}},
	{Poisson{}, MustLink("softplus(5*x)"), Term{Stat: 3, Size: 2}},
	{Binomial{}, MustLink("normcdf(x)"), Term{Stat: 7, Size: 30}},
	{Normal{}, MustLink("x+0.5*tanh(x)"), Term{Stat: 1.3, Size: 2}},
	{Poisson{}, MustLink("exp(5+x)"), Term{Stat: 160, Size: 1}},
	{Binomial{}, MustLink("1-exp(-exp(x))"), Term{Stat: 7, Size: 30}},
	{Exponential{}, MustLink("1/exp(x)"), Term{Stat: 4, Size: 3}},
	{NormalVariance{}, ExpLink, Term{Stat: 2.5, Size: 3}},
}

func mustTerms(t testing.TB, f Family, l Link) *Terms {
	t.Helper()
	return must.Get(Likelihood{Family: f, Link: l}.Terms())(t)
}

// near: relative to the larger value, at least 1.
func near(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

// The host functions against η and A at θ as they are written, and against
// finite differences; as a formula and as a Go function.
func TestTermsHost(t *testing.T) {
	for _, c := range termCases {
		for name, link := range c.links() {
			t.Run(fmt.Sprintf("%v/%v/%s", c.family, c.link, name), func(t *testing.T) {
				terms := mustTerms(t, c.family, link)
				for _, x := range []float64{-1.2, -0.3, 0.2, 0.9} {
					theta := c.link.At(x)
					n := c.family.Natural()
					want := c.cell.Stat*n.Eta.Eval(theta) - c.cell.Size*n.Partition.Eval(theta)
					got := terms.LogLik(x, c.cell)
					must.Be(t, near(got, want, 1e-11), "LogLik(%v) = %v, want %v", x, got, want)
					// Central differences with step 1e-4 and 1e-8 of truncation,
					// times derivatives of up to some hundreds.
					slope := fd.Derivative(func(x float64) float64 { return terms.LogLik(x, c.cell) }, x,
						&fd.Settings{Formula: fd.Central, Step: 1e-4})
					got = terms.Slope(x, c.cell)
					must.Be(t, near(got, slope, 3e-6), "Slope(%v) = %v, finite difference %v", x, got, slope)
					information := -fd.Derivative(func(x float64) float64 { return terms.Slope(x, c.cell) }, x,
						&fd.Settings{Formula: fd.Central, Step: 1e-4})
					if got := terms.Information(x, c.cell); !near(got, information, 3e-6) {
						t.Errorf("Information(%v) = %v, finite difference %v", x, got, information)
					}
				}
				must.Equal(t, terms.LogLik(800, Term{}), 0, "a cell without data adds")
				must.Equal(t, terms.LogLik(0.1, Term{Base: 2}), 2, "a base of 2 adds")
			})
		}
	}
}

// The graph against the host, with a batch of x, one row of observations, and a missing cell at an x that overflows.
func TestTermsGraph(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range enginetest.Short(e, 3, termCases) {
			for name, link := range c.links() {
				t.Run(fmt.Sprintf("%v/%v/%s", c.family, c.link, name), func(t *testing.T) {
					terms := mustTerms(t, c.family, link)
					graph := func(in []*g.Node) []*g.Node {
						v, s, h := terms.Graph(in[0], in[1], in[2])
						return []*g.Node{v, s, h, g.Gradient(g.ReduceAllSum(v), in[0])[0]}
					}
					x := [][]float32{{-1.2, 0.2, 1e30}, {-0.3, 0.9, float32(math.Inf(-1))}}
					stat := []float32{float32(c.cell.Stat), float32(c.cell.Stat), 0}
					size := []float32{float32(c.cell.Size), float32(c.cell.Size), 0}
					out := enginetest.Call(t, e, graph, x, stat, size)
					exact := Term{Stat: float64(stat[0]), Size: float64(size[0])}
					for i, row := range x {
						for j, v := range row {
							at := 3*i + j
							if j == 2 {
								for k := range out {
									must.Equal(t, out[k][at], 0, "missing cell at", v, "output", k)
								}
								continue
							}
							x := float64(v)
							// 2e-5: the two parts of a term are up to 30 times its value, each known to a few ulp of
							// 6e-8. A function loses up to ten times more, in 1 − θ.
							tol := 2e-5
							if name == "function" {
								tol = 2e-4
							}
							for k, want := range []float64{terms.LogLik(x, exact), terms.Slope(x, exact),
								terms.Information(x, exact), terms.Slope(x, exact)} {
								got := out[k][at]
								must.Be(t, near(got, want, tol), "output %d at %v: got %v, want %v", k, x, got, want)
							}
						}
					}
				})
			}
		}
	})
}

// At x = ±30 the composition of sigmoid(5x) with the binomial must be exact in float32, where θ itself is 0 or 1.
// References by hand: with u = 5x = ±150, exp(−150) = 7.2e-66 is 0 in float32.
func TestTermsExtreme(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		terms := mustTerms(t, Binomial{}, MustLink("sigmoid(5*x)"))
		for _, c := range []struct {
			name       string
			x          float32
			stat, size float32
			want       [3]float64
		}{
			{"eta", 30, 1, 0, [3]float64{150, 5, 0}},
			{"eta", -30, 1, 0, [3]float64{-150, 5, 0}},
			{"A", 30, 0, 1, [3]float64{-150, -5, 0}},
			{"A", -30, 0, 1, [3]float64{0, 0, 0}},
			// u = −15 is inside float32: log1p(e⁻¹⁵), 5σ(−15), 25σ(−15)σ(15)
			{"A", -3, 0, 1, [3]float64{-3.0590227441029e-7, -5 * 3.0590222692562e-7, -25 * 3.0590213334999e-7}},
			{"all", -3, 2, 5, [3]float64{-30 - 5*3.0590227441029e-7, 10 - 25*3.0590222692562e-7,
				-125 * 3.0590213334999e-7}},
		} {
			t.Run(fmt.Sprintf("%s/%v", c.name, c.x), func(t *testing.T) {
				out := enginetest.Call(t, e, func(in []*g.Node) []*g.Node {
					v, s, h := terms.Graph(in[0], in[1], in[2])
					return []*g.Node{v, s, h}
				}, []float32{c.x}, []float32{c.stat}, []float32{c.size})
				c.want[2] = -c.want[2] // the table has ∂²
				for k, want := range c.want {
					// Relative 1e-6, and the smallest normal float32.
					must.Absolute(t, fmt.Sprintf("output %d:", k), out[k][0], want, 1e-6*math.Abs(want)+1.2e-38)
				}
			})
		}
	})
}

func TestLikelihoodText(t *testing.T) {
	l := Likelihood{Family: Poisson{}, Link: MustLink("exp(5+x)")}
	must.Equal(t, l.String(), "poisson with theta = exp(x+5)")
	must.Equal(t, l.LaTeX(), `y \mid x \sim \mathrm{poisson}\left(\theta\right), \quad \theta = e^{x + 5}`)
	must.Equal(t, (Likelihood{Family: Poisson{}}).String(), "poisson with theta = exp(x)", "default link")
}

// u(g⁻¹(x)): log exp(5+x) = 5+x, exactly, and the same through a function.
func TestCoordinate(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for name, c := range map[string]struct {
			l    Likelihood
			tol  float64
			want []float64
		}{
			"formula":  {Likelihood{Family: Poisson{}, Link: MustLink("exp(5+x)")}, 0, []float64{-95, 5, 105}},
			"function": {Likelihood{Family: Binomial{}, Link: Must(TableLink("logistic", logistic))}, 1e-5, nil},
		} {
			t.Run(name, func(t *testing.T) {
				x := []float32{-100, 0, 100}
				if c.want == nil {
					x, c.want = []float32{-3, 0, 3}, []float64{-3, 0, 3}
				}
				u := Must(c.l.Terms()).Coordinate()
				got := enginetest.Call(t, e, func(in []*g.Node) []*g.Node { return []*g.Node{u(in[0])} }, x)[0]
				for i := range got {
					must.Be(t, near(got[i], c.want[i], c.tol), "got %v, want %v", got, c.want)
				}
			})
		}
	})
}

func BenchmarkTermsHost(b *testing.B) {
	terms := mustTerms(b, Binomial{}, MustLink("sigmoid(5*x)"))
	c := Term{Stat: 3, Size: 10}
	for b.Loop() {
		_ = terms.Slope(0.3, c)
	}
}
