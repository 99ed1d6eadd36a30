package counts

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/speak"
)

// Neighbours uses for every cell its own data and, with a smaller weight, the data of the
// k nearest other cells with data. With yⱼ positives of nⱼ trials in cell j the posterior is
//
//	θⱼ | y ~ Beta(a + yⱼ + Σ wᵢyᵢ, b + nⱼ − yⱼ + Σ wᵢ(nᵢ − yᵢ)),  wᵢ = 1/(1 + (nᵢ − 1)ρ),
//
// where i runs over the neighbours of j. Here ρ is the correlation of two trials of one cell, given its neighbourhood:
// n trials are equivalent to wn independent trials, at most 1/ρ. All cells that are as near as the k-th neighbour are
// neighbours. A draw uses the same Gamma variables of a cell for all cells whose neighbour it is, so cells that share
// neighbours are correlated.
type Neighbours struct {
	Grid grid.Grid
	// Count is k, and Correlation is ρ, at most 1. Default: the values that maximise the
	// probability of the data of every cell given the data of all other cells, with k among
	// 1, 2, 3, 4, 6, 8, 12 and so on, and ρ among 0, 2⁻¹⁰, 2⁻⁹ to 1.
	Count       int
	Correlation float64
	// Prior is the prior of every θ. Default Beta(½, ½), Jeffreys'.
	Prior expfam.Standard
}

// Sample makes draws. Info.Diagnostics has neighbours and correlation, which are k and ρ, and held_out, the sum over
// the cells of the log probability of the data of a cell given the data of all other cells.
func (b Neighbours) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return b.SampleContext(ctx, like, obs, o)
}

// SampleContext is [Neighbours.Sample] that ends with ctx.
func (b Neighbours) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	cells, err := examined(like, b.Grid, obs)
	if err != nil {
		return nil, err
	}
	prior, err := jeffreys(b.Prior)
	if err != nil {
		return nil, err
	}
	if b.Count < 0 || b.Count >= len(cells) {
		return nil, fmt.Errorf("counts: %d neighbours with %d cells that have data; ask for fewer than there are, "+
			"or 0 to have them chosen", b.Count, len(cells))
	}
	if !(b.Correlation >= 0 && b.Correlation <= 1) {
		return nil, fmt.Errorf("counts: neighbours of correlation %g; it must be positive and at most 1, or 0 to be "+
			"chosen", b.Correlation)
	}
	at := places(b.Grid)
	k, rho, score := b.choose(at, cells, obs, prior)
	members := make([][]int, len(obs)) // the neighbours of every cell, as indices into cells
	own := make([]int, len(obs))       // the index of every cell in cells, or −1
	for j := range members {
		own[j] = slices.Index(cells, j)
		members[j] = nearest(at, j, cells, k)
	}
	post, err := o.draws(ctx, like, obs, "nearest neighbours", func(i int, theta []float64) {
		rng := expfam.Stream(o.Seed, fmt.Sprintf("counts/neighbours/draw-%d", i))
		gamma := func(shape float64) float64 {
			if shape == 0 {
				return 0
			}
			return distuv.Gamma{Alpha: shape, Beta: 1, Src: rng}.Rand()
		}
		a, b := gamma(prior.A), gamma(prior.B)
		// Gamma variables add up: the own variable of a cell is the variable that the cell shares
		// with its neighbours, plus an independent remainder.
		shared, rest := make([][2]float64, len(cells)), make([][2]float64, len(cells))
		for c, j := range cells {
			w := worth(obs[j].Size, rho)
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
	if onGrid(post, b.Grid); post != nil {
		d := post.Info.Diagnostics
		d["neighbours"], d["correlation"], d["held_out"] = float64(k), rho, score
	}
	return post, err
}

// tie is the factor within which two distances count as equal, because equal distances may differ by rounding.
const tie = 1 + 1e-9

// nearest returns the k cells nearest to cell j, as indices into cells, and further cells at
// the same distance as the k-th. Cell j itself is excluded.
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

// worth returns the weight w of the n trials of a neighbour.
func worth(n, rho float64) float64 { return 1 / (1 + math.Max(0, n-1)*rho) }

// choose returns the k and ρ that maximise the probability of the data of every cell given the
// data of all other cells, and the logarithm of that probability.
func (b Neighbours) choose(at []place, cells []int, obs expfam.Observations, prior expfam.Standard) (k int, rho,
	score float64) {
	counts, rhos := []int{b.Count}, []float64{b.Correlation}
	if b.Count == 0 {
		counts = counts[:0]
		for k := 1; k < len(cells); k *= 2 {
			counts = append(counts, k)
			if half := k + k/2; k > 1 && half < len(cells) {
				counts = append(counts, half)
			}
		}
	}
	if b.Correlation == 0 {
		for e := -10; e <= 0; e++ {
			rhos = append(rhos, math.Ldexp(1, e))
		}
	}
	type other struct {
		distance float64
		term     expfam.Term
	}
	scores := mat.NewDense(len(counts), len(rhos), nil)
	others := make([]other, 0, len(cells))
	for _, j := range cells {
		others = others[:0]
		for _, i := range cells {
			if i != j {
				others = append(others, other{at[j].distance(at[i]), obs[i]})
			}
		}
		slices.SortStableFunc(others, func(a, b other) int { return cmp.Compare(a.distance, b.distance) })
		sums := make([]expfam.Term, len(rhos))
		used := 0
		for r, k := range counts { // ascending
			reach := others[k-1].distance * tie
			for ; used < len(others) && others[used].distance <= reach; used++ {
				for c, rho := range rhos {
					t := others[used].term
					w := worth(t.Size, rho)
					sums[c].Stat, sums[c].Size = sums[c].Stat+w*t.Stat, sums[c].Size+w*t.Size
				}
			}
			for c, given := range sums {
				scores.Set(r, c, scores.At(r, c)+prior.Update(given).LogEvidence(obs[j]))
			}
		}
	}
	score = math.Inf(-1)
	for r, count := range counts {
		for c, correlation := range rhos {
			if v := scores.At(r, c); v > score || k == 0 {
				k, rho, score = count, correlation, v
			}
		}
	}
	return k, rho, score
}
