package operator

import (
	"errors"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// separable is a convolution of a grid X, computed as Σ_t D_t X A_tᵀ. With the singular value
// decomposition K = Σ_t s_t u_t v_tᵀ of the kernel, D_t convolves columns with s_t u_t and A_t
// convolves rows with v_t. This is possible because the boundary acts on rows and on columns
// separately.
type separable struct {
	rows, cols, dataRows, dataCols, terms int
	across, acrossBack                    *sparse.Matrix // A_1 above A_2 …, (terms·dataCols, cols)
	down, downBack                        *sparse.Matrix // D_1 beside D_2 …, (dataRows, terms·rows)
}

// newSeparable decomposes a kernel and makes the matrices for a grid.
func newSeparable(taps [][]float64, b Boundary, rows, cols int) (separable, error) {
	high, wide := len(taps), len(taps[0])
	s := separable{rows: rows, cols: cols, dataRows: b.data(rows, high), dataCols: b.data(cols, wide)}
	kernel := mat.NewDense(high, wide, nil)
	for i, row := range taps {
		kernel.SetRow(i, row)
	}
	var svd mat.SVD
	if !svd.Factorize(kernel, mat.SVDThin) {
		return s, errors.New("operator: the singular values of the kernel do not converge; check its weights")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	// Smaller singular values are rounding errors of the weights.
	for s.terms < len(values) && values[s.terms] > 0x1p-52*values[0] {
		s.terms++
	}
	s.terms = max(s.terms, 1)
	s.across = merged(s.terms*s.dataCols, cols, func(k int, visit func(int, float64)) {
		for j := range wide {
			if c := b.source(k%s.dataCols, j, wide, cols); c >= 0 {
				visit(c, v.At(j, k/s.dataCols))
			}
		}
	})
	s.down = merged(s.dataRows, s.terms*rows, func(k int, visit func(int, float64)) {
		for t := range s.terms {
			for i := range high {
				if r := b.source(k, i, high, rows); r >= 0 {
					visit(t*rows+r, values[t]*u.At(i, t))
				}
			}
		}
	})
	s.acrossBack, s.downBack = s.across.Transpose(), s.down.Transpose()
	return s, nil
}

// apply returns H x for every row of x.
func (s *separable) apply(x *g.Node) *g.Node {
	batch := x.Shape().Dimensions[0]
	rows := s.across.Apply(g.Reshape(x, batch*s.rows, s.cols))
	columns := g.TransposeAllAxes(g.Reshape(rows, batch, s.rows, s.terms, s.dataCols), 0, 3, 2, 1)
	sums := s.down.Apply(g.Reshape(columns, batch*s.dataCols, s.terms*s.rows))
	return g.Reshape(g.TransposeAllAxes(g.Reshape(sums, batch, s.dataCols, s.dataRows), 0, 2, 1), batch,
		s.dataRows*s.dataCols)
}

// adjoint returns Hᵀ y for every row of y.
func (s *separable) adjoint(y *g.Node) *g.Node {
	batch := y.Shape().Dimensions[0]
	columns := g.TransposeAllAxes(g.Reshape(y, batch, s.dataRows, s.dataCols), 0, 2, 1)
	spread := s.downBack.Apply(g.Reshape(columns, batch*s.dataCols, s.dataRows))
	rows := g.TransposeAllAxes(g.Reshape(spread, batch, s.dataCols, s.terms, s.rows), 0, 3, 2, 1)
	return g.Reshape(s.acrossBack.Apply(g.Reshape(rows, batch*s.rows, s.terms*s.dataCols)), batch, s.rows*s.cols)
}
