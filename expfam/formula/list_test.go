package formula

import (
	"fmt"
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A list has the values of its expressions to the last bit, in any order, and also where they are not finite.
func TestList(t *testing.T) {
	for _, c := range table {
		e := MustParse(c.text)
		d := e.Derivative()
		for _, exprs := range [][]Expr{{e, d, d.Derivative(), e}, {d.Derivative(), e, d}} {
			l := Together(exprs...)
			work := l.Work()
			for _, x := range append(c.points, -1000, 0, 1000) {
				for i, got := range l.Eval(x, work) {
					want := exprs[i].Eval(x)
					must.Be(t, math.Float64bits(got) == math.Float64bits(want) || math.IsNaN(got) && math.IsNaN(want),
						"%s at %v: got %v, alone %v", exprs[i], x, got, want)
				}
			}
		}
	}
}

// Of a rate and its slope each exponential is taken once.
func TestListSharesValues(t *testing.T) {
	defer func(exp func(float64) float64) { functions["exp"].host = exp }(functions["exp"].host)
	calls := 0
	functions["exp"].host = func(x float64) float64 { calls++; return math.Exp(x) }
	e := MustParse("3*exp(2*x)+x*exp(2*x)")
	l := Together(e, e.Derivative())
	l.Eval(0.3, l.Work())
	must.Be(t, calls == 1, "%d calls of exp for %s and %s", calls, e, e.Derivative())
}

func BenchmarkList(b *testing.B) {
	for _, text := range []string{"exp(x)", "softplus(5*x)", "log(softplus(x))"} {
		e := MustParse(text)
		d := e.Derivative()
		b.Run(fmt.Sprint(e, "/alone"), func(b *testing.B) {
			for b.Loop() {
				_, _ = e.Eval(0.3), d.Eval(0.3)
			}
		})
		l := Together(e, d)
		work := l.Work()
		b.Run(fmt.Sprint(e, "/together"), func(b *testing.B) {
			for b.Loop() {
				_ = l.Eval(0.3, work)
			}
		})
	}
}
