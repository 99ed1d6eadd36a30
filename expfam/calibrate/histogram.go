package calibrate

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// Histogram counts values that should be uniform on [0, 1) in bins of equal width. The shape ∪ means that a posterior
// is too narrow, ∩ that it is too wide, and a slope that it is biased. [ECDF] needs no bins and finds smaller errors.
type Histogram struct {
	Counts   []int   // of every bin
	Expected float64 // count of a bin
	// Low and High bound the count of a bin. All bins of N independent uniform values are within the bounds with a
	// probability of at least level, because each bin is within them with a probability of at least 1 − (1−level)/bins.
	Low, High float64
}

// NewHistogram counts u in bins.
func NewHistogram(u []float64, bins int, level float64) (Histogram, error) {
	if bins < 1 {
		return Histogram{}, fmt.Errorf("calibrate: histogram: %d bins; use at least 1", bins)
	}
	if err := unit("histogram", u, level); err != nil {
		return Histogram{}, err
	}
	h := Histogram{Counts: make([]int, bins), Expected: float64(len(u)) / float64(bins)}
	for _, v := range u {
		h.Counts[min(int(v*float64(bins)), bins-1)]++
	}
	if bins == 1 {
		h.Low, h.High = h.Expected, h.Expected
		return h, nil
	}
	low, high := bounds(len(u), 1/float64(bins), (1-level)/float64(bins))
	h.Low, h.High = float64(low), float64(high)
	return h, nil
}

// unit refuses values outside [0, 1], and levels outside (0, 1).
func unit(what string, u []float64, level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("calibrate: %s: level %v; give one between 0 and 1, such as 0.95", what, level)
	}
	if len(u) == 0 {
		return fmt.Errorf("calibrate: %s: there are no values", what)
	}
	for k, v := range u {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("calibrate: %s: value %d is %v; give PIT values in [0, 1]", what, k, v)
		}
	}
	return nil
}

// bounds returns the smallest and the largest count of a binomial variable for which both tails,
// each including the count, have a probability of at least γ/2.
func bounds(n int, p, gamma float64) (low, high int) {
	smallest := func(p float64) int {
		b := distuv.Binomial{N: float64(n), P: p}
		from, to := 0, n // the answer is in [from, to]
		for from < to {
			if mid := (from + to) / 2; b.CDF(float64(mid)) >= gamma/2 {
				to = mid
			} else {
				from = mid + 1
			}
		}
		return from
	}
	// The upper tail for p is the lower tail for 1 − p, which is computed without cancellation.
	return smallest(p), n - smallest(1-p)
}
