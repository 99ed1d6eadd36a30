package diffusion

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// spectral is U diag(values) Uᵀ for a fixed rotation U of as many cells.
func spectral(values ...float64) (m, root *mat.SymDense) {
	d := len(values)
	rough := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			rough.Set(i, j, math.Cos(float64(1+i*d+3*j*j)))
		}
	}
	var qr mat.QR
	qr.Factorize(rough)
	var u mat.Dense
	qr.QTo(&u)
	m, root = mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	for k, v := range values {
		m.SymRankOne(m, v, u.ColView(k))
		root.SymRankOne(root, math.Sqrt(math.Max(v, 0)), u.ColView(k))
	}
	return m, root
}

// As many steps of Lanczos as a matrix has different eigenvalues give its root exactly; what
// follows them is nothing, and an eigenvalue below zero counts as zero.
func TestRootTimes(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range []struct {
			name   string
			values []float64
			steps  int
		}{
			{"four cells", []float64{0.1, 0.5, 2, 1.4}, 4},
			{"three eigenvalues", []float64{0, 0, 0.3, 0.3, 2, 2}, 3},
			{"steps to spare", []float64{0.5, 0.5, 2, 2, 2}, 5},
			{"negative", []float64{-0.3, 0.2, 1, 3}, 4},
			{"one cell", []float64{1}, 3},
		} {
			if e.String() != "go" && c.name != "negative" {
				continue // the same graph, which takes long to compile
			}
			m, root := spectral(c.values...)
			z := mat.NewDense(1, len(c.values), nil)
			for j := range c.values {
				z.Set(0, j, math.Sin(float64(2+3*j)))
			}
			for _, dtype := range enginetest.DTypes {
				out := enginetest.Call(t, e, func(m, z *g.Node) *g.Node {
					return rootTimes(func(q *g.Node) *g.Node { return g.MatMul(q, m) }, z, c.steps)
				}, tensorOf(dtype, mat.DenseCopyOf(m)), tensorOf(dtype, z))[0]
				var want mat.Dense
				want.Mul(z, root)
				// The root of an eigenvalue of rounding's size is that of rounding.
				tol := 1e-6
				if dtype == dtypes.Float32 {
					tol = 2e-3
				}
				for j, v := range out {
					must.Absolute(t, fmt.Sprintf("%s, %v: cell %d", c.name, dtype, j), v, want.At(0, j), tol)
				}
			}
		}
	})
}
