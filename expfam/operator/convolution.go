package operator

import (
	"fmt"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Convolution is a blur, or any other weighted sum of neighbours with the same weights
// everywhere. For a kernel K with centre (a, b) it is
//
//	(H x)_{r,c} = Σ_{i,j} K_{ij} x_{r−(i−a), c−(j−b)},
//
// so that a single point becomes a copy of K around it. A graph computes the convolution as a sum of terms, each with
// one matrix for rows and one matrix for columns. The number of terms is the rank of K, which is one for [Gaussian] and
// [Box]. Do not change the fields after the first use.
type Convolution struct {
	// Rows and Cols are the size of the grid. Default of Rows: 0, which means a line of Cols cells.
	Rows, Cols int
	Kernel     Kernel   // default Gaussian{}
	Boundary   Boundary // default Reflect

	built
	fast separable
}

func (o *Convolution) kernel() Kernel {
	if o.Kernel == nil {
		return Gaussian{}
	}
	return o.Kernel
}

func (o *Convolution) String() string {
	return fmt.Sprintf("%v, %v, of %s", o.kernel(), o.Boundary, size(o.Rows, o.Cols))
}

// size names a line or a grid.
func size(rows, cols int) string {
	if rows == 0 {
		return fmt.Sprintf("%d cells", cols)
	}
	return fmt.Sprintf("%d×%d cells", rows, cols)
}

// checkSize refuses grids without cells, and grids with more than maxCells cells.
func checkSize(op string, rows, cols int) error {
	if rows < 0 || cols < 1 || max(rows, 1) > maxCells/cols {
		return fmt.Errorf("operator: a %s of %d rows and %d columns; give Cols of at least 1, Rows of at least 1 "+
			"or 0 for a line, and at most %d cells", op, rows, cols, maxCells)
	}
	return nil
}

// maxCells is the largest number of cells that can be numbered with 32 bits.
const maxCells = 1<<31 - 1

func (o *Convolution) build() (*sparse.Matrix, error) {
	if err := checkSize("convolution", o.Rows, o.Cols); err != nil {
		return nil, err
	}
	if err := o.Boundary.check(); err != nil {
		return nil, err
	}
	taps, err := tapsOf(o.kernel(), o.Rows == 0)
	if err != nil {
		return nil, err
	}
	rows, cols, high, wide := max(o.Rows, 1), o.Cols, len(taps), len(taps[0])
	down, across := o.Boundary.data(rows, high), o.Boundary.data(cols, wide)
	if down < 1 || across < 1 {
		return nil, fmt.Errorf("operator: the kernel %v of %d×%d does not fit into %s with the boundary Valid; "+
			"take a smaller one or another boundary", o.kernel(), high, wide, size(o.Rows, o.Cols))
	}
	if o.fast, err = newSeparable(taps, o.Boundary, rows, cols); err != nil {
		return nil, err
	}
	return merged(down*across, rows*cols, func(k int, visit func(int, float64)) {
		for i, row := range taps {
			r := o.Boundary.source(k/across, i, high, rows)
			for j, w := range row {
				if c := o.Boundary.source(k%across, j, wide, cols); r >= 0 && c >= 0 && w != 0 {
					visit(r*cols+c, w)
				}
			}
		}
	}), nil
}

// Check refuses an impossible grid, boundary or kernel.
func (o *Convolution) Check() error { return o.check(o, o.build) }

func (o *Convolution) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Convolution) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Convolution) Apply(x *g.Node) *g.Node {
	o.made()
	return sparse.Linear(x, o.fast.apply, o.fast.adjoint)
}

// Adjoint implements [expfam.Operator].
func (o *Convolution) Adjoint(y *g.Node) *g.Node {
	o.made()
	return sparse.Linear(y, o.fast.adjoint, o.fast.apply)
}

// Row implements [expfam.RowOperator].
func (o *Convolution) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Convolution) Fingerprint() string { return fingerprint(o) }
