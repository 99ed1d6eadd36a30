package operator

import (
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Dense is any matrix, with a row for each datum. A row may have zeros alone if another part of [Blocks] has weights in
// that row; a likelihood refuses data that look at no cell. Do not change it after the first use.
type Dense struct {
	Matrix mat.Matrix

	built
}

func (o *Dense) String() string {
	if o.Matrix == nil {
		return "no matrix"
	}
	rows, cols := o.Matrix.Dims()
	return fmt.Sprintf("a matrix of %d×%d", rows, cols)
}

func (o *Dense) build() (*sparse.Matrix, error) {
	if o.Matrix == nil {
		return nil, fmt.Errorf("operator: Dense has no Matrix; give one with a row for each datum")
	}
	rows, cols := o.Matrix.Dims()
	for k := range rows {
		for j := range cols {
			if w := o.Matrix.At(k, j); math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("operator: row %d, column %d of the matrix is %g; entries must be finite", k, j,
					w)
			}
		}
	}
	for j := range cols {
		column := mat.Col(nil, j, o.Matrix)
		if err := refuseMissingCode(column, func(k int) string {
			return fmt.Sprintf("row %d, column %d of the matrix", k, j)
		}); err != nil {
			return nil, err
		}
	}
	return sparse.New(rows, cols, func(k int, visit func(int, float64)) {
		for j := range cols {
			visit(j, o.Matrix.At(k, j))
		}
	}), nil
}

// Check refuses a nil matrix and entries that are not finite, or that mark missing values among covariates.
func (o *Dense) Check() error { return o.check(o, o.build) }

func (o *Dense) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Dense) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Dense) Apply(x *g.Node) *g.Node { return o.made().apply(x) }

// Adjoint implements [expfam.Operator].
func (o *Dense) Adjoint(y *g.Node) *g.Node { return o.made().adjoint(y) }

// Row implements [expfam.RowOperator].
func (o *Dense) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Dense) Fingerprint() string { return fingerprint(o) }
