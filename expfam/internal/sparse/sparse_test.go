package sparse

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// random is a matrix with a share of weights that are not 0: more of them in every
// seventh row, and none in every fifth.
func random(rows, cols int, share float64) *Matrix {
	rng := rand.New(rand.NewPCG(1, uint64(rows)))
	return New(rows, cols, func(k int, visit func(int, float64)) {
		own := share
		if k%7 == 2 {
			own *= 8
		}
		for j := range cols {
			if w := rng.NormFloat64(); k%5 != 3 && rng.Float64() < own {
				visit(j, w)
			}
		}
	})
}

// H and Hᵀ on graphs are those of the host, and ⟨Hx, y⟩ = ⟨x, Hᵀy⟩: of small and of dense
// matrices, and by groups of rows that are narrow and wide.
func TestMatrix(t *testing.T) {
	for _, c := range []struct {
		name       string
		rows, cols int
		share      float64
		groups     int // 0: a product with the whole matrix
	}{{"unequal rows", 500, 400, 0.002, 1}, {"small", 23, 41, 0.03, 0}, {"dense", 130, 170, 0.2, 0},
		{"grouped", 240, 400, 0.02, 3}} {
		t.Run(c.name, func(t *testing.T) {
			m := random(c.rows, c.cols, c.share)
			back := m.Transpose()
			got := len(m.productOf(dtypes.Float64).groups)
			must.Be(t, (got == 0) == (c.groups == 0) && got >= c.groups, "%d groups, want %d or more", got, c.groups)
			rng := rand.New(rand.NewPCG(2, 0))
			x, y := [][]float64{make([]float64, c.cols), make([]float64, c.cols)}, [][]float64{make([]float64, c.rows),
				make([]float64, c.rows)}
			for _, rows := range [][][]float64{x, y} {
				for _, row := range rows {
					for i := range row {
						row[i] = rng.NormFloat64()
					}
				}
			}
			enginetest.On(t, func(t *testing.T, e *engine.Engine) {
				got := enginetest.Call(t, e, func(x, y *g.Node) []*g.Node {
					return []*g.Node{m.Apply(x), back.Apply(y)}
				}, x, y)
				for b := range x {
					hx, hy := make([]float64, c.rows), make([]float64, c.cols)
					m.MulVec(hx, x[b])
					m.MulTransVec(hy, y[b])
					var left, right float64
					for k := range hx {
						left += hx[k] * y[b][k]
						same(t, fmt.Sprintf("row %d", k), got[0][b*c.rows+k], hx[k])
					}
					for j := range hy {
						right += x[b][j] * hy[j]
						same(t, fmt.Sprintf("column %d", j), got[1][b*c.cols+j], hy[j])
					}
					same(t, "inner product", left, right)
				}
			})
		})
	}
}

// In float32 weights and products are rounded, 6e-8 each, of sums of some dozen numbers of order one.
func TestMatrixInFloat32(t *testing.T) {
	m := random(240, 400, 0.02)
	x, single := make([]float64, 400), [][]float32{make([]float32, 400)}
	rng := rand.New(rand.NewPCG(3, 0))
	for j := range x {
		single[0][j] = float32(rng.NormFloat64())
		x[j] = float64(single[0][j])
	}
	want := make([]float64, 240)
	m.MulVec(want, x)
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		got := enginetest.Call(t, e, func(x *g.Node) []*g.Node { return []*g.Node{m.Apply(x)} }, single)
		for k, v := range want {
			must.Absolute(t, fmt.Sprintf("row %d", k), got[0][k], v, 1e-5)
		}
	})
}

// BenchmarkApply is a product of 32 vectors with the sizes of a tomogram of 64×64 cells
// from 60 angles, and with four weights a row.
func BenchmarkApply(b *testing.B) {
	for _, width := range []int{4, 90} {
		rng := rand.New(rand.NewPCG(1, 2))
		m := New(3840, 4096, func(k int, visit func(int, float64)) {
			first, step := rng.IntN(4096), 4096/width
			for i := range width - rng.IntN(width/2) {
				visit((first+i*step)%4096, rng.Float64())
			}
		})
		x := make([]float32, 32*4096)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		b.Run(fmt.Sprint("width=", width), func(b *testing.B) {
			enginetest.Benchmark(b, func(b *testing.B, e *engine.Engine) {
				in := tensors.FromFlatDataAndDimensions(x, 32, 4096)
				exec := must.Get(g.NewExec(e.Backend, m.Apply))(b)
				defer exec.Finalize()
				for b.Loop() {
					out := must.Get(exec.Call(in))(b)
					must.Do(b, engine.Release(out...))
				}
			})
		})
	}
}

// same is equality up to rounding of sums of some dozen products in float64.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	must.Absolute(t, what, got, want, 1e-12)
}
