package diffusion

import (
	"context"
	"math"

	"github.com/expfam/lab/expfam"
)

// tableDims returns the dimensions of the table of correlations that a step of a kind takes as an
// input of its graph, or nil if it takes none. With d cells and n data a table contains
//
//   - for up to wholeCells cells the correlations of all pairs of cells, (d, d);
//   - for more cells and few data (see [Compiled.pairs]) the spread of every datum in the first
//     row, and below it the correlations of what all pairs of data look at, (1 + n, n);
//   - for more cells and many data the spread of every datum alone, (1, n).
//
// For a drawn step of up to wholeCells cells the table has the root of the correlation matrix
// below the matrix, (2d, d). Such a step takes a table without an operator too.
func (c *Compiled) tableDims(k kind) []int {
	switch n, d := c.forward.Data(), c.prior.Dim(); {
	case d <= wholeCells && k == drawn:
		return []int{2 * d, d}
	case c.forward.Plain():
		return nil
	case d <= wholeCells:
		return []int{d, d}
	case c.pairs():
		return []int{1 + n, n}
	default:
		return []int{1, n}
	}
}

// pairs reports whether the data are few enough that the correlations of all pairs of data
// precondition a solve.
func (c *Compiled) pairs() bool {
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

// independent returns the table for cells that are not correlated.
func (c *Compiled) independent(k kind) []float64 {
	dims := c.tableDims(k)
	out := make([]float64, dims[0]*dims[1])
	first := 0
	if c.prior.Dim() > wholeCells { // the spread
		first = dims[1]
		for k := range first {
			out[k] = 1
		}
	}
	for i := range (len(out) - first) / dims[1] {
		out[first+i*dims[1]+i%dims[1]] = 1
	}
	return out
}

// table returns the table of a kind of steps at a noise level. For more than wholeCells cells the
// tables are made once, at the noise levels of the measured correlations.
func (c *Compiled) table(ctx context.Context, sigma float64, k kind) ([]float64, error) {
	if c.tableDims(k) == nil {
		return nil, nil
	}
	if k == drawn && c.prior.Dim() <= wholeCells {
		return c.rooted(ctx, sigma)
	}
	r, err := c.correlated(ctx)
	if err != nil {
		return nil, err
	}
	if c.prior.Dim() <= wholeCells {
		return r.at(sigma), nil
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

// dataTable returns the input table of more than wholeCells cells, for one table of the correlations.
func (c *Compiled) dataTable(r *correlations, spreads []*spread, table []float64) (all []float64) {
	for i, s := range c.forward.Parts {
		if s.Operator != nil {
			all = append(all, spreads[i].of(table)...)
			continue
		}
		for range s.Rows {
			all = append(all, 1)
		}
	}
	if !c.pairs() {
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
