package operator

import (
	"fmt"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Select takes some of the cells, one per datum. Do not change its fields after the first use.
type Select struct {
	Cells int // the number of cells of the prior
	// Keep has the cell of each datum, in any order. Default: all cells once, H = I.
	Keep []int

	built
}

func (o *Select) String() string {
	if o.Keep == nil {
		return fmt.Sprintf("all of %d cells", o.Cells)
	}
	return fmt.Sprintf("%d of %d cells", len(o.Keep), o.Cells)
}

func (o *Select) build() (*sparse.Matrix, error) {
	if o.Cells < 1 || o.Cells > maxCells {
		return nil, fmt.Errorf("operator: a selection from %d cells; give the number of cells of the prior", o.Cells)
	}
	for k, j := range o.Keep {
		if j < 0 || j >= o.Cells {
			return nil, fmt.Errorf("operator: datum %d is cell %d of %d; count cells from 0", k, j, o.Cells)
		}
	}
	if o.Keep == nil {
		return sparse.New(o.Cells, o.Cells, func(k int, visit func(int, float64)) { visit(k, 1) }), nil
	}
	return sparse.New(len(o.Keep), o.Cells, func(k int, visit func(int, float64)) { visit(o.Keep[k], 1) }), nil
}

// Check refuses cells that do not exist.
func (o *Select) Check() error { return o.check(o, o.build) }

func (o *Select) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Select) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Select) Apply(x *g.Node) *g.Node {
	if b := o.made(); o.Keep != nil {
		return b.apply(x)
	}
	return g.MulScalar(x, 1) // engines may not return an argument
}

// Adjoint implements [expfam.Operator].
func (o *Select) Adjoint(y *g.Node) *g.Node {
	if b := o.made(); o.Keep != nil {
		return b.adjoint(y)
	}
	return g.MulScalar(y, 1)
}

// Row implements [expfam.RowOperator].
func (o *Select) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Select) Fingerprint() string { return fingerprint(o) }
