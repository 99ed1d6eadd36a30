package gmrf

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// centre sets the variances of x₀, and the means of field and x₀ to first order in the skewness of the cells'
// log-likelihoods. The third derivatives ℓ‴ of the log-likelihoods pull the mean off the mode by
//
//	E[x] − x̂ = C t/2,  tⱼ = ℓ‴ⱼ Cⱼⱼ,  C = Cov(x) = H⁻¹ + hhᵀ/S
//
// (Laplace's method taken one term further: Tierney & Kadane 1986, JASA 81). A few skewed cells hardly shift a
// posterior. Many cells that are skewed to the same side, as all cells of a low prevalence are, shift the field by a
// fifth of its standard deviation or more.
//
// With a nugget x and e are shifted together. Cⱼⱼ in tⱼ is then the variance of x₀, and the factor C before t is the
// covariance of the field with x₀ for the mean of the field, and Cov(x₀) for the mean of x₀. The shift of the field is
// limited to one standard deviation: for larger shifts one term does not suffice.
func (a *Approximation) centre() {
	if a.mean != nil {
		return
	}
	if a.model.through != nil {
		a.centreThrough()
		return
	}
	n, t2 := len(a.x), a.hyper.nugget*a.hyper.nugget
	_, field := a.model.precision.inverse(a.factor)
	follow, step := make([]float64, n), make([]float64, n)
	a.variance = make([]float64, n)
	for i := range field {
		field[i] += a.h[i] * a.h[i] / a.s
		// x₀ moves with the field by 1 + de/dx = 1/(1 + τ²w), as de/dx = τ²ℓ̃″.
		follow[i] = 1 - t2*a.w[i]
		a.variance[i] = follow[i]*follow[i]*field[i] + t2*follow[i]
		step[i] = math.Sqrt(a.variance[i])
	}
	pull := a.model.third(a.moved, step)
	shift := make([]float64, n)
	for i := range pull {
		pull[i] *= a.variance[i] / 2
		shift[i] = follow[i] * pull[i]
	}
	a.shift(shift)
	a.fieldMean, a.mean = make([]float64, n), make([]float64, n)
	for i, s := range shift {
		most := math.Sqrt(field[i])
		s = math.Min(math.Max(s, -most), most)
		a.fieldMean[i] = a.x[i] + s
		a.mean[i] = a.moved[i] + follow[i]*(s+t2*pull[i])
	}
}

// shift replaces t, which comes in as t/2, by C t/2. It also sets the mean of the level.
func (a *Approximation) shift(t []float64) {
	level := floats.Dot(a.h, t) / a.s
	a.levelMean = a.level + level
	solve(a.factor, t)
	floats.AddScaled(t, level, a.h)
}

// third returns the third derivatives of the cells' log-likelihoods, by steps of a thousandth of scale.
func (m *model) third(at, scale []float64) []float64 {
	step := make([]float64, len(at))
	for i, v := range scale {
		step[i] = v / 1000
	}
	return third(func(at, out []float64) { m.terms.Informations(at, m.obs, out) }, at, step)
}

// third returns the third derivatives of log-likelihoods of these informations, by central differences. A derivative is
// 0 where a step leaves the domain of the link.
func third(informations func(at, out []float64), at, step []float64) []float64 {
	n := len(at)
	place, ahead, behind := make([]float64, n), make([]float64, n), make([]float64, n)
	informations(floats.AddTo(place, at, step), ahead)
	informations(floats.SubTo(place, at, step), behind)
	for i := range ahead {
		ahead[i] = (behind[i] - ahead[i]) / (2 * step[i])
		if math.IsNaN(ahead[i]) || math.IsInf(ahead[i], 0) {
			ahead[i] = 0
		}
	}
	return ahead
}
