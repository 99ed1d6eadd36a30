package viz

import (
	"math"
	"slices"
)

// slotWidth returns the width, in units of x, that one cell may take. It is the smallest gap between cells, or a third
// of the mean gap if that is larger, as it is for very uneven positions.
func slotWidth(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	s = slices.Compact(s)
	if len(s) < 2 {
		return 1
	}
	gap := math.Inf(1)
	for i := 1; i < len(s); i++ {
		gap = min(gap, s[i]-s[i-1])
	}
	return max(gap, (s[len(s)-1]-s[0])/float64(len(s)-1)/3)
}

// shadeCells makes the ground of every second cell grey, so that the eye keeps the methods of a cell together.
func shadeCells(c *Chart, x []float64, slot float64) {
	s := slices.Clone(x)
	slices.Sort(s)
	for j := 1; j < len(s); j += 2 {
		c.Stripe(s[j]-slot/2, s[j]+slot/2)
	}
}
