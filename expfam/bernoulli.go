package expfam

import (
	"math/rand/v2"
)

// Bernoulli is the family of y ∈ {0, 1} with P(y = 1) = θ, that is, [Binomial] with one
// trial. It has no known constant.
type Bernoulli struct{}

func (Bernoulli) String() string { return "bernoulli" }

// Natural implements [Family].
func (Bernoulli) Natural() Natural { return binomialNatural() }

// validate returns the reason why y or the known constant is impossible, or nil if both are possible.
func (Bernoulli) validate(y float64, known Known) error {
	if err := checkNoConstant("bernoulli", known); err != nil {
		return err
	}
	if err := checkFinite("bernoulli", "y", y); err != nil {
		return err
	}
	if y != 0 && y != 1 {
		return refuse("bernoulli", "y is %g; it must be 0 or 1", y)
	}
	return nil
}

// Reduce implements [Family].
func (f Bernoulli) Reduce(y float64, known Known) (Term, error) {
	if err := f.validate(y, known); err != nil {
		return Term{}, err
	}
	return Term{Stat: y, Size: 1}, nil
}

// Rand implements [Family].
func (Bernoulli) Rand(theta float64, _ Known, rng *rand.Rand) float64 {
	if rng.Float64() < theta {
		return 1
	}
	return 0
}

// Conjugate implements [Family].
func (Bernoulli) Conjugate() Conjugate { return BetaPrior{} }

// DefaultLink returns θ = sigmoid(x).
func (Bernoulli) DefaultLink() Link { return SigmoidLink }

// SizeName says what [Term.Size] counts.
func (Bernoulli) SizeName() string { return "trials" }
