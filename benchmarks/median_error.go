package benchmarks

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
)

// replicates is the number of replicated data sets for each draw. With 200 draws it gives the
// median of the data to within a fiftieth of their standard deviation.
const replicates = 25

// predictiveAbsError returns |median − y| of every cell, for the median of replicated data ([calibrate.Replicate]) and
// the observation y, in the unit of the data, such as counts. The argument cells lists the cells; nil means all with
// data.
// The median of replicated data has the least expected absolute error. The prediction from the median of θ is different
// if the data are skewed around θ. For example, with θ = 0.1 the share of positives among correlated trials is more
// often below a tenth than above.
func predictiveAbsError(post *expfam.Posterior, obs expfam.Observations, cells []int,
	seed uint64) (calibrate.Scores, error) {
	var all [][]float64
	var stats []float64
	rng := expfam.Stream(seed, "predictive-median")
	for range replicates {
		y, observed, err := calibrate.Replicate(post, obs, cells, rng.Uint64())
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
	out := make(calibrate.Scores, len(all))
	for k, x := range all {
		slices.Sort(x)
		out[k] = math.Abs(stat.Quantile(0.5, stat.Empirical, x, nil) - stats[k])
	}
	return out, nil
}
