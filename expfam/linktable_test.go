package expfam

import (
	"fmt"
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// tables are Go functions, and the same links as formulas.
var tables = []struct {
	family  Family
	f       func(x float64) float64
	formula string
}{
	{Poisson{}, math.Exp, "exp(x)"},
	{Poisson{}, func(x float64) float64 { return math.Exp(-3 * x) }, "exp(-3*x)"},
	{Poisson{}, func(x float64) float64 { return math.Log1p(math.Exp(5 * x)) }, "softplus(5*x)"},
	{Binomial{}, logistic, "sigmoid(x)"},
	{Binomial{}, func(x float64) float64 { return logistic(5 * x) }, "sigmoid(5*x)"},
	{Normal{}, func(x float64) float64 { return x + math.Tanh(x)/2 }, "x+0.5*tanh(x)"},
	{NormalVariance{}, math.Exp, "exp(x)"},
}

// η and A with their derivatives, against those of the formula, on the host in float64. The rounding of 1 − θ under
// sigmoid(5x) costs most of the digits at x = 3.6, where 1 − θ is 1.5e-8.
func TestTablesAgainstFormulas(t *testing.T) {
	for _, c := range tables {
		t.Run(c.family.String()+"/"+c.formula, func(t *testing.T) {
			exact := mustTerms(t, c.family, MustLink(c.formula))
			terms := mustTerms(t, c.family, Must(TableLink("f", c.f)))
			must.Equal(t, terms.Increasing(), exact.Increasing(), "increasing is")
			for x := -5.8; x < 5.8; x += 0.0137 {
				tolerance := [3]float64{1e-7, 1e-6, 1e-4}
				if c.formula == "sigmoid(5*x)" && x > 2 {
					tolerance = [3]float64{1e-6, 1e-5, 1e-3}
				}
				for k, tol := range tolerance {
					for which, pair := range map[string][2]float64{
						"eta": {terms.eta.at(k, x), exact.eta.at(k, x)},
						"A":   {terms.part.at(k, x), exact.part.at(k, x)}} {
						must.Need(t, near(pair[0], pair[1], tol),
							"order %d of %s at %.4g is %.9g, want %.9g", k, which, x, pair[0], pair[1])
					}
				}
			}
		})
	}
}

// The graph has the values of the host, inside of the table and beyond it, and its gradient is the slope.
func TestTablesOnGraphs(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range enginetest.Short(e, 2, tables) {
			t.Run(c.family.String()+"/"+c.formula, func(t *testing.T) {
				link := Must(TableLink("f", c.f))
				terms := mustTerms(t, c.family, link)
				x := []float32{-40, -6, -5.83, -1.2, -0.005, 0, 0.3, 1.7, 5.83, 7}
				out := enginetest.Call(t, e, func(in []*g.Node) []*g.Node {
					eta, part := terms.graphs(in[0], 0, 2)
					all := append(eta[:], part[:]...)
					return append(all, link.Inverse(in[0]), g.Gradient(g.ReduceAllSum(part[0]), in[0])[0])
				}, x)
				for i, v := range x {
					v := float64(v)
					for k := range 3 {
						// The place between two knots is known to 6e-5 in float32.
						if want := terms.eta.at(k, v); !near(out[k][i], want, 1e-4) {
							t.Errorf("order %d of eta at %g is %g, want %g", k, v, out[k][i], want)
						}
						if want := terms.part.at(k, v); !near(out[3+k][i], want, 1e-4) {
							t.Errorf("order %d of A at %g is %g, want %g", k, v, out[3+k][i], want)
						}
					}
					want := link.At(min(max(v, -5.84), 5.84))
					must.Be(t, near(out[6][i], want, 1e-4), "theta at %g is %g, want %g", v, out[6][i], want)
					if want := terms.part.at(1, v); !near(out[7][i], want, 1e-3) {
						t.Errorf("the gradient of A at %g is %g, want %g", v, out[7][i], want)
					}
				}
			})
		}
	})
}

