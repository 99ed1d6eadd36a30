package counts

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
)

// Neighbours gives every cell its own data and, at a weight w, those of the k other
// cells with data that are nearest to it: with positives y of n,
//
//	θⱼ | y ~ Beta(a + yⱼ + w Σ yᵢ, b + nⱼ − yⱼ + w Σ (nᵢ − yᵢ)),  i among the neighbours of j.
//
// Cells as far away as the k-th belong to them. A weight below 1 says that cells of
// a neighbourhood differ: thousands of trials next door are then worth a few here.
// A draw takes every cell's Gamma variables once, so that θ of cells which share
// neighbours move together.
type Neighbours struct {
	Grid grid.Grid
	// Count is k and Weight w, at most 1. Default: those under which every cell's
	// data are most probable given all others', k among 1, 2, 3, 4, 6, 8, 12 and so
	// on, w among 1, ½, ¼ to 2⁻¹².
	Count  int
	Weight float64
	// Prior is that of every θ. Default Beta(½, ½), Jeffreys'.
	Prior expfam.Standard
}

// Sample makes draws. Info.Diagnostics has neighbours and weight, which are k and
// w, and held_out, the log probability of every cell's data given all others'.
func (b Neighbours) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	cells, err := examined(like, b.Grid, obs)
	if err != nil {
		return nil, err
	}
	prior, err := jeffreys(b.Prior)
	if err != nil {
		return nil, err
	}
	if b.Count < 0 || b.Count >= len(cells) {
		return nil, fmt.Errorf("counts: %d neighbours with %d cells that have data; ask for fewer than there are, or 0 to have them chosen", b.Count, len(cells))
	}
	if !(b.Weight >= 0 && b.Weight <= 1) {
		return nil, fmt.Errorf("counts: neighbours of weight %g; it must be positive and at most 1, or 0 to be chosen", b.Weight)
	}
	at := places(b.Grid)
	k, w, score := b.choose(at, cells, obs, prior)
	members := make([][]int, len(obs)) // places in cells
	own := make([]int, len(obs))
	for j := range members {
		own[j] = slices.Index(cells, j)
		members[j] = nearest(at, j, cells, k)
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
		// A cell's own variable is that of its neighbours and an independent rest.
		shared, rest := make([][2]float64, len(cells)), make([][2]float64, len(cells))
		for c, j := range cells {
			for side, y := range [2]float64{obs[j].Stat, obs[j].Size - obs[j].Stat} {
				shared[c][side], rest[c][side] = gamma(w*y), gamma((1-w)*y)
			}
		}
		for j := range theta {
			positive, negative := a, b
			if c := own[j]; c >= 0 {
				positive, negative = positive+shared[c][0]+rest[c][0], negative+shared[c][1]+rest[c][1]
			}
			for _, c := range members[j] {
				positive, negative = positive+shared[c][0], negative+shared[c][1]
			}
			theta[j] = inside(positive / (positive + negative))
		}
	})
	if post != nil {
		d := post.Info.Diagnostics
		d["neighbours"], d["weight"], d["held_out"] = float64(k), w, score
	}
	return post, err
}

// tie is how much farther than the k-th neighbour another one of the same
// distance may seem by rounding.
const tie = 1 + 1e-9

// nearest are the places in cells of the k nearest to cell j, itself excluded.
func nearest(at []place, j int, cells []int, k int) []int {
	all, least := make([]float64, len(cells)), make([]float64, 0, k+1)
	for c, i := range cells {
		if all[c] = at[j].distance(at[i]); i == j {
			all[c] = math.Inf(1)
		}
		if len(least) == k && all[c] >= least[k-1] {
			continue
		}
		where, _ := slices.BinarySearch(least, all[c])
		if least = slices.Insert(least, where, all[c]); len(least) > k {
			least = least[:k]
		}
	}
	var out []int
	for c, d := range all {
		if d <= least[k-1]*tie && cells[c] != j {
			out = append(out, c)
		}
	}
	return out
}

// choose is the best k and w for the cells' data given all others', and the log
// probability of these.
func (b Neighbours) choose(at []place, cells []int, obs expfam.Observations, prior expfam.Standard) (k int, w, score float64) {
	counts, weights := []int{b.Count}, []float64{b.Weight}
	if b.Count == 0 {
		counts = counts[:0]
		for k := 1; k < len(cells); k *= 2 {
			counts = append(counts, k)
			if half := k + k/2; k > 1 && half < len(cells) {
				counts = append(counts, half)
			}
		}
	}
	if b.Weight == 0 {
		weights = weights[:0]
		for e := range 13 {
			weights = append(weights, math.Ldexp(1, -e))
		}
	}
	type other struct {
		distance float64
		term     expfam.Term
	}
	scores := mat.NewDense(len(counts), len(weights), nil)
	others := make([]other, 0, len(cells))
	for _, j := range cells {
		others = others[:0]
		for _, i := range cells {
			if i != j {
				others = append(others, other{at[j].distance(at[i]), obs[i]})
			}
		}
		slices.SortStableFunc(others, func(a, b other) int { return cmp.Compare(a.distance, b.distance) })
		var y, n float64
		used := 0
		for r, k := range counts { // ascending
			reach := others[k-1].distance * tie
			for ; used < len(others) && others[used].distance <= reach; used++ {
				y, n = y+others[used].term.Stat, n+others[used].term.Size
			}
			for c, w := range weights {
				given := prior.Update(expfam.Term{Stat: w * y, Size: w * n})
				scores.Set(r, c, scores.At(r, c)+given.LogEvidence(obs[j]))
			}
		}
	}
	score = math.Inf(-1)
	for r, count := range counts {
		for c, weight := range weights {
			if v := scores.At(r, c); v > score || k == 0 {
				k, w, score = count, weight, v
			}
		}
	}
	return k, w, score
}
