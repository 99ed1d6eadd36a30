package hmc

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
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
	return ess(rankNormalise(split(chains)))
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
		smallest = min(smallest, ess(split(apply(chains, func(x float64) float64 {
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

// ess returns m·n/τ for m chains of n draws, where τ is the autocorrelation time. The autocorrelation ρ_t combines the
// chains, so chains that disagree count as correlated. The sum in τ ends by Geyer's (1992) initial monotone sequence:
// it has the pairs ρ_2k + ρ_2k+1 as long as they are positive, and no pair counts for more than the pair before.
func ess(chains [][]float64) float64 {
	m, n := len(chains), len(chains[0])
	total := float64(m * n)
	if n < 4 {
		return math.NaN()
	}
	within, plus := variances(chains)
	if plus == 0 {
		return total // a constant is known exactly
	}
	centred := make([][]float64, m)
	for c, x := range chains {
		mean := stat.Mean(x, nil)
		centred[c] = apply([][]float64{x}, func(v float64) float64 { return v - mean })[0]
	}
	rho := func(lag int) float64 {
		var sum float64
		for _, x := range centred {
			for i := lag; i < n; i++ {
				sum += x[i] * x[i-lag]
			}
		}
		return 1 - (within-sum/total)/plus
	}
	pair := 1 + rho(1)
	tau := -1 + 2*pair
	for k := 1; 2*k+1 < n-1; k++ {
		even := rho(2 * k)
		next := even + rho(2*k+1)
		if next < 0 || 2*k+3 >= n-1 {
			// The even half of the pair that ends the sum still belongs to the sum.
			tau += max(even, 0)
			break
		}
		pair = min(pair, next)
		tau += 2 * pair
	}
	// Antithetic chains have more effective draws than draws. The estimate of this gain is not to be trusted
	// beyond a factor of log₁₀(m·n).
	return total / max(tau, 1/math.Log10(total))
}

// variances returns W, the mean variance within a chain, and var⁺ = (n−1)/n·W + B/n, the estimate of the variance of
// the target. B/n is the variance of the means of the chains.
func variances(chains [][]float64) (within, plus float64) {
	means := make([]float64, len(chains))
	for c, x := range chains {
		mean, variance := stat.MeanVariance(x, nil)
		means[c] = mean
		within += variance / float64(len(chains))
	}
	n := float64(len(chains[0]))
	plus = within * (n - 1) / n
	if len(chains) > 1 {
		plus += stat.Variance(means, nil)
	}
	return within, plus
}
