package expfam

import (
	"math"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// leastSpread bounds the spread of differences, which the error of a table may make
// negative.
const leastSpread = 1e-3

// spread of every row of H is Σⱼₗ H_kj H_kl ρⱼₗ / Σⱼ H_kj²: by how much correlated cells of
// equal variance spread a sum more than independent ones do.
func (c *correlations) spread(h *sparse.Matrix, table []float64) []float64 {
	const most = 256 // cells of a long row that are compared with all of them
	out := make([]float64, h.Rows)
	for k := range out {
		cells, weights := h.Cell[h.Start[k]:h.Start[k+1]], h.Weight[h.Start[k]:h.Start[k+1]]
		stride := max(1, len(cells)/most)
		var sum, squares float64
		for i := 0; i < len(cells); i += stride {
			var along float64
			for j, b := range cells {
				along += weights[j] * c.between(table, cells[i], b)
			}
			sum += weights[i] * along
			squares += weights[i] * weights[i]
		}
		out[k] = math.Max(sum/squares, leastSpread)
	}
	return out
}

// variances of H x for cells with these variances.
func (c *correlations) variances(h, squared *sparse.Matrix, table, variance []float64) []float64 {
	out := make([]float64, h.Rows)
	squared.MulVec(out, variance)
	for k, s := range c.spread(h, table) {
		out[k] *= s
	}
	return out
}
