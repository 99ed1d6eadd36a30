package calibrate

import (
	"github.com/expfam/lab/expfam"
)

// PIT returns the randomised probability integral transform [Rank.PIT] of the true value of each
// cell among the draws of the cell. It is exactly uniform on [0, 1) for every cell of a calibrated
// posterior. The bands of [NewECDF] and [NewHistogram] assume independent values, but cells of one
// field are not independent. The argument cells lists the cells; nil means all.
func PIT(d Draws, truth []float64, cells []int, seed uint64) ([]float64, error) {
	ranks, err := Ranks(d, truth, cells)
	if err != nil {
		return nil, err
	}
	return pits(ranks, seed, "pit"), nil
}

// PredictivePIT returns the [PIT] of data, such as held-out counts, among replicated
// data ([Replicate]). The argument cells lists the cells; nil means all with data.
func PredictivePIT(post *expfam.Posterior, obs expfam.Observations, cells []int, seed uint64) ([]float64, error) {
	y, stats, err := Replicate(post, obs, cells, seed)
	if err != nil {
		return nil, err
	}
	return PIT(y, stats, nil, seed)
}

// pits returns the [Rank.PIT] of all ranks, with the random numbers of a seed and a name.
func pits(ranks []Rank, seed uint64, name string) []float64 {
	rng := expfam.Stream(seed, name)
	u := make([]float64, len(ranks))
	for k, r := range ranks {
		u[k] = r.PIT(rng)
	}
	return u
}
