package gmrf

import "math"

// centreThrough is [Approximation.centre] for data that look through an operator. The third derivatives of the
// log-likelihood pull the mean off the mode by C t/2. Datum k, with η = J x to first order and v = J C Jᵀ, adds to t
//
//	tⱼ = J_kj (ℓ‴ v − W (Σ_l J_kl γ_l C_ll − 3v + 2 γⱼ (C Jᵀ)ⱼ)).
//
// The term with W holds for sums of intensities alone. The logarithm of such a sum has the
// second derivatives diag(J γ) − JᵀJ, with the relative curvature γ = f″/f′. The slope ℓ′ times
// the third derivative of that logarithm is left out: it has the size of the noise.
func (a *Approximation) centreThrough() {
	t, n, x := a.model.through, len(a.x), a.lattice.restore(a.x)
	sigma, diagonal := a.model.precision.inverse(a.factor)
	a.variance = make([]float64, n)
	for i := range a.variance {
		a.variance[i] = diagonal[i] + a.h[i]*a.h[i]/a.s
	}
	third, relativeCurvature := t.third(x, a.sites.w), t.forward.RelativeCurvatures(x)
	shift := make([]float64, n)
	var row []entry
	var spread []float64 // C Jᵀ
	for k, w := range a.sites.w {
		if w == 0 {
			continue
		}
		row = t.entries(a.sites, k, row)
		spread = a.spread(sigma, row, spread)
		var v, trace float64 // J C Jᵀ, and the trace of diag(J γ) C
		for i, c := range row {
			v += c.value * spread[i]
		}
		gamma := relativeCurvature(k)
		if gamma != nil {
			for _, c := range row {
				trace += c.value * gamma[a.lattice.order[c.at]] * a.variance[c.at]
			}
		}
		for i, c := range row {
			pull := third[k] * v
			if gamma != nil {
				pull -= w * (trace - 3*v + 2*gamma[a.lattice.order[c.at]]*spread[i])
			}
			shift[c.at] += c.value * pull / 2
		}
	}
	a.shift(shift)
	a.mean = make([]float64, n)
	for i, s := range shift {
		most := math.Sqrt(a.variance[i])
		a.mean[i] = a.x[i] + math.Min(math.Max(s, -most), most)
	}
	a.fieldMean = a.mean
}

// spread returns C times a row of J, at the cells of that row. It uses the memory of out.
func (a *Approximation) spread(sigma []float64, row []entry, out []float64) []float64 {
	out = append(out[:0], make([]float64, len(row))...)
	var level float64
	for _, c := range row {
		level += c.value * a.h[c.at] / a.s
	}
	for i, c := range row {
		p := a.model.precision
		out[i] += c.value*sigma[p.Start[c.at]] + a.h[c.at]*level
		for k, d := range row[i+1:] {
			v := sigma[p.Index(c.at, d.at)]
			out[i] += d.value * v
			out[i+1+k] += c.value * v
		}
	}
	return out
}

// third returns the third derivatives of the log-likelihoods of the data in what they look at (η, or log θ for a sum of
// intensities), by steps of a thousandth of the smaller of 1 and 1/√W.
func (t *through) third(x, w []float64) []float64 {
	step := make([]float64, len(w))
	for k, v := range w {
		step[k] = 1e-3 / math.Max(1, math.Sqrt(v))
	}
	return third(func(at, out []float64) { t.forward.Informations(at, t.obs, out) }, t.forward.Look(x), step)
}
