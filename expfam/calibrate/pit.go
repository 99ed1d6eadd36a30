package calibrate

import (
	"github.com/expfam/lab/expfam"
)

// PIT is the randomised probability integral transform [Rank.PIT] of true values among
// their draws: exactly uniform on [0, 1) for every cell of a calibrated posterior. The
// bands of [NewECDF] and [NewHistogram] assume independent values; cells of one field are
// not independent. Nil cells means all.
func PIT(d Draws, truth []float64, cells []int, seed uint64) ([]float64, error) {
	ranks, err := Ranks(d, truth, cells)
	if err != nil {
		return nil, err
	}
	return pits(ranks, seed, "pit"), nil
}

// PredictivePIT is the [PIT] of data, such as held-out counts, among replicated
// data ([Replicate]). cells nil is all with data.
func PredictivePIT(post *expfam.Posterior, obs expfam.Observations, cells []int, seed uint64) ([]float64, error) {
	y, stats, err := Replicate(post, obs, cells, seed)
	if err != nil {
		return nil, err
	}
	return PIT(y, stats, nil, seed)
}

func pits(ranks []Rank, seed uint64, name string) []float64 {
	rng := expfam.Stream(seed, name)
	u := make([]float64, len(ranks))
	for k, r := range ranks {
		u[k] = r.PIT(rng)
	}
	return u
}
