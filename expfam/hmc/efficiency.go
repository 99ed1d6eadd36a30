package hmc

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// ESSMean is the effective sample size for the mean of one scalar, given as chains[c][i]
// (Vehtari et al. 2021).
func ESSMean(chains [][]float64) float64 { return ess(split(chains)) }

// Efficiency is the effective number of draws divided by their number, by ArviZ's definition: the
// average of [ESSMean] over the cells of x₀ and of θ. calibrate.LOO takes it. It is 1 for independent
// draws, and for fewer than two chains.
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

// inChains are the draws of a scalar, chain by chain.
func inChains(x []float64, chains int) [][]float64 {
	out := make([][]float64, chains)
	n := len(x) / chains
	for c := range out {
		out[c] = x[c*n : (c+1)*n]
	}
	return out
}
