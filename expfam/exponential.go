package expfam

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Exponential is a waiting time y ~ Exponential(θ), y ≥ 0, with rate θ > 0. Its
// unit form has Stat = y, Size = 1, η = −θ, A = −log θ. It has no known
// constant.
type Exponential struct{}

var rateNatural = unitForm("-theta", "-log(theta)", 0, math.Inf(1))

func (Exponential) String() string { return "exponential" }

// Natural implements [Family].
func (Exponential) Natural() Natural { return rateNatural() }

// Validate implements [PaperForm].
func (Exponential) Validate(y, known float64) error {
	if err := checkFinite("exponential", "y", y); err != nil {
		return err
	}
	if y < 0 {
		return refuse("exponential", "y is %g; a waiting time is at least 0", y)
	}
	return checkNoConstant("exponential", known)
}

// checkNoConstant refuses a constant for a family that has none.
func checkNoConstant(family string, known float64) error {
	if known != 0 {
		return refuse(family, "known is %g, but the family has no known constant", known)
	}
	return nil
}

// Reduce implements [Family].
func (f Exponential) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	return Term{Stat: y, Size: 1}, nil
}

// Rand implements [Family].
func (Exponential) Rand(theta, _ float64, rng *rand.Rand) float64 { return rng.ExpFloat64() / theta }

// Conjugate implements [Family].
func (Exponential) Conjugate() Conjugate { return GammaPrior{Times: true} }

// DefaultLink is θ = exp(−x), so that x is the log mean of y.
func (Exponential) DefaultLink() Link { return MustLink("exp(-x)") }

// LogDensity implements [PaperForm].
func (Exponential) LogDensity(y, theta, _ float64) float64 {
	return distuv.Exponential{Rate: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (Exponential) Moments(theta, _ float64) (mean, variance float64) {
	return 1 / theta, 1 / (theta * theta)
}

// Form implements [PaperForm]: q = Gamma(τ+1, ν).
func (Exponential) Form(float64) ExponentialForm {
	return ExponentialForm{
		Statistic:     func(y float64) float64 { return y },
		LogBase:       func(float64) float64 { return 0 },
		Eta:           func(theta float64) float64 { return -theta },
		LogPartition:  func(theta float64) float64 { return -math.Log(theta) },
		LogNormalizer: func(nu, tau float64) float64 { return lgamma(tau+1) - (tau+1)*math.Log(nu) },
		Standard:      func(nu, tau float64) (alpha, beta float64) { return tau + 1, nu },
		Hyper:         func(alpha, beta float64) (nu, tau float64) { return beta, alpha - 1 },
		Normalisable:  "nu > 0, tau > -1",
	}
}
