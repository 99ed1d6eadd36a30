package hmc

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/internal/mcmc"
)

// RHat returns the rank-normalised split R-hat of one scalar, whose draw i of chain c is chains[c][i]. It is the
// larger of the R-hat of the draws, which compares locations, and the R-hat of the draws folded about the median,
// which compares scales. Values above 1.01 mean that the chains have not forgotten their starting points. It is NaN if
// all draws are equal, or if a draw is NaN. Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16.
func RHat(chains [][]float64) float64 {
	if unknown(chains) {
		return math.NaN()
	}
	halves := split(chains)
	all := slices.Sorted(slices.Values(slices.Concat(halves...)))
	middle := len(all) / 2
	median := all[middle]
	if len(all)%2 == 0 {
		median = (all[middle-1] + all[middle]) / 2
	}
	folded := apply(halves, func(x float64) float64 { return math.Abs(x - median) })
	location, scale := rhat(rankNormalise(halves)), rhat(rankNormalise(folded))
	if math.IsNaN(scale) { // all draws are equally far from the median
		return location
	}
	return max(location, scale)
}

// rhat returns √(var⁺/W).
func rhat(chains [][]float64) float64 {
	within, plus := mcmc.Variances(chains)
	return math.Sqrt(plus / within)
}

// EBFMI returns the energy Bayesian fraction of missing information of one chain,
// Σ(Eᵢ − Eᵢ₋₁)² / Σ(Eᵢ − Ē)² (Betancourt 2016, arXiv:1604.00695). Below 0.3 the momentum changes
// the energy too little, and the chain explores the tails slowly.
func EBFMI(energy []float64) float64 {
	var steps, spread float64
	mean := stat.Mean(energy, nil)
	for i, e := range energy {
		spread += (e - mean) * (e - mean)
		if i > 0 {
			steps += (e - energy[i-1]) * (e - energy[i-1])
		}
	}
	return steps / spread
}

// split cuts every chain into two halves, so that a drift within a chain counts as disagreement. The middle draw of an
// odd number is left out.
func split(chains [][]float64) [][]float64 {
	halves := make([][]float64, 0, 2*len(chains))
	for _, x := range chains {
		half := len(x) / 2
		halves = append(halves, x[:half], x[len(x)-half:])
	}
	return halves
}

// rankNormalise replaces every draw by Φ⁻¹((r − 3/8)/(S + 1/4)), where r is its rank among all S draws. Equal draws get
// their average rank (Blom 1958).
func rankNormalise(chains [][]float64) [][]float64 {
	all := slices.Concat(chains...)
	order := make([]int, len(all))
	floats.Argsort(all, order) // all is in ascending order now
	size := float64(len(all))
	flat := make([]float64, len(all))
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j] == all[i] {
			j++
		}
		// The equal draws have the ranks i+1 … j, on average (i+1+j)/2.
		score := distuv.UnitNormal.Quantile((float64(i+1+j)/2 - 0.375) / (size + 0.25))
		for ; i < j; i++ {
			flat[order[i]] = score
		}
	}
	out := make([][]float64, len(chains))
	for c, x := range chains {
		out[c], flat = flat[:len(x)], flat[len(x):]
	}
	return out
}

// apply returns f of every draw.
func apply(chains [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for c, x := range chains {
		out[c] = make([]float64, len(x))
		for i, v := range x {
			out[c][i] = f(v)
		}
	}
	return out
}
