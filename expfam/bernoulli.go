package expfam

import (
	"cmp"
	"math/rand/v2"
)

// Bernoulli is the family of y ∈ {0, 1} with P(y = 1) = θ, that is, [Binomial] with one
// trial. It has no known constant.
type Bernoulli struct{}

func (Bernoulli) String() string { return "bernoulli" }

// Natural implements [Family].
func (Bernoulli) Natural() Natural { return binomialNatural() }

// Reduce implements [Family].
func (Bernoulli) Reduce(y float64, known Known) (Term, error) {
	err := cmp.Or(checkNoConstant("bernoulli", known), checkFinite("bernoulli", "y", y))
	if err == nil && y != 0 && y != 1 {
		err = refuse("bernoulli", "y is %g; it must be 0 or 1", y)
	}
	return checkTerm("bernoulli", y, Term{Stat: y, Size: 1}, err)
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

// SizeName names what [Term.Size] counts.
func (Bernoulli) SizeName() string { return "trials" }
