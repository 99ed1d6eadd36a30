package hmc

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/certify"
	"github.com/expfam/lab/expfam/internal/parallel"
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
	location, scale := certify.RHat(rankNormalise(halves)), certify.RHat(rankNormalise(folded))
	if math.IsNaN(scale) { // all draws are equally far from the median
		return location
	}
	return max(location, scale)
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

// ESSBulk returns the rank-normalised effective sample size of one scalar, whose draw i of chain c is chains[c][i].
// It is the number of independent draws that would estimate the centre of the distribution equally well.
// Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16.
//
// It is NaN if a draw is NaN.
func ESSBulk(chains [][]float64) float64 {
	if unknown(chains) {
		return math.NaN()
	}
	return certify.Effective(rankNormalise(split(chains)))
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
		smallest = min(smallest, certify.Effective(split(apply(chains, func(x float64) float64 {
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

// ESSMean returns the effective sample size for the mean of one scalar, whose draw i of chain c is chains[c][i]
// (Vehtari et al. 2021).
func ESSMean(chains [][]float64) float64 { return certify.Effective(split(chains)) }

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
			sizes[i*cells+j] = ESSMean(certify.Chains(mat.Col(nil, j, x), chains))
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

// diagnose returns the diagnostics that [Sample] lists. The error is not nil if R-hat is above its limit in any cell,
// or if any transition diverged. Cells whose prior variance is 0 are left out, because their draws are equal and have
// no R-hat.
func diagnose(x *mat.Dense, records []record, o Options) (map[string]float64, *NotConverged) {
	_, cells := x.Dims()
	rhats, bulks, tails := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	parallel.For(cells, parallel.Heavy, func(j int) {
		chains := certify.Chains(mat.Col(nil, j, x), o.Chains)
		rhats[j], bulks[j], tails[j] = RHat(chains), ESSBulk(chains), ESSTail(chains)
	})

	worst := NotConverged{}
	d := map[string]float64{"ess_bulk": math.Inf(1), "ess_tail": math.Inf(1), "ebfmi": math.Inf(1)}
	for j, r := range rhats {
		if math.IsNaN(r) {
			continue
		}
		if r > worst.RHat {
			worst.RHat, worst.Cell = r, j
		}
		d["ess_bulk"], d["ess_tail"] = math.Min(d["ess_bulk"], bulks[j]), math.Min(d["ess_tail"], tails[j])
	}
	for _, r := range records {
		n := float64(len(records))
		d["accept"] += floats.Sum(r.accept) / float64(len(r.accept)) / n
		d["step"] += r.step / n
		d["gradients"] += float64(r.gradients) / n / float64(o.Draws)
		d["ebfmi"] = math.Min(d["ebfmi"], EBFMI(r.energy))
		worst.Divergences += int(floats.Sum(r.diverging))
	}
	d["rhat"], d["divergences"] = worst.RHat, float64(worst.Divergences)
	if worst.RHat > maxRHat || worst.Divergences > 0 {
		return d, &worst
	}
	return d, nil
}
