package hmc

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/mcmc"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// ESSMean returns the effective sample size for the mean of one scalar, whose draw i of chain c is chains[c][i]
// (Vehtari et al. 2021).
func ESSMean(chains [][]float64) float64 { return mcmc.Effective(split(chains)) }

// Efficiency returns the effective number of draws divided by the number of draws. By ArviZ's definition the
// effective number is the average of [ESSMean] over the cells of x₀ and of θ. Independent draws have about 1. For
// fewer than two chains Efficiency returns 1. calibrate.LOO uses it.
func Efficiency(post *expfam.Posterior) float64 {
	chains := post.Info.Chains
	if chains < 2 {
		return 1
	}
	draws, cells := post.Dims()
	sizes := make([]float64, 2*cells)
	parallel.For(cells, parallel.Heavy, func(j int) {
		for i, x := range []mat.Matrix{post.X, post.Theta().X} {
			sizes[i*cells+j] = ESSMean(inChains(mat.Col(nil, j, x), chains))
		}
	})
	var sum, n float64
	for _, v := range sizes {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / n / float64(draws)
}

// inChains cuts the draws of a scalar into chains of equal length.
func inChains(x []float64, chains int) [][]float64 {
	out := make([][]float64, chains)
	n := len(x) / chains
	for c := range out {
		out[c] = x[c*n : (c+1)*n]
	}
	return out
}
