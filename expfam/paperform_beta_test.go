package expfam

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PaperBernoulli is [Bernoulli] with what the paper lists of it.
type PaperBernoulli struct{ Bernoulli }

// LogDensity implements [PaperForm].
func (PaperBernoulli) LogDensity(y, theta float64, _ Known) float64 {
	return distuv.Bernoulli{P: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (PaperBernoulli) Moments(theta float64, _ Known) (mean, variance float64) {
	return theta, theta * (1 - theta)
}

// Form implements [PaperForm]: q = Beta(ν+1, τ − ν + 1).
func (PaperBernoulli) Form(Known) ExponentialForm { return binomialPaper(1) }

// PaperBinomial is [Binomial] with what the paper lists of it.
type PaperBinomial struct{ Binomial }

// LogDensity implements [PaperForm].
func (f PaperBinomial) LogDensity(y, theta float64, known Known) float64 {
	return distuv.Binomial{N: constant(known, f.Trials, 1), P: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (f PaperBinomial) Moments(theta float64, known Known) (mean, variance float64) {
	mean = constant(known, f.Trials, 1) * theta
	return mean, mean * (1 - theta)
}

// Form implements [PaperForm]: q = Beta(ν+1, n τ − ν + 1).
func (f PaperBinomial) Form(known Known) ExponentialForm {
	return binomialPaper(constant(known, f.Trials, 1))
}

func binomialPaper(n float64) ExponentialForm {
	return ExponentialForm{
		Statistic:    func(y float64) float64 { return y },
		LogBase:      func(y float64) float64 { return logChoose(n, y) },
		Eta:          func(theta float64) float64 { return math.Log(theta / (1 - theta)) },
		LogPartition: func(theta float64) float64 { return -n * math.Log1p(-theta) },
		LogNormalizer: func(nu, tau float64) float64 {
			return lgamma(nu+1) + lgamma(n*tau-nu+1) - lgamma(n*tau+2)
		},
		Standard:     func(nu, tau float64) (alpha, beta float64) { return nu + 1, n*tau - nu + 1 },
		Hyper:        func(alpha, beta float64) (nu, tau float64) { return alpha - 1, (alpha + beta - 2) / n },
		Normalisable: "nu > -1, trials tau > nu - 1",
	}
}

// PaperNegativeBinomial is [NegativeBinomial] with what the paper lists of it.
type PaperNegativeBinomial struct{ NegativeBinomial }

// LogDensity implements [PaperForm]: Γ(y+r)/(Γ(r) y!) θʳ (1−θ)ʸ.
func (f PaperNegativeBinomial) LogDensity(y, theta float64, known Known) float64 {
	if y < 0 || y != math.Trunc(y) {
		return math.Inf(-1)
	}
	r := constant(known, f.Successes, 1)
	return lgamma(y+r) - lgamma(r) - lgamma(y+1) + r*math.Log(theta) + y*math.Log1p(-theta)
}

// Moments implements [PaperForm].
func (f PaperNegativeBinomial) Moments(theta float64, known Known) (mean, variance float64) {
	mean = constant(known, f.Successes, 1) * (1 - theta) / theta
	return mean, mean / theta
}

// Form implements [PaperForm]: q = Beta(r τ+1, ν+1).
func (f PaperNegativeBinomial) Form(known Known) ExponentialForm {
	return negbinomialPaper(constant(known, f.Successes, 1))
}

func negbinomialPaper(r float64) ExponentialForm {
	return ExponentialForm{
		Statistic:    func(y float64) float64 { return y },
		LogBase:      func(y float64) float64 { return logChoose(y+r-1, y) },
		Eta:          func(theta float64) float64 { return math.Log1p(-theta) },
		LogPartition: func(theta float64) float64 { return -r * math.Log(theta) },
		LogNormalizer: func(nu, tau float64) float64 {
			return lgamma(r*tau+1) + lgamma(nu+1) - lgamma(r*tau+nu+2)
		},
		Standard:     func(nu, tau float64) (alpha, beta float64) { return r*tau + 1, nu + 1 },
		Hyper:        func(alpha, beta float64) (nu, tau float64) { return beta - 1, (alpha - 1) / r },
		Normalisable: "nu > -1, tau > -1/successes",
	}
}

// PaperGeometric is [Geometric] with what the paper lists of it.
type PaperGeometric struct{ Geometric }

// LogDensity implements [PaperForm]: θ(1−θ)ʸ.
func (PaperGeometric) LogDensity(y, theta float64, _ Known) float64 {
	if y < 0 || y != math.Trunc(y) {
		return math.Inf(-1)
	}
	return math.Log(theta * math.Pow(1-theta, y))
}

// Moments implements [PaperForm].
func (PaperGeometric) Moments(theta float64, _ Known) (mean, variance float64) {
	mean = (1 - theta) / theta
	return mean, mean / theta
}

// Form implements [PaperForm]: q = Beta(τ+1, ν+1).
func (PaperGeometric) Form(Known) ExponentialForm { return negbinomialPaper(1) }

// PaperPoisson is [Poisson] with what the paper lists of it.
type PaperPoisson struct{ Poisson }

// LogDensity implements [PaperForm].
func (PaperPoisson) LogDensity(y, theta float64, known Known) float64 {
	return distuv.Poisson{Lambda: theta * constant(known, 0, 1)}.LogProb(y)
}

// Moments implements [PaperForm].
func (PaperPoisson) Moments(theta float64, known Known) (mean, variance float64) {
	mean = theta * constant(known, 0, 1)
	return mean, mean
}

// Form implements [PaperForm]: q = Gamma(ν+1, e τ). In the paper's Appendix F (Cox process) the evidence multiplies log
// h by e where Σ y log e belongs; log h is y log e − log y! here.
func (PaperPoisson) Form(known Known) ExponentialForm {
	e := constant(known, 0, 1)
	return ExponentialForm{
		Statistic:     func(y float64) float64 { return y },
		LogBase:       func(y float64) float64 { return y*math.Log(e) - lgamma(y+1) },
		Eta:           math.Log,
		LogPartition:  func(theta float64) float64 { return e * theta },
		LogNormalizer: func(nu, tau float64) float64 { return lgamma(nu+1) - (nu+1)*math.Log(e*tau) },
		Standard:      func(nu, tau float64) (alpha, beta float64) { return nu + 1, e * tau },
		Hyper:         func(alpha, beta float64) (nu, tau float64) { return alpha - 1, beta / e },
		Normalisable:  "nu > -1, tau > 0",
	}
}

// PaperExponential is [Exponential] with what the paper lists of it.
type PaperExponential struct{ Exponential }

// LogDensity implements [PaperForm].
func (PaperExponential) LogDensity(y, theta float64, _ Known) float64 {
	return distuv.Exponential{Rate: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (PaperExponential) Moments(theta float64, _ Known) (mean, variance float64) {
	return 1 / theta, 1 / (theta * theta)
}

// Form implements [PaperForm]: q = Gamma(τ+1, ν).
func (PaperExponential) Form(Known) ExponentialForm { return gammaPaper(1) }

// PaperGamma is [Gamma] with what the paper lists of it.
type PaperGamma struct{ Gamma }

// LogDensity implements [PaperForm].
func (f PaperGamma) LogDensity(y, theta float64, known Known) float64 {
	return distuv.Gamma{Alpha: constant(known, f.Shape, 1), Beta: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (f PaperGamma) Moments(theta float64, known Known) (mean, variance float64) {
	a := constant(known, f.Shape, 1)
	return a / theta, a / (theta * theta)
}

// Form implements [PaperForm]: q = Gamma(a τ+1, ν).
func (f PaperGamma) Form(known Known) ExponentialForm {
	return gammaPaper(constant(known, f.Shape, 1))
}

func gammaPaper(a float64) ExponentialForm {
	return ExponentialForm{
		Statistic:     func(y float64) float64 { return y },
		LogBase:       func(y float64) float64 { return (a-1)*math.Log(y) - lgamma(a) },
		Eta:           func(theta float64) float64 { return -theta },
		LogPartition:  func(theta float64) float64 { return -a * math.Log(theta) },
		LogNormalizer: func(nu, tau float64) float64 { return lgamma(a*tau+1) - (a*tau+1)*math.Log(nu) },
		Standard:      func(nu, tau float64) (alpha, beta float64) { return a*tau + 1, nu },
		Hyper:         func(alpha, beta float64) (nu, tau float64) { return beta, (alpha - 1) / a },
		Normalisable:  "nu > 0, tau > -1/shape",
	}
}

// PaperPareto is [Pareto] with what the paper lists of it.
type PaperPareto struct{ Pareto }

// LogDensity implements [PaperForm].
func (f PaperPareto) LogDensity(y, theta float64, known Known) float64 {
	return distuv.Pareto{Xm: constant(known, f.Scale, 1), Alpha: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (f PaperPareto) Moments(theta float64, known Known) (mean, variance float64) {
	d := distuv.Pareto{Xm: constant(known, f.Scale, 1), Alpha: theta}
	return d.Mean(), d.Variance()
}

// Form implements [PaperForm]: q = Gamma(τ+1, ν − τ log m). With η = −θ−1 the normaliser has the extra −ν.
func (f PaperPareto) Form(known Known) ExponentialForm {
	l := math.Log(constant(known, f.Scale, 1))
	return ExponentialForm{
		Statistic:    math.Log,
		LogBase:      func(float64) float64 { return 0 },
		Eta:          func(theta float64) float64 { return -theta - 1 },
		LogPartition: func(theta float64) float64 { return -math.Log(theta) - theta*l },
		LogNormalizer: func(nu, tau float64) float64 {
			return lgamma(tau+1) - nu - (tau+1)*math.Log(nu-tau*l)
		},
		Standard:     func(nu, tau float64) (alpha, beta float64) { return tau + 1, nu - tau*l },
		Hyper:        func(alpha, beta float64) (nu, tau float64) { return (alpha-1)*l + beta, alpha - 1 },
		Normalisable: "tau > -1, nu > tau log(scale)",
	}
}
