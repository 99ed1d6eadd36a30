package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// LogNormalVariance is log y ~ N(μ, θ), y > 0, with known mean μ and unknown
// variance θ > 0 of log y; known overrides μ where it is not zero. Its unit
// form has Stat = (log y − μ)²/2, Size = ½, η = −1/θ, A = log θ.
type LogNormalVariance struct {
	Mean float64 // μ, default 0
}

func (f LogNormalVariance) String() string { return fmt.Sprintf("lognormal-variance(mean=%g)", f.Mean) }

// Natural implements [Family].
func (LogNormalVariance) Natural() Natural { return scaleNatural() }

// Validate implements [PaperForm].
func (f LogNormalVariance) Validate(y, known float64) error {
	if err := checkFinite("lognormal-variance", "the mean", constant(known, f.Mean, 0)); err != nil {
		return err
	}
	return checkAbove("lognormal-variance", y)
}

// Reduce implements [Family].
func (f LogNormalVariance) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	t := varianceTerm(math.Log(y), constant(known, f.Mean, 0))
	t.Base -= math.Log(y)
	return checkTerm("lognormal-variance", y, t)
}

// Rand implements [Family].
func (f LogNormalVariance) Rand(theta, known float64, rng *rand.Rand) float64 {
	return math.Exp(constant(known, f.Mean, 0) + math.Sqrt(theta)*rng.NormFloat64())
}

// Conjugate implements [Family].
func (LogNormalVariance) Conjugate() Conjugate { return InvGammaPrior{} }

// DefaultLink is θ = exp(x).
func (LogNormalVariance) DefaultLink() Link { return ExpLink }

// LogDensity implements [PaperForm].
func (f LogNormalVariance) LogDensity(y, theta, known float64) float64 {
	if y <= 0 {
		return math.Inf(-1)
	}
	return distuv.LogNormal{Mu: constant(known, f.Mean, 0), Sigma: math.Sqrt(theta)}.LogProb(y)
}

// Moments implements [PaperForm].
func (f LogNormalVariance) Moments(theta, known float64) (mean, variance float64) {
	mean = math.Exp(constant(known, f.Mean, 0) + theta/2)
	return mean, math.Expm1(theta) * mean * mean
}

// Form implements [PaperForm]: q as for [NormalVariance].
func (f LogNormalVariance) Form(known float64) ExponentialForm {
	return variancePaper(constant(known, f.Mean, 0), math.Log,
		func(y float64) float64 { return -logSqrt2Pi - math.Log(y) })
}
