package calibrate

import (
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
)

// Rank is the position of a value among draws.
type Rank struct {
	Below, Equal, Draws int // numbers of draws below the value, equal to it, and in all
}

// Ranks returns the rank of the true value of each cell among the draws of the cell. The argument
// cells lists the cells; nil means all.
func Ranks(d Draws, truth []float64, cells []int) ([]Rank, error) {
	return each("ranks", d, 1, truth, cells, rankOf)
}

// rankOf returns the rank of y among x. The draws x need not be sorted.
func rankOf(x []float64, y float64) Rank {
	r := Rank{Draws: len(x)}
	for _, v := range x {
		switch {
		case v < y:
			r.Below++
		case v == y:
			r.Equal++
		}
	}
	return r
}

// PIT returns the probability integral transform (r + V)/(n + 1), where V is uniform on [0, 1)
// and r is the rank among n draws, with ties broken at random. It is exactly uniform on [0, 1) if
// value and draws are exchangeable, for counts and for continuous values.
func (r Rank) PIT(rng *rand.Rand) float64 {
	return (float64(r.Below) + rng.Float64()*float64(r.Equal+1)) / float64(r.Draws+1)
}

// Inside returns the probability that the value is in the equal-tailed interval of the level. Two random choices make
// the interval exact: ties are broken at random, and an end at a fractional rank is moved to the rank below or above,
// with the fraction as the probability. Inside is 0 or 1 except at the ends of the interval. Its mean over exchangeable
// values and draws is exactly the level.
func (r Rank) Inside(level float64) float64 {
	tail := float64(r.Draws+1) * (1 - level) / 2
	var sum float64
	for at := r.Below; at <= r.Below+r.Equal; at++ {
		// Each of the two tails takes `tail` of the n + 1 places 0 … n, from its end on.
		sum += 1 - outside(tail, at) - outside(tail, r.Draws-at)
	}
	return math.Max(0, sum/float64(r.Equal+1))
}

// outside returns the share of a place, counted from the end of the tail, that the tail takes.
func outside(tail float64, place int) float64 { return math.Min(1, math.Max(0, tail-float64(place))) }

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
