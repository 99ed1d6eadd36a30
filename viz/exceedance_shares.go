package viz

import (
	"fmt"
	"math"
)

// compares returns an error if a draw is NaN in a cell that has a probability: it is neither above nor below a
// threshold.
func (v Exceedance) compares(m *cells, blank []bool) error {
	n, _ := v.Draws.Dims()
	for j, i := range m.index {
		if math.IsNaN(m.z[j]) || blank != nil && blank[j] {
			continue
		}
		for k := range n {
			if math.IsNaN(v.Draws.At(k, i)) {
				return fmt.Errorf("exceedance: draw %d of cell %d is NaN; make the cell NaN in the Field, or Blank", k,
					i)
			}
		}
	}
	return nil
}

// shares returns the share of the draws above u for every cell, or NaN for a cell whose field value is NaN.
func (v Exceedance) shares(u float64, m *cells) []float64 {
	n, _ := v.Draws.Dims()
	out := make([]float64, len(m.z))
	for j, i := range m.index {
		if math.IsNaN(m.z[j]) {
			out[j] = math.NaN()
			continue
		}
		above := 0
		for k := range n {
			if v.Draws.At(k, i) > u {
				above++
			}
		}
		out[j] = float64(above) / float64(n)
	}
	return out
}