// Beyond the table η and A are straight lines, and θ is the function.
func TestTablesContinueAsLines(t *testing.T) {
	link := Must(TableLink("growth", math.Exp))
	terms := mustTerms(t, Poisson{}, link)
	slope := math.Exp(5.84)
	for _, x := range []float64{6, 8, 30} {
		got, want := terms.LogLik(x, Term{Size: 1}), -slope*(1+x-5.84)
		must.Be(t, near(got, want, 1e-7), "log-likelihood of no event at %g is %g, want %g", x, got, want)
		got = terms.Slope(-x, Term{Stat: 1})
		must.Be(t, near(got, 1, 1e-7), "slope of eta at %g is %g, want 1", -x, got)
		must.Equal(t, terms.Information(x, Term{Size: 1}), 0, "information at", x)
		must.Equal(t, link.At(x), math.Exp(x), "theta at", x)
	}
	// A share of all but 2e-13 continues from where it is all but 1e-9.
	share := mustTerms(t, Binomial{}, Must(TableLink("share", func(x float64) float64 { return logistic(5 * x) })))
	for _, x := range []float64{4.5, 5.9} {
		got := share.Slope(x, Term{Stat: 3, Size: 3})
		must.Be(t, math.Abs(got) <= 1e-5, "slope of three of three at %g is %g, want 0", x, got)
		got = share.LogLik(x, Term{Stat: 2, Size: 3})
		must.Be(t, near(got, -5*x, 1e-5), "log-likelihood of two of three at %g is %g, want %g", x, got, -5*x)
	}
}

// Functions that are no links are refused by a sentence.
func TestTableLinkRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(x float64) float64
		says string
	}{
		"turns": {func(x float64) float64 { return math.Cosh(x - 1) },
			"it rises at x = 1|and falls at x = -6; it must"},
		"is flat": {func(x float64) float64 { return max(x, -2) },
			"theta = -2 at x = -6 and at -5.995; it must be strictly monotone"},
		"is a cube": {func(x float64) float64 { return x * x * x }, "its slope is 0 at x = 0"},
		"rounds": {func(x float64) float64 { return logistic(20 * x) },
			"theta = 1 at x = |write a link that rounds to the end of an interval as a formula"},
		"is no number": {func(x float64) float64 { return math.Log(x + 3) },
			"theta = NaN at x = -6; it must be finite for all x in [-6, 6]"},
		"is infinite": {func(x float64) float64 { return 1 / x }, "theta = +Inf at x = 0; it must be finite"},
		"jumps": {func(x float64) float64 {
			if x > 1.3 {
				return x + 1
			}
			return x
		}, "it jumps or bends near x = 1.|or write it as a formula"},
		"jumps a little": {func(x float64) float64 { return x + 0.01*math.Floor(x) }, "it jumps or bends near x = "},
		"bends":          {func(x float64) float64 { return max(x, 1.2*x) }, "it jumps or bends near x = "},
		"is rough":       {func(x float64) float64 { return x + 1e-4*math.Sin(1e7*x) }, "it jumps or bends near"},
		"is steep":       {func(x float64) float64 { return x + math.Tanh(80*x) }, "it jumps or bends near x = "},
		"panics": {func(x float64) float64 { return []float64{1, 2}[int(x)] },
			"it fails at x = -6: runtime error: index out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := TableLink("my link", c.f)
			must.Says(t, name, err, "link my link: |"+c.says)
		})
	}
}

// A link is known by its values.
func TestTableLinkKeys(t *testing.T) {
	key := func(name string, rate float64) string {
		terms := mustTerms(t, Poisson{}, Must(TableLink(name, func(x float64) float64 { return math.Exp(rate * x) })))
		f := Must(terms.Forward(3))
		return fmt.Sprint(terms.LinkKey(), f.Fingerprint())
	}
	first, again := key("growth", 1), key("growth", 1)
	must.Be(t, first == again, "the same function has two keys")
	must.Be(t, key("growth", 1) != key("growth", 1+1e-12) && key("growth", 1) != key("rate", 1),
		"another function or another name has the same key")
}

// A link of one's own without a formula is a table as well.
func TestOwnLinkIsATable(t *testing.T) {
	terms := mustTerms(t, Poisson{}, expLink{})
	if _, ok := terms.Formula(); ok || !near(terms.Slope(0.3, Term{Stat: 2, Size: 1}), 2-math.Exp(0.3), 1e-9) {
		t.Errorf("slope %g", terms.Slope(0.3, Term{Stat: 2, Size: 1}))
	}
}

func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		link := Must(TableLink("growth", math.Exp))
		mustTerms(b, Poisson{}, link)
	}
}
