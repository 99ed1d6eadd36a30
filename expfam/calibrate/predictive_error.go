package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
)

// replicates a draw put the median of 200 draws' data within a fiftieth of their
// standard deviation.
const replicates = 25

// PredictiveAbsError is |median − y| of replicated data ([Replicate]) and the
// observations y of the cells (nil: all with data), in the unit of the data, such as
// counts. The median of replicated data has the least expected absolute error. The
// prediction from the median of θ is different if the data are skewed around θ: for
// example, with θ = 0.1 the positives of correlated trials are more often below a tenth
// than above.
func PredictiveAbsError(post *expfam.Posterior, obs expfam.Observations, cells []int, seed uint64) (Scores, error) {
	var all [][]float64
	var stats []float64
	rng := expfam.Stream(seed, "predictive-median")
	for range replicates {
		y, observed, err := Replicate(post, obs, cells, rng.Uint64())
		if err != nil {
			return nil, err
		}
		if all == nil {
			all, stats = make([][]float64, len(observed)), observed
		}
		draws, _ := y.Dims()
		for k := range all {
			for i := range draws {
				all[k] = append(all[k], y.At(i, k))
			}
		}
	}
	out := make(Scores, len(all))
	for k, x := range all {
		slices.Sort(x)
		out[k] = math.Abs(stat.Quantile(0.5, stat.Empirical, x, nil) - stats[k])
	}
	return out, nil
}
