package diffusion

import (
	"context"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
)

// productCovariance is the model of many cells: C is known by its products with vectors, and the correlations of the
// cells by their lag. Without an operator there is no table. With n data behind an operator the table has
//
//   - for few data (see [productCovariance.allPairs]) the spread of every datum in the first row, and below it the
//     correlations of what all pairs of data look at, (1 + n, n);
//   - for many data the spread of every datum, and behind a blur of images the variances of all cosines,
//     (1, n + cells); see [cosines].
type productCovariance struct {
	*measurement
	tables *correlations // the tables of the noise levels at which the correlations were measured, once made
}

func (c *productCovariance) defaultMethod(_ context.Context, unguided bool) (Method, error) {
	if augmented(c.prior) && c.forward.Plain() && !unguided {
		return augmentedRestarts, nil
	}
	if c.linear() || unguided || !isImage(c.prior) {
		return Restarts{}, nil
	}
	if !c.forward.Separate() {
		return OperatorRestarts(), nil
	}
	if _, levels := c.prior.(Graded); levels {
		return pyramidRestarts(), nil
	}
	return ImageRestarts(), nil
}

func (c *productCovariance) tableDims(kind) []int {
	n := c.forward.Data()
	switch {
	case c.forward.Plain():
		return nil
	case c.allPairs():
		return []int{1 + n, n}
	case c.cosines() != nil:
		return []int{1, n + c.prior.Dim()}
	}
	return []int{1, n}
}

// allPairs reports whether the data are few enough that the correlations of all pairs of data precondition a solve.
func (c *productCovariance) allPairs() bool {
	const most, work = 1024, 2e7
	weights := 0
	for _, s := range c.forward.Parts {
		if s.Operator == nil {
			weights += s.Rows
		} else {
			weights += len(s.H.Cell)
		}
	}
	return c.forward.Data() <= most && weights*c.forward.Cells() <= work
}

// cosines returns the lattice of a prior of images if the correlations of its cells precondition a solve, or nil. They
// do where the data are images of the same size, such as those behind a blur. Products with the matrix of rays would
// cost more than the Jacobian products that they save.
func (c *productCovariance) cosines() *cosines {
	if c.linear() || c.allPairs() || !isImage(c.prior) {
		return nil
	}
	for _, s := range c.forward.Parts {
		if s.Rows != c.forward.Cells() {
			return nil
		}
	}
	rows, cols := c.prior.(expfam.Lattice).Lattice()
	return &cosines{rows: rows, cols: cols}
}

func (c *productCovariance) independent(k kind) []float64 {
	dims := c.tableDims(k)
	if dims == nil {
		return nil
	}
	return append(slices.Repeat([]float64{1}, dims[1]), unitRows(dims[0]-1, dims[1])...) // the spread first
}

// table makes the tables of all noise levels in the first call.
func (c *productCovariance) table(ctx context.Context, sigma float64, _ kind) ([]float64, error) {
	if c.forward.Plain() {
		return nil, nil
	}
	r, err := c.correlations(ctx)
	if err != nil {
		return nil, err
	}
	if c.tables == nil {
		c.tables = &correlations{Sigma: r.Sigma}
		spreads := make([]*varianceRatio, len(c.forward.Parts))
		for i, s := range c.forward.Parts {
			if s.Operator != nil {
				spreads[i] = r.varianceRatio(s.H)
			}
		}
		for _, table := range r.Table {
			c.tables.Table = append(c.tables.Table, c.dataTable(r, spreads, table))
		}
	}
	return c.tables.at(sigma), nil
}

// dataTable returns the input table for one table of the correlations.
func (c *productCovariance) dataTable(r *correlations, spreads []*varianceRatio, table []float64) (all []float64) {
	for i, s := range c.forward.Parts {
		if s.Operator != nil {
			all = append(all, spreads[i].of(table)...)
			continue
		}
		all = append(all, slices.Repeat([]float64{1}, s.Rows)...)
	}
	if l := c.cosines(); l != nil {
		return append(all, l.variances(table)...)
	}
	if !c.allPairs() {
		return all
	}
	return append(all, correlate(c.forward, r, table)...)
}

// correlate returns the correlations of what all pairs of data look at, (data, data), for cells of equal variance.
func correlate(f *expfam.Forward, r *correlations, table []float64) []float64 {
	out, along := make([]float64, f.Data()*f.Data()), make([]float64, f.Cells())
	for l := range f.Data() {
		clear(along)
		f.Row(l, func(b int, weight float64) {
			block := r.block(b)
			for a := range block.Cells {
				along[block.First+a] += weight * table[block.index(a, b-block.First)]
			}
		})
		for k := range f.Data() {
			f.Row(k, func(a int, weight float64) { out[k*f.Data()+l] += weight * along[a] })
		}
	}
	scale := make([]float64, f.Data())
	for k := range scale {
		scale[k] = 1 / math.Sqrt(math.Max(out[k*f.Data()+k], 1e-30))
	}
	for k := range f.Data() {
		for l := range f.Data() {
			out[k*f.Data()+l] *= scale[k] * scale[l]
		}
	}
	return out
}

func (c *productCovariance) setTable(p *Point, table *Node) {
	p.varianceRatio = table
	if p.cosines = c.cosines(); p.cosines != nil {
		n := c.forward.Data()
		p.varianceRatio = Slice(table, AxisRange(), AxisRange(0, n))
		p.cosines.lambda = Slice(table, AxisRange(), AxisRangeToEnd(n))
	}
	if c.allPairs() {
		p.pairs = Slice(table, AxisRangeToEnd(1))
		p.varianceRatio = Slice(table, AxisRange(0, 1))
	}
}

func (c *productCovariance) iterates([]Step) bool { return true }

// solveSteps returns a step less than usual where correlations precondition the steps, and where third cumulants take a
// product.
func (c *productCovariance) solveSteps(p *Point) int {
	if p.pairs != nil || p.cosines != nil || p.skew != nil && p.forward == nil {
		return defaultSteps - 1
	}
	return defaultSteps
}

// damp returns the shift as it is: the steps end long before they have converged, and how well they meet the data
// does not tell a wrong Jacobian.
func (c *productCovariance) damp(shift, _, _ *Node) *Node { return shift }
