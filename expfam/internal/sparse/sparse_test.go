package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
)

// random is a matrix with a share of weights that are not 0, and rows without any.
func random(rows, cols int, share float64) *Matrix {
	rng := rand.New(rand.NewPCG(1, uint64(rows)))
	return New(rows, cols, func(k int, visit func(int, float64)) {
		for j := range cols {
			if w := rng.NormFloat64(); k%5 != 3 && rng.Float64() < share {
				visit(j, w)
			}
		}
	})
}

// H and Hᵀ on graphs are those of the host, and ⟨Hx, y⟩ = ⟨x, Hᵀy⟩, dense and sparse.
func TestMatrix(t *testing.T) {
	for _, share := range []float64{0.03, 0.5} {
		m := random(23, 41, share)
		back := m.Transpose()
		rng := rand.New(rand.NewPCG(2, 0))
		x, y := [][]float64{make([]float64, 41), make([]float64, 41)}, [][]float64{make([]float64, 23), make([]float64, 23)}
		for _, rows := range [][][]float64{x, y} {
			for _, row := range rows {
				for i := range row {
					row[i] = rng.NormFloat64()
				}
			}
		}
		enginetest.On(t, func(t *testing.T, e *engine.Engine) {
			got := enginetest.Call(t, e, func(x, y *g.Node) []*g.Node { return []*g.Node{m.Apply(x), back.Apply(y)} }, x, y)
			for b := range x {
				hx, hy := make([]float64, 23), make([]float64, 41)
				m.MulVec(hx, x[b])
				m.MulTransVec(hy, y[b])
				var left, right float64
				for k := range hx {
					left += hx[k] * y[b][k]
					same(t, fmt.Sprintf("row %d", k), got[0][b*23+k], hx[k])
				}
				for j := range hy {
					right += x[b][j] * hy[j]
					same(t, fmt.Sprintf("column %d", j), got[1][b*41+j], hy[j])
				}
				same(t, "inner product", left, right)
			}
		})
	}
}

// same is equality up to rounding of sums of some dozen products in float64.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}
