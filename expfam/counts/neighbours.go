package counts

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
)

// Neighbours gives every cell the data of the k cells with data that are nearest
// to it, its own among them: with positives y of n,
//
//	θⱼ | y ~ Beta(a + Σ yᵢ, b + Σ (nᵢ − yᵢ)),  i among the neighbours of j.
//
// Cells as far away as the k-th belong to them. A draw takes every positive and
// every negative cell's Gamma variable once, so that θ of cells which share
// neighbours move together. That cells of a neighbourhood differ is not in it:
// intervals are too short where they do.
type Neighbours struct {
	Grid grid.Grid
	// Count is k. Default: the one under which every cell's data are most probable
	// given the nearest others, among 1, 2, 3, 4, 6, 8, 12 and so on.
	Count int
	// Prior is that of every θ. Default Beta(½, ½), Jeffreys'.
	Prior expfam.Standard
}

// Sample makes draws. Info.Diagnostics has neighbours, which is k, and held_out,
// the log probability of every cell's data given the nearest others.
func (b Neighbours) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	cells, err := examined(like, b.Grid, obs)
	if err != nil {
		return nil, err
	}
	prior, err := jeffreys(b.Prior)
	if err != nil {
		return nil, err
	}
	if b.Count < 0 || b.Count > len(cells) {
		return nil, fmt.Errorf("counts: %d neighbours of %d cells with data; ask for 1 to as many as there are, or 0 to have them chosen", b.Count, len(cells))
	}
	at := places(b.Grid)
	candidates := []int{b.Count}
	if b.Count == 0 {
		candidates = candidates[:0]
		for k := 1; k < len(cells); k *= 2 {
			candidates = append(candidates, k)
			if half := k + k/2; k > 1 && half < len(cells) {
				candidates = append(candidates, half)
			}
		}
	}
	scores := heldOut(at, cells, obs, prior, candidates)
	best := 0
	for c, s := range scores {
		if s > scores[best] {
			best = c
		}
	}
	k := candidates[best]
	members := make([][]int, len(obs)) // places in cells
	for j := range members {
		members[j] = nearest(at, at[j], cells, k)
	}
	post, err := o.draws(like, len(obs), "nearest neighbours", func(i int, theta []float64) {
		rng := expfam.Stream(o.Seed, fmt.Sprintf("counts/neighbours/draw-%d", i))
		gamma := func(shape float64) float64 {
			if shape == 0 {
				return 0
			}
			return distuv.Gamma{Alpha: shape, Beta: 1, Src: rng}.Rand()
		}
		a, b := gamma(prior.A), gamma(prior.B)
		positive, negative := make([]float64, len(cells)), make([]float64, len(cells))
		for c, j := range cells {
			positive[c], negative[c] = gamma(obs[j].Stat), gamma(obs[j].Size-obs[j].Stat)
		}
		for j := range theta {
			p, n := a, b
			for _, c := range members[j] {
				p, n = p+positive[c], n+negative[c]
			}
			theta[j] = inside(p / (p + n))
		}
	})
	if post != nil {
		post.Info.Diagnostics["neighbours"], post.Info.Diagnostics["held_out"] = float64(k), scores[best]
	}
	return post, err
}

// tie is how much farther than the k-th neighbour another one of the same
// distance may seem by rounding.
const tie = 1 + 1e-9

// nearest are the places in cells of the k nearest to a point.
func nearest(at []place, from place, cells []int, k int) []int {
	all, least := make([]float64, len(cells)), make([]float64, 0, k+1)
	for c, j := range cells {
		d := from.distance(at[j])
		all[c] = d
		if len(least) == k && d >= least[k-1] {
			continue
		}
		where, _ := slices.BinarySearch(least, d)
		if least = slices.Insert(least, where, d); len(least) > k {
			least = least[:k]
		}
	}
	var out []int
	for c, d := range all {
		if d <= least[k-1]*tie {
			out = append(out, c)
		}
	}
	return out
}

// heldOut is, for every k, the sum over the cells of the log probability of
// their data given those of the k nearest others.
func heldOut(at []place, cells []int, obs expfam.Observations, prior expfam.Standard, counts []int) []float64 {
	type other struct {
		distance float64
		term     expfam.Term
	}
	scores := make([]float64, len(counts))
	others := make([]other, 0, len(cells))
	for _, j := range cells {
		others = others[:0]
		for _, i := range cells {
			if i != j {
				others = append(others, other{at[j].distance(at[i]), obs[i]})
			}
		}
		slices.SortStableFunc(others, func(a, b other) int {
			if a.distance < b.distance {
				return -1
			} else if a.distance > b.distance {
				return 1
			}
			return 0
		})
		posterior, used := prior, 0
		for c, k := range counts { // ascending
			reach := others[min(k, len(others))-1].distance * tie
			for used < len(others) && others[used].distance <= reach {
				posterior = posterior.Update(others[used].term)
				used++
			}
			scores[c] += posterior.LogEvidence(obs[j])
		}
	}
	for c, s := range scores {
		if math.IsNaN(s) {
			scores[c] = math.Inf(-1)
		}
	}
	return scores
}
