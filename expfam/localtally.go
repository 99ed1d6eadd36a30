package expfam

import (
	"math"
	"math/rand/v2"
)

// localTally compares the discrepancy T of the data with T of their replicates under one draw of θ; see
// [LocalVariance].
type localTally struct {
	own        float64 // T of the data
	replicated float64 // mean of T over the replicates
	more, less int     // replicates whose T is at least, and at most, T of the data
}

// tally compares data u with a number of replicates under one draw of θ.
func (c *localCheck) tally(theta, data []float64, replicates int, rng *rand.Rand) (t localTally, err error) {
	d, err := c.under(theta)
	if err != nil {
		return t, err
	}
	t.own = d.of(data)
	for range replicates {
		u, err := d.replicate(rng)
		if err != nil {
			return t, err
		}
		v := d.of(u)
		t.replicated += v / float64(replicates)
		if v >= t.own {
			t.more++
		}
		if v <= t.own {
			t.less++
		}
	}
	return t, nil
}

// localVarianceOf joins the tallies of all draws, which have the given number of replicates together. It
// returns nil if neither the data nor the replicates vary, or if the data overflow.
func localVarianceOf(tallies []localTally, replicates int) *LocalVariance {
	out := &LocalVariance{Replicates: replicates}
	var own, replicated float64
	for _, t := range tallies {
		own, replicated = own+t.own, replicated+t.replicated
		out.More += float64(t.more) / float64(replicates)
		out.Less += float64(t.less) / float64(replicates)
	}
	if out.Ratio = min(own/replicated, math.MaxFloat64); math.IsNaN(out.Ratio) || math.IsInf(own, 1) {
		return nil
	}
	return out
}
