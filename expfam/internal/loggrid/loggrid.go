// Package loggrid spaces noise levels.
package loggrid

import "math"

// Of returns n+1 values from a to b, equally spaced in the logarithm. The first is a and the last is b exactly.
func Of(a, b float64, n int) []float64 {
	grid := make([]float64, n+1)
	for i := range grid {
		w := float64(i) / float64(n)
		grid[i] = math.Exp((1-w)*math.Log(a) + w*math.Log(b))
	}
	grid[0], grid[n] = a, b
	return grid
}
