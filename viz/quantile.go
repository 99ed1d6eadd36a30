package viz

import "math"

// Draws is a view of posterior draws: At gives draw i of cell j. A gonum
// mat.Matrix with one draw in each row is one.
type Draws interface {
	Dims() (draws, cells int)
	At(draw, cell int) float64
}

// quantile is the sample quantile of type 7 of Hyndman and Fan (1996), the
// default of R and NumPy: linear between order statistics at (n-1)p. sorted
// must be increasing and not empty.
func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(math.Floor(h))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
