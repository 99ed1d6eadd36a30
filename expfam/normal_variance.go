package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// NormalVariance is y ~ N(μ, θ) with known mean μ and unknown variance θ > 0;
// known overrides μ where it is not zero. Its unit form has Stat = (y−μ)²/2,
// Size = ½, η = −1/θ, A = log θ.
type NormalVariance struct {
	Mean float64 // μ, default 0
}

var scaleNatural = unitForm("-1/theta", "log(theta)", 0, math.Inf(1))

func (f NormalVariance) String() string { return fmt.Sprintf("normal-variance(mean=%g)", f.Mean) }

// Natural implements [Family].
func (NormalVariance) Natural() Natural { return scaleNatural() }

// Validate implements [PaperForm].
func (f NormalVariance) Validate(y, known float64) error {
	if err := checkFinite("normal-variance", "the mean", constant(known, f.Mean, 0)); err != nil {
		return err
	}
	return checkFinite("normal-variance", "y", y)
}

// Reduce implements [Family].
func (f NormalVariance) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	return checkTerm("normal-variance", y, varianceTerm(y, constant(known, f.Mean, 0)))
}

func varianceTerm(y, mean float64) Term {
	return Term{Stat: (y - mean) * (y - mean) / 2, Size: 0.5, Base: -logSqrt2Pi}
}

// Rand implements [Family].
func (f NormalVariance) Rand(theta, known float64, rng *rand.Rand) float64 {
	return constant(known, f.Mean, 0) + math.Sqrt(theta)*rng.NormFloat64()
}

// Conjugate implements [Family].
func (NormalVariance) Conjugate() Conjugate { return InvGammaPrior{} }

// DefaultLink is θ = exp(x).
func (NormalVariance) DefaultLink() Link { return ExpLink }

// LogDensity implements [PaperForm].
func (f NormalVariance) LogDensity(y, theta, known float64) float64 {
	return distuv.Normal{Mu: constant(known, f.Mean, 0), Sigma: math.Sqrt(theta)}.LogProb(y)
}

// Moments implements [PaperForm].
func (f NormalVariance) Moments(theta, known float64) (mean, variance float64) {
	return constant(known, f.Mean, 0), theta
}

// Form implements [PaperForm]: q = inverse Gamma(τ/2−1, τμ²/2 − ν). The
// paper's Table A1 has α = ν/2−1 and β = μτ/2 − ν, which is negative; its
// Appendix C is right.
func (f NormalVariance) Form(known float64) ExponentialForm {
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
