package expfam

import (
	"fmt"
	"math"
	"slices"
)

// EqualTailed returns, for every cell, the interval between the quantiles (1−level)/2 and (1+level)/2. The
// interval is equivariant under a monotone link, up to the interpolation between two neighbouring draws.
func (d *Draws) EqualTailed(level float64) (low, high []float64) {
	return d.intervals(func(x []float64) (float64, float64) {
		return quantile7(x, (1-level)/2), quantile7(x, (1+level)/2)
	})
}

// HighestDensity returns, for every cell, the shortest interval between two draws that are ⌊level·n⌋ ranks
// apart (Chen & Shao 1999). It is the highest-density interval of a unimodal density. The interval is not
// equivariant under a link. It is NaN for a level outside [0, 1].
func (d *Draws) HighestDensity(level float64) (low, high []float64) {
	return d.intervals(func(x []float64) (float64, float64) {
		n := len(x)
		if n == 0 || math.IsNaN(x[0]) || !(level >= 0 && level <= 1) {
			return math.NaN(), math.NaN()
		}
		// A product that should be a whole number may round to just below it: 0.29·100 is 28.999999999999996.
		apart := min(int(level*float64(n)*(1+1e-12)), n-1)
		best := 0
		for i := 1; i+apart < n; i++ {
			if x[i+apart]-x[i] < x[best+apart]-x[best] {
				best = i
			}
		}
		return x[best], x[best+apart]
	})
}

// Coverage returns the share of cells whose equal-tailed interval holds the truth. A truth that is
// exchangeable with the n draws is held with a probability of about level·(n−1)/(n+1). At level 0.95 this is
// 0.946 for 500 draws, but 0.92 for 64. Package calibrate has coverage that is exact for any n.
func (d *Draws) Coverage(truth []float64, level float64) (float64, error) {
	_, cells := d.X.Dims()
	if len(truth) != cells {
		return 0, fmt.Errorf("expfam: coverage: %d true values for %d cells; give one for each", len(truth), cells)
	}
	if !(level > 0 && level < 1) {
		return 0, fmt.Errorf("expfam: coverage: level %v; give one between 0 and 1, such as 0.95", level)
	}
	low, high := d.EqualTailed(level)
	inside := 0
	for j, x := range truth {
		if math.IsNaN(x) || math.IsNaN(low[j]) {
			return 0, fmt.Errorf("expfam: coverage: cell %d: truth %v, interval from %v; NaN is in no interval", j, x,
				low[j])
		}
		if low[j] <= x && x <= high[j] {
			inside++
		}
	}
	return float64(inside) / float64(cells), nil
}

// intervals applies f to the sorted draws of every cell.
func (d *Draws) intervals(f func(sorted []float64) (low, high float64)) (low, high []float64) {
	_, cells := d.X.Dims()
	low, high = make([]float64, cells), make([]float64, cells)
	d.eachCell(func(j int, x []float64) {
		slices.Sort(x)
		low[j], high[j] = f(x)
	})
	return low, high
}
