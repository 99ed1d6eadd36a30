package expfam

import (
	"math"
	"math/rand/v2"
)

// Geometric is the number y of failures before the first success, where each trial is a success with probability θ. It
// is [NegativeBinomial] with r = 1. It has no known constant.
type Geometric struct{}

func (Geometric) String() string { return "geometric" }

// Natural implements [Family].
func (Geometric) Natural() Natural { return failuresNatural() }

// Reduce implements [Family].
func (Geometric) Reduce(y float64, known Known) (Term, error) {
	return checkTerm("geometric", y, Term{Stat: y, Size: 1}, checkNoConstant("geometric", known),
		checkCount("geometric", "y", y))
}

// Rand implements [Family]. It draws the whole part of an exponential time with rate −log(1−θ).
func (Geometric) Rand(theta float64, _ Known, rng *rand.Rand) float64 {
	return math.Floor(rng.ExpFloat64() / -math.Log1p(-theta))
}

// Conjugate implements [Family].
func (Geometric) Conjugate() Conjugate { return BetaPrior{Failures: true} }

// DefaultLink returns θ = sigmoid(x).
func (Geometric) DefaultLink() Link { return SigmoidLink }
