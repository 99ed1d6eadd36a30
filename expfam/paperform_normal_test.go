package expfam

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PaperNormal is [Normal] with what the paper lists of it.
type PaperNormal struct{ Normal }

// LogDensity implements [PaperForm].
func (f PaperNormal) LogDensity(y, theta float64, known Known) float64 {
	return distuv.Normal{Mu: theta, Sigma: constant(known, f.SD, 1)}.LogProb(y)
}

// Moments implements [PaperForm].
func (f PaperNormal) Moments(theta float64, known Known) (mean, variance float64) {
	sd := constant(known, f.SD, 1)
	return theta, sd * sd
}

// Form implements [PaperForm]: q = N(ν/τ, σ²/τ). The paper's remark that A is
// −½ θᵀΣ⁻¹θ has the sign wrong.
func (f PaperNormal) Form(known Known) ExponentialForm {
	sd := constant(known, f.SD, 1)
	return normalPaper(sd, func(y float64) float64 { return y },
		func(y float64) float64 { return -logSqrt2Pi - math.Log(sd) - y*y/(2*sd*sd) })
}

// normalPaper serves Normal and LogNormal, whose T and h differ.
func normalPaper(sd float64, statistic, logBase func(y float64) float64) ExponentialForm {
	v := sd * sd
	return ExponentialForm{
		Statistic:     statistic,
		LogBase:       logBase,
		Eta:           func(theta float64) float64 { return theta / v },
		LogPartition:  func(theta float64) float64 { return theta * theta / (2 * v) },
		LogPriorBase:  -logSqrt2Pi,
		LogNormalizer: func(nu, tau float64) float64 { return nu*nu/(2*tau*v) - math.Log(tau/v)/2 },
		Standard:      func(nu, tau float64) (mean, precision float64) { return nu / tau, tau / v },
		Hyper:         func(mean, precision float64) (nu, tau float64) { return mean * precision * v, precision * v },
		Normalisable:  "tau > 0",
	}
}

// PaperLogNormal is [LogNormal] with what the paper lists of it.
type PaperLogNormal struct{ LogNormal }

// LogDensity implements [PaperForm].
func (f PaperLogNormal) LogDensity(y, theta float64, known Known) float64 {
	if y <= 0 {
		return math.Inf(-1)
	}
	return distuv.LogNormal{Mu: theta, Sigma: constant(known, f.SD, 1)}.LogProb(y)
}

// Moments implements [PaperForm].
func (f PaperLogNormal) Moments(theta float64, known Known) (mean, variance float64) {
	sd := constant(known, f.SD, 1)
	mean = math.Exp(theta + sd*sd/2)
	return mean, math.Expm1(sd*sd) * mean * mean
}

// Form implements [PaperForm]: q = N(ν/τ, σ²/τ), with one τ a cell as for
// Normal; the paper's line has a matrix.
func (f PaperLogNormal) Form(known Known) ExponentialForm {
	sd := constant(known, f.SD, 1)
	return normalPaper(sd, math.Log, func(y float64) float64 {
		l := math.Log(y)
		return -logSqrt2Pi - math.Log(sd) - l - l*l/(2*sd*sd)
	})
}
