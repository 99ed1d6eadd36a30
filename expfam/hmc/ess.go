package hmc

import (
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/mcmc"
)

// ESSBulk returns the rank-normalised effective sample size of one scalar, whose draw i of chain c is chains[c][i].
// It is the number of independent draws that would estimate the centre of the distribution equally well.
// Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16.
//
// It is NaN if a draw is NaN.
func ESSBulk(chains [][]float64) float64 {
	if unknown(chains) {
		return math.NaN()
	}
	return mcmc.Effective(rankNormalise(split(chains)))
}

// ESSTail returns the smaller of the effective sample sizes for the 5% and the 95% quantile. The effective sample size
// for a quantile q is that of the indicator x ≤ q (same source as [ESSBulk]). It is NaN if a draw is NaN.
func ESSTail(chains [][]float64) float64 {
	if unknown(chains) {
		return math.NaN()
	}
	smallest := math.Inf(1)
	sorted := slices.Sorted(slices.Values(slices.Concat(chains...)))
	for _, p := range []float64{0.05, 0.95} {
		at := p * float64(len(sorted)-1)
		low := sorted[int(at)]
		high := sorted[min(int(at)+1, len(sorted)-1)]
		q := low + (at-math.Floor(at))*(high-low)
		smallest = min(smallest, mcmc.Effective(split(apply(chains, func(x float64) float64 {
			if x <= q {
				return 1
			}
			return 0
		}))))
	}
	return smallest
}

// unknown reports whether a draw is NaN. A NaN has no rank.
func unknown(chains [][]float64) bool {
	return slices.ContainsFunc(chains, func(x []float64) bool { return slices.ContainsFunc(x, math.IsNaN) })
}
