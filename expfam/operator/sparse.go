package operator

import (
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Sparse is a matrix that is given by its non-zero weights. A datum may have none if another part of [Blocks] has
// weights for it; a likelihood refuses data that look at no cell. Do not change its fields after the first use.
type Sparse struct {
	Data, Cells int // rows and columns
	// Entries are the weights, in any order. Entries of the same datum and cell add up.
	Entries []Entry

	built
}

// Entry is the weight of a cell for a datum, both counted from 0.
type Entry struct {
	Datum, Cell int
	Weight      float64
}

func (o *Sparse) String() string {
	return fmt.Sprintf("a sparse matrix of %d×%d with %d weights", o.Data, o.Cells, len(o.Entries))
}

func (o *Sparse) build() (*sparse.Matrix, error) {
	if o.Data < 1 || o.Cells < 1 || o.Data > maxCells || o.Cells > maxCells {
		return nil, fmt.Errorf("operator: a sparse matrix of %d data and %d cells; give at least 1 of each", o.Data,
			o.Cells)
	}
	rows := make([][]weight, o.Data)
	for i, e := range o.Entries {
		if e.Datum < 0 || e.Datum >= o.Data || e.Cell < 0 || e.Cell >= o.Cells {
			return nil, fmt.Errorf("operator: entry %d is for datum %d and cell %d of a sparse matrix of %d×%d; "+
				"count both from 0", i, e.Datum, e.Cell, o.Data, o.Cells)
		}
		if math.IsNaN(e.Weight) || math.IsInf(e.Weight, 0) {
			return nil, fmt.Errorf("operator: entry %d, for datum %d and cell %d, has the weight %g; weights must "+
				"be finite", i, e.Datum, e.Cell, e.Weight)
		}
		rows[e.Datum] = append(rows[e.Datum], weight{e.Cell, e.Weight})
	}
	return merged(o.Data, o.Cells, each(rows)), nil
}

// Check refuses entries outside of the matrix, and weights that are not finite.
func (o *Sparse) Check() error { return o.check(o, o.build) }

func (o *Sparse) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Sparse) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Sparse) Apply(x *g.Node) *g.Node { return o.made().apply(x) }

// Adjoint implements [expfam.Operator].
func (o *Sparse) Adjoint(y *g.Node) *g.Node { return o.made().adjoint(y) }

// Row implements [expfam.RowOperator].
func (o *Sparse) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Sparse) Fingerprint() string { return fingerprint(o) }
