package expfam

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PaperForm is a family with all that the paper's Appendix C and Table A1 list of it, and with a density that is
// computed without its exponential form. Known stands for the observation's own constant as in [Family].Reduce.
type PaperForm interface {
	Family
	// LogDensity is log p(y | θ); −Inf outside the support.
	LogDensity(y, theta float64, known Known) float64
	// Moments are the mean and the variance of y given θ, +Inf where they diverge.
	Moments(theta float64, known Known) (mean, variance float64)
	// Form is the exponential form with its natural conjugate prior.
	Form(known Known) ExponentialForm
}

// ExponentialForm is a family as in the paper's Appendix C, for one value of the known constant:
//
//	p(y | θ) = h(y) exp(η(θ) T(y) − A(θ)),
//	q(θ | ν, τ) = h_θ exp(ν η(θ) − τ A(θ) − A_θ(ν, τ)).
//
// Observing y turns (ν, τ) into (ν + T(y), τ + 1).
type ExponentialForm struct {
	Statistic    func(y float64) float64     // T(y)
	LogBase      func(y float64) float64     // log h(y)
	Eta          func(theta float64) float64 // η(θ)
	LogPartition func(theta float64) float64 // A(η(θ))
	// LogPriorBase is log h_θ.
	LogPriorBase float64
	// LogNormalizer is A_θ(ν, τ).
	LogNormalizer func(nu, tau float64) float64
	// Standard maps (ν, τ) to the conjugate's standard parameters, Hyper back. All standard parameters but the Normal's
	// mean must be positive, which is what Normalisable says in terms of ν and τ.
	Standard     func(nu, tau float64) (a, b float64)
	Hyper        func(a, b float64) (nu, tau float64)
	Normalisable string
}

// LogDensity is log h(y) + η(θ) T(y) − A(θ).
func (p ExponentialForm) LogDensity(y, theta float64) float64 {
	return p.LogBase(y) + p.Eta(theta)*p.Statistic(y) - p.LogPartition(theta)
}

// PriorAt is the conjugate prior at the paper's hyperparameters (ν, τ). It is
// an error if they do not give a normalisable density.
func PriorAt(f PaperForm, nu, tau float64, known Known) (Standard, error) {
	p := f.Form(known)
	s := Standard{Conjugate: f.Conjugate()}
	s.A, s.B = p.Standard(nu, tau)
	_, normal := s.Conjugate.(NormalPrior)
	if !(s.B > 0) || !(normal || s.A > 0) {
		return Standard{}, fmt.Errorf("%s: (nu, tau) = (%g, %g) gives no normalisable prior; it must satisfy %s", f, nu,
			tau, p.Normalisable)
	}
	return s, nil
}

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

// Form implements [PaperForm]: q = N(ν/τ, σ²/τ). The paper's remark that A is −½ θᵀΣ⁻¹θ has the sign wrong.
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

// Form implements [PaperForm]: q = N(ν/τ, σ²/τ), with one τ a cell as for Normal; the paper's line has a matrix.
func (f PaperLogNormal) Form(known Known) ExponentialForm {
	sd := constant(known, f.SD, 1)
	return normalPaper(sd, math.Log, func(y float64) float64 {
		l := math.Log(y)
		return -logSqrt2Pi - math.Log(sd) - l - l*l/(2*sd*sd)
	})
}

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

// Form implements [PaperForm]: q = inverse Gamma(τ/2−1, τμ²/2 − ν). The paper's Table A1 has α = ν/2−1 and β = μτ/2 −
// ν, which is negative; its Appendix C is right.
func (f PaperNormalVariance) Form(known Known) ExponentialForm {
	return variancePaper(constant(known, f.Mean, 0), func(y float64) float64 { return y },
		func(float64) float64 { return -logSqrt2Pi })
}

// variancePaper serves NormalVariance and LogNormalVariance, of which only the scale of y and h differ.
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
