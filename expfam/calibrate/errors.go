package calibrate

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// AbsError returns |estimate − truth| of every cell; the mean of these numbers is the mean absolute error. The median
// of a posterior minimises the expected absolute error; the mean does not. The paper's Appendix G scores the median of
// one method and the mean of another (for the malaria map). For a fair comparison score the median and the mean of both
// methods. The argument cells lists the cells to score; nil means all.
func AbsError(estimate, truth []float64, cells []int) (Scores, error) {
	if len(estimate) != len(truth) {
		return nil, fmt.Errorf("calibrate: absolute error: %d estimates and %d true values; give one of each for "+
			"every cell", len(estimate), len(truth))
	}
	cells, err := within("absolute error", cells, len(truth))
	if err != nil {
		return nil, err
	}
	out := make(Scores, len(cells))
	for k, j := range cells {
		out[k] = math.Abs(estimate[j] - truth[j])
		if math.IsNaN(out[k]) || math.IsInf(out[k], 0) {
			return nil, fmt.Errorf("calibrate: absolute error: cell %d: estimate %v, truth %v; both must be finite", j,
				estimate[j], truth[j])
		}
	}
	return out, nil
}

// CRPS returns the continuous ranked probability score of the draws of every cell against the truth, in the units of
// the truth; lower is better. It is the fair estimator (Ferro 2014) of E|X − y| − ½ E|X − X'|,
//
//	1/n Σᵢ |xᵢ − y| − 1/(n(n−1)) Σ_{i<k} |xᵢ − xₖ|,
//
// whose expectation does not depend on the number of draws. The argument cells lists the cells to score; nil means all.
func CRPS(d Draws, truth []float64, cells []int) (Scores, error) {
	return each("crps", d, 2, truth, cells, func(x []float64, y float64) float64 {
		n := float64(len(x))
		var near, apart float64
		for i, v := range x {
			near += math.Abs(v - y)
			// v − y in place of v avoids the cancellation of digits if all draws are large.
			apart += (2*float64(i) + 1 - n) * (v - y)
		}
		return near/n - apart/(n*(n-1))
	})
}

// PredictiveCRPS returns the [CRPS] of replicated data ([Replicate]) against observations,
// such as held-out counts. The argument cells lists the cells to score; nil means all with data.
func PredictiveCRPS(post *expfam.Posterior, obs expfam.Observations, cells []int, seed uint64) (Scores, error) {
	y, stats, err := Replicate(post, obs, cells, seed)
	if err != nil {
		return nil, err
	}
	return CRPS(y, stats, nil)
}
