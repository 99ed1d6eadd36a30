package expfam

import (
	"math"
	"math/rand/v2"
)

// Exponential is the family of waiting times y ~ Exponential(θ), y ≥ 0, with rate θ > 0.
// Its unit form has Stat = y, Size = 1, η = −θ, A = −log θ. It has no known constant.
type Exponential struct{}

var rateNatural = unitForm("-theta", "-log(theta)", 0, math.Inf(1))

func (Exponential) String() string { return "exponential" }

// Natural implements [Family].
func (Exponential) Natural() Natural { return rateNatural() }

// checkNoConstant refuses a known constant for a family that has none.
func checkNoConstant(family string, known Known) error {
	if known != (Known{}) {
		return refuse(family, "known is %g, but the family has no known constant", known.Or(0))
	}
	return nil
}

// Reduce implements [Family].
func (Exponential) Reduce(y float64, known Known) (Term, error) {
	err := checkFinite("exponential", "y", y)
	if err == nil && y < 0 {
		err = refuse("exponential", "y is %g; a waiting time is at least 0", y)
	}
	return checkTerm("exponential", y, Term{Stat: y, Size: 1}, err, checkNoConstant("exponential", known))
}

// Rand implements [Family].
func (Exponential) Rand(theta float64, _ Known, rng *rand.Rand) float64 {
	return rng.ExpFloat64() / theta
}

// Conjugate implements [Family].
func (Exponential) Conjugate() Conjugate { return GammaPrior{Times: true} }

// DefaultLink returns θ = exp(−x), so that x is the log mean of y.
func (Exponential) DefaultLink() Link { return MustLink("exp(-x)") }
