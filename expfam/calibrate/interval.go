package calibrate

import (
	"fmt"
	"math"
)

// Intervals returns equal-tailed intervals of cells. They lie between the order statistics of n draws at ranks
// (n+1)(1−level)/2 and (n+1)(1+level)/2, with interpolation: type 6 of Hyndman & Fan (1996), Weibull's positions. A
// truth that is exchangeable with the draws is below the k-th draw with probability k/(n+1). Intervals between whole
// ranks therefore hold the truth with probability exactly level, whatever the distribution.
//
// The quantiles of [expfam.Draws.EqualTailed] (type 7) estimate the quantiles of the distribution instead. Intervals
// between them hold the truth with a probability of about level·(n−1)/(n+1): 0.92 instead of 0.95 with 64 draws.
//
// It is an error if there are fewer than 2/(1−level) − 1 draws, which is 39 draws for 95%.
// The argument cells lists the cells; nil means all.
func Intervals(d Draws, level float64, cells []int) (low, high []float64, err error) {
	n, all := d.Dims()
	if err := levelFor(level, n); err != nil {
		return nil, nil, err
	}
	ends, err := each("interval", d, 1, make([]float64, all), cells, func(x []float64, _ float64) [2]float64 {
		return type6(x, level)
	})
	for _, e := range ends {
		low, high = append(low, e[0]), append(high, e[1])
	}
	return low, high, err
}

// type6 returns the ends of the interval of [Intervals], for the sorted draws of a cell.
func type6(sorted []float64, level float64) [2]float64 {
	n := len(sorted)
	at := func(rank float64) float64 {
		rank = math.Min(math.Max(rank, 1), float64(n))
		k := int(rank)
		if k == n {
			return sorted[n-1]
		}
		w := rank - float64(k)
		return (1-w)*sorted[k-1] + w*sorted[k]
	}
	return [2]float64{at(float64(n+1) * (1 - level) / 2), at(float64(n+1) * (1 + level) / 2)}
}

// levelFor refuses levels outside (0, 1), and levels whose interval would need ranks beyond n draws.
func levelFor(level float64, n int) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("calibrate: level %v; give one between 0 and 1, such as 0.95", level)
	}
	// 39 draws at 95% are just enough; the product may round to below 1.
	if need := 2/(1-level) - 1; float64(n) < need-1e-9 {
		return fmt.Errorf("calibrate: %d draws have no %g%% interval; make at least %.0f, or lower the level", n,
			100*level, math.Ceil(need-1e-9))
	}
	return nil
}
