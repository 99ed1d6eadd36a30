package calibrate

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
)

// replicates a draw put the median of 200 draws' data within a fiftieth of their
// standard deviation.
const replicates = 25

// PredictiveMedian is the median of replicated data ([Replicate]) of the cells (nil:
// all with data): of all estimates of an observation the one whose absolute error is
// expected to be the least. What θ makes of its median is another where data are
// skewed around θ: with θ = 0.1 the positives of correlated trials are more often
// below a tenth than above. The mean has no such choice, E[y] being the mean of E[y | θ].
func PredictiveMedian(post *expfam.Posterior, obs expfam.Observations, cells []int, seed uint64) ([]float64, error) {
	var all [][]float64
	rng := expfam.Stream(seed, "predictive-median")
	for range replicates {
		y, stats, err := Replicate(post, obs, cells, rng.Uint64())
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = make([][]float64, len(stats))
		}
		draws, _ := y.Dims()
		for k := range all {
			for i := range draws {
				all[k] = append(all[k], y.At(i, k))
			}
		}
	}
	medians := make([]float64, len(all))
	for k, x := range all {
		slices.Sort(x)
		medians[k] = stat.Quantile(0.5, stat.Empirical, x, nil)
	}
	return medians, nil
}
