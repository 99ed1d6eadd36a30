package calibrate

import (
	"fmt"
	"math"
)

// AbsError returns |estimate − truth| of every cell; the mean of these numbers is the mean
// absolute error. The median of a posterior minimises the expected absolute error; the mean
// does not. The paper's Appendix G scores the median of one method and the mean of another
// (for the malaria map). For a fair comparison score the median and the mean of both methods.
// The argument cells lists the cells to score; nil means all.
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
