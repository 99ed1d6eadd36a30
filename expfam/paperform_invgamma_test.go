package expfam

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PaperNormalVariance is [NormalVariance] with what the paper lists of it.
type PaperNormalVariance struct{ NormalVariance }

// LogDensity implements [PaperForm].
func (f PaperNormalVariance) LogDensity(y, theta float64, known Known) float64 {
	return distuv.Normal{Mu: constant(known, f.Mean, 0), Sigma: math.Sqrt(theta)}.LogProb(y)
}

// Moments implements [PaperForm].
func (f PaperNormalVariance) Moments(theta float64, known Known) (mean, variance float64) {
	return constant(known, f.Mean, 0), theta
}

// Form implements [PaperForm]: q = inverse Gamma(τ/2−1, τμ²/2 − ν). The
// paper's Table A1 has α = ν/2−1 and β = μτ/2 − ν, which is negative; its
// Appendix C is right.
func (f PaperNormalVariance) Form(known Known) ExponentialForm {
	return variancePaper(constant(known, f.Mean, 0), func(y float64) float64 { return y },
		func(float64) float64 { return -logSqrt2Pi })
}

// variancePaper serves NormalVariance and LogNormalVariance, of which only the
// scale of y and h differ.
func variancePaper(mu float64, scale, logBase func(y float64) float64) ExponentialForm {
	half := mu * mu / 2
	return ExponentialForm{
		Statistic:    func(y float64) float64 { z := scale(y); return z * (mu - z/2) },
		LogBase:      logBase,
		Eta:          func(theta float64) float64 { return 1 / theta },
		LogPartition: func(theta float64) float64 { return half/theta + math.Log(theta)/2 },
		LogNormalizer: func(nu, tau float64) float64 {
			return lgamma(tau/2-1) - (tau/2-1)*math.Log(tau*half-nu)
		},
		Standard:     func(nu, tau float64) (alpha, beta float64) { return tau/2 - 1, tau*half - nu },
		Hyper:        func(alpha, beta float64) (nu, tau float64) { return mu*mu*(alpha+1) - beta, 2 * (alpha + 1) },
		Normalisable: "tau > 2, nu < tau mean²/2",
	}
}

// PaperLogNormalVariance is [LogNormalVariance] with what the paper lists of it.
type PaperLogNormalVariance struct{ LogNormalVariance }

// LogDensity implements [PaperForm].
func (f PaperLogNormalVariance) LogDensity(y, theta float64, known Known) float64 {
	if y <= 0 {
		return math.Inf(-1)
	}
	return distuv.LogNormal{Mu: constant(known, f.Mean, 0), Sigma: math.Sqrt(theta)}.LogProb(y)
}

// Moments implements [PaperForm].
func (f PaperLogNormalVariance) Moments(theta float64, known Known) (mean, variance float64) {
	mean = math.Exp(constant(known, f.Mean, 0) + theta/2)
	return mean, math.Expm1(theta) * mean * mean
}

// Form implements [PaperForm]: q as for [NormalVariance].
func (f PaperLogNormalVariance) Form(known Known) ExponentialForm {
	return variancePaper(constant(known, f.Mean, 0), math.Log,
		func(y float64) float64 { return -logSqrt2Pi - math.Log(y) })
}

// PaperWeibull is [Weibull] with what the paper lists of it.
type PaperWeibull struct{ Weibull }

// LogDensity implements [PaperForm].
func (f PaperWeibull) LogDensity(y, theta float64, known Known) float64 {
	return f.dist(theta, known).LogProb(y)
}

// Moments implements [PaperForm].
func (f PaperWeibull) Moments(theta float64, known Known) (mean, variance float64) {
	d := f.dist(theta, known)
	return d.Mean(), d.Variance()
}

// Form implements [PaperForm]: q = inverse Gamma(τ−1, ν).
func (f PaperWeibull) Form(known Known) ExponentialForm {
	k := constant(known, f.Shape, 1)
	return ExponentialForm{
		Statistic:     func(y float64) float64 { return math.Pow(y, k) },
		LogBase:       func(y float64) float64 { return math.Log(k) + (k-1)*math.Log(y) },
		Eta:           func(theta float64) float64 { return -1 / theta },
		LogPartition:  math.Log,
		LogNormalizer: func(nu, tau float64) float64 { return lgamma(tau-1) - (tau-1)*math.Log(nu) },
		Standard:      func(nu, tau float64) (alpha, beta float64) { return tau - 1, nu },
		Hyper:         func(alpha, beta float64) (nu, tau float64) { return beta, alpha + 1 },
		Normalisable:  "nu > 0, tau > 1",
	}
}

func (f PaperWeibull) dist(theta float64, known Known) distuv.Weibull {
	k := constant(known, f.Shape, 1)
	return distuv.Weibull{K: k, Lambda: math.Pow(theta, 1/k)}
}
