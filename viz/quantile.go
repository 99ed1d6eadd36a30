package viz

import (
	"fmt"
	"math"
	"sort"
)

// Draws is a view of posterior draws: At gives draw i of cell j. A gonum mat.Matrix with one draw per row is a Draws.
type Draws interface {
	Dims() (draws, cells int)
	At(draw, cell int) float64
}

// levels are the probabilities of the quantiles that figures show: the ends of the central 95% and 50% intervals, and
// the median.
var levels = [5]float64{0.025, 0.25, 0.5, 0.75, 0.975}

// summary holds the quantiles of one cell at levels, its mean and its standard deviation.
type summary struct {
	q        [5]float64
	mean, sd float64
	one      bool // there is one draw: it has no interval and no standard deviation
}

// varies reports whether the draws of a cell have a density, as equal draws have not.
func (s summary) varies() bool { return s.q[0] < s.q[4] }

// cellQuantiles summarises every cell of draws; errors begin with prefix.
func cellQuantiles(prefix string, draws Draws) ([]summary, error) {
	n, cells := draws.Dims()
	if n < 1 || cells < 1 {
		return nil, fmt.Errorf("%s: %d draws of %d cells; need at least one of each", prefix, n, cells)
	}
	out := make([]summary, cells)
	column := make([]float64, n)
	for j := range out {
		mean := 0.0
		for i := range column {
			column[i] = draws.At(i, j)
			if !finite(column[i]) {
				return nil, fmt.Errorf("%s: draw %d of cell %d is %g", prefix, i, j, column[i])
			}
			mean += column[i] / float64(n)
		}
		for _, v := range column {
			out[j].sd += (v - mean) * (v - mean) / float64(max(1, n-1))
		}
		out[j].mean, out[j].sd, out[j].one = mean, math.Sqrt(out[j].sd), n == 1
		sort.Float64s(column)
		for i, p := range levels {
			out[j].q[i] = quantile(column, p)
		}
	}
	return out, nil
}

// quantile returns the sample quantile of type 7 of Hyndman and Fan (1996), the default of R and NumPy. It is linear
// between order statistics, at (n-1)p. sorted must be increasing and not empty.
func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(math.Floor(h))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
