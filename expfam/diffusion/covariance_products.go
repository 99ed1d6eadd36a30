package diffusion

import (
	"context"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
)

// productCovariance is the model of many cells: C is known by its products with vectors, and the correlations of the
// cells by their lag. Without an operator there is no table. With n data behind an operator the table has
//
//   - for few data (see [productCovariance.allPairs]) the spread of every datum in the first row, and below it the
//     correlations of what all pairs of data look at, (1 + n, n);
//   - for many data the spread of every datum alone, (1, n).
type productCovariance struct {
	*measurement
	tables *correlations // the tables of the noise levels at which the correlations were measured, once made
}

func (c *productCovariance) suited(_ context.Context, unguided bool) (Method, error) {
	if c.linear() || unguided || !ofImages(c.prior) {
		return Restarts{}, nil
	}
	if !c.forward.Separate() {
		return OperatorRestarts(), nil
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
	}
	return []int{1, n}
}

// allPairs reports whether the data are few enough that the correlations of all pairs of data
// precondition a solve.
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

func (c *productCovariance) independent(k kind) []float64 {
	dims := c.tableDims(k)
	out := make([]float64, dims[1])
	for i := range out { // the spread
		out[i] = 1
	}
	return append(out, unitRows(dims[0]-1, dims[1])...)
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
		spreads := make([]*spread, len(c.forward.Parts))
		for i, s := range c.forward.Parts {
			if s.Operator != nil {
				spreads[i] = r.spread(s.H)
			}
		}
		for _, table := range r.Table {
			c.tables.Table = append(c.tables.Table, c.dataTable(r, spreads, table))
		}
	}
	return c.tables.at(sigma), nil
}

// dataTable returns the input table for one table of the correlations.
func (c *productCovariance) dataTable(r *correlations, spreads []*spread, table []float64) (all []float64) {
	for i, s := range c.forward.Parts {
		if s.Operator != nil {
			all = append(all, spreads[i].of(table)...)
			continue
		}
		for range s.Rows {
			all = append(all, 1)
		}
	}
	if !c.allPairs() {
		return all
	}
	return append(all, correlate(c.forward, r, table)...)
}

// correlate returns the correlations of what all pairs of data look at, (data, data), for cells
// of equal variance.
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

func (c *productCovariance) tell(p *Point, table *Node) {
	p.spread = table
	if c.allPairs() {
		p.pairs = Slice(table, AxisRangeToEnd(1))
		p.spread = Slice(table, AxisRange(0, 1))
	}
}

func (c *productCovariance) iterates([]Step) bool { return true }

// solveSteps returns a step less than usual where the pairs of data precondition the steps, and where third cumulants
// take a product.
func (c *productCovariance) solveSteps(p *Point) int {
	if p.pairs != nil || p.skew != nil && p.forward == nil {
		return usualSteps - 1
	}
	return usualSteps
}

// restrain returns the shift as it is: the steps end long before they have converged, and how well they meet the data
// does not tell a wrong Jacobian.
func (c *productCovariance) restrain(shift, _, _ *Node) *Node { return shift }

// lines reports whether the cells of the prior are taken for a line because they know no lattice.
func (c *productCovariance) lines() bool {
	_, lattice := c.prior.(expfam.Lattice)
	return !lattice && !c.forward.Plain()
}
