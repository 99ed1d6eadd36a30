package operator

import (
	"cmp"
	"fmt"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// Downsample takes the means of blocks of cells, which makes a coarse image of a fine one. The
// data are numbered row after row. Do not change its fields after the first use.
type Downsample struct {
	// Rows and Cols are the size of the grid. Default of Rows: 0, which means a line of Cols cells.
	Rows, Cols int
	// Down and Across are the rows and columns of a block; they divide Rows and Cols. Default
	// 2. If only one is set, it holds for both.
	Down, Across int

	built
}

// block returns the numbers of rows and columns of a block.
func (o *Downsample) block() (down, across int) {
	down, across = cmp.Or(o.Down, o.Across, 2), cmp.Or(o.Across, o.Down, 2)
	if o.Rows == 0 && o.Down == 0 {
		down = 1
	}
	return down, across
}

func (o *Downsample) String() string {
	down, across := o.block()
	if o.Rows == 0 {
		return fmt.Sprintf("means of %d cells of %s", across, size(o.Rows, o.Cols))
	}
	return fmt.Sprintf("means of %d×%d cells of %s", down, across, size(o.Rows, o.Cols))
}

func (o *Downsample) build() (*sparse.Matrix, error) {
	if err := checkSize("downsampling", o.Rows, o.Cols); err != nil {
		return nil, err
	}
	down, across := o.block()
	rows := max(o.Rows, 1)
	if down < 1 || across < 1 || rows%down != 0 || o.Cols%across != 0 {
		return nil, fmt.Errorf("operator: blocks of %d by %d don't tile %s; choose divisors", down, across,
			size(o.Rows, o.Cols))
	}
	wide, weight := o.Cols/across, 1/float64(down*across)
	return sparse.New(rows/down*wide, rows*o.Cols, func(k int, visit func(int, float64)) {
		for r := range down {
			for c := range across {
				visit((k/wide*down+r)*o.Cols+k%wide*across+c, weight)
			}
		}
	}), nil
}

// Check refuses an impossible grid, and blocks that do not divide it.
func (o *Downsample) Check() error { return o.check(o, o.build) }

func (o *Downsample) made() *built { return o.must(o.Check()) }

// Dims implements [expfam.Operator].
func (o *Downsample) Dims() (data, cells int) { return o.made().dims() }

// Apply implements [expfam.Operator].
func (o *Downsample) Apply(x *g.Node) *g.Node { return o.made().apply(x) }

// Adjoint implements [expfam.Operator].
func (o *Downsample) Adjoint(y *g.Node) *g.Node { return o.made().adjoint(y) }

// Row implements [expfam.RowOperator].
func (o *Downsample) Row(k int, visit func(cell int, weight float64)) { o.made().h.Row(k, visit) }

// Fingerprint returns a hash of all weights, for keys of stored results.
func (o *Downsample) Fingerprint() string { return fingerprint(o) }
