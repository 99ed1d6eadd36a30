package certify

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Chains cuts the draws of a scalar into n chains of equal length, which stand one behind the other.
func Chains(draws []float64, n int) [][]float64 {
	out, length := make([][]float64, n), len(draws)/n
	for c := range out {
		out[c] = draws[c*length : (c+1)*length]
	}
	return out
}

// Effective returns m·n/τ for m chains of n draws, where τ is the autocorrelation time. The autocorrelation ρ_t
// combines the chains, so chains that disagree count as correlated. The sum in τ ends by Geyer's (1992) initial
// monotone sequence: it has the pairs ρ_2k + ρ_2k+1 as long as they are positive, and no pair counts for more than the
// pair before.
func Effective(chains [][]float64) float64 {
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
		centred[c] = make([]float64, n)
		for i, v := range x {
			centred[c][i] = v - mean
		}
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

// RHat returns √(var⁺/W), the R-hat of chains that are not split.
func RHat(chains [][]float64) float64 {
	within, plus := variances(chains)
	return math.Sqrt(plus / within)
}

// variances returns W, the mean variance within a chain, and var⁺ = (n−1)/n·W + B/n, the estimate of the variance
// of the target. B/n is the variance of the means of the chains.
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
