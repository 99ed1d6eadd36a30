package latent

import "testing"

// The cost of the cheaper way grows with every cell, over all numbers at which a way changes.
func TestCostIsMonotone(t *testing.T) {
	var before Cost
	for cells := 2; cells < 20000; cells++ {
		c := DenseCost(cells, cells)
		if Spectral(cells, cells) {
			c = SpectralCost(cells, cells, 500)
		}
		if c.Flops < before.Flops {
			t.Fatalf("%d cells take %g operations, and one cell less %g", cells, c.Flops, before.Flops)
		}
		before = c
	}
}
