package diffusion

import (
	"fmt"
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/internal/must"
)

// pair sums two cells with weights 1 and 2.
type pair struct{ h *sparse.Matrix }

func newPair() pair {
	return pair{sparse.New(1, 2, func(_ int, visit func(int, float64)) { visit(0, 1); visit(1, 2) })}
}

func (pair) String() string                            { return "pair" }
func (p pair) Dims() (data, cells int)                 { return 1, 2 }
func (p pair) Apply(x *g.Node) *g.Node                 { return p.h.Apply(x) }
func (p pair) Adjoint(y *g.Node) *g.Node               { return p.h.Transpose().Apply(y) }
func (p pair) Row(k int, visit func(c int, w float64)) { p.h.Row(k, visit) }

// The log of a sum of two log-normal rates whose logarithms are correlated by .6 has the moments that match mean and
// variance of the sum, down to variances that float32 loses beside 1: with all pairs, and with the spread of the row.
func TestSeenSums(t *testing.T) {
	terms := must.Get(expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)"),
		Operator: expfam.SumOf{Operator: newPair()}}.Terms())(t)
	forward := must.Get(terms.Forward(2))(t)
	const rho = 0.6
	m := []float64{0.3, -0.4}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, variance := range []float64{0.5, 1e-3, 1e-8} {
			for _, whole := range []bool{true, false} {
				t.Run(fmt.Sprint(variance, whole), func(t *testing.T) {
					got := enginetest.Call(t, e, func(mean, v, table *g.Node) []*g.Node {
						p := &Point{Mean: mean, Var: v, varianceRatio: table}
						if whole {
							p.correlation, p.varianceRatio = table, nil
						}
						s := graphPart{forward.Parts[0]}.linearise(p)
						return []*g.Node{s.mean, s.variance, s.back(g.Const(mean.Graph(), [][]float32{{3}}))}
					}, [][]float32{{float32(m[0]), float32(m[1])}}, [][]float32{{float32(variance), float32(variance)}},
						tableFor(whole, rho))
					var total, squares float64
					w := []float64{1, 2}
					a := []float64{math.Exp(1 + m[0] + variance/2), math.Exp(1 + m[1] + variance/2)}
					for i := range a {
						total += w[i] * a[i]
						for j := range a {
							r := rho
							if i == j {
								r = 1
							}
							squares += w[i] * w[j] * a[i] * a[j] * math.Expm1(r*variance)
						}
					}
					want := math.Log1p(squares / (total * total))
					// Float32. The spread of a row takes its weights for those of equal
					// cells, here wrong by up to a tenth.
					tol := 1e-5
					if !whole {
						tol = 0.1
					}
					must.Be(t, math.Abs(got[1][0]/want-1) <= tol, "variance %.6g, want %.6g", got[1][0], want)
					must.Absolute(t, "mean", got[0][0], math.Log(total)-want/2, 1e-6+tol*want)
					for j := range a { // three times the square of the slope of log θ
						slope := w[j] * a[j] / total
						if want := 3 * slope * slope; math.Abs(got[2][j]/want-1) > 1e-5 {
							t.Errorf("cell %d gets %.6g back, want %.6g", j, got[2][j], want)
						}
					}
				})
			}
		}
	})
}

// tableFor are all pairs, or the spread (1 + 4 + 2·2·ρ)/5 of the row.
func tableFor(whole bool, rho float32) [][]float32 {
	if whole {
		return [][]float32{{1, rho}, {rho, 1}}
	}
	return [][]float32{{(5 + 4*rho) / 5}}
}
