package expfam

import (
	"math"
	"math/rand/v2"
)

// Geometric is the number y of failures before the first success, each trial a
// success with probability θ: [NegativeBinomial] with r = 1. It has no known
// constant.
type Geometric struct{}

func (Geometric) String() string { return "geometric" }

// Natural implements [Family].
func (Geometric) Natural() Natural { return failuresNatural() }

// Validate implements [PaperForm].
func (Geometric) Validate(y, known float64) error {
	if err := checkNoConstant("geometric", known); err != nil {
		return err
	}
	return checkCount("geometric", "y", y)
}

// Reduce implements [Family].
func (f Geometric) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	return Term{Stat: y, Size: 1}, nil
}

// Rand implements [Family]: the whole part of an exponential time.
func (Geometric) Rand(theta, _ float64, rng *rand.Rand) float64 {
	return math.Floor(rng.ExpFloat64() / -math.Log1p(-theta))
}

// Conjugate implements [Family].
func (Geometric) Conjugate() Conjugate { return BetaPrior{Failures: true} }

// DefaultLink is θ = sigmoid(x).
func (Geometric) DefaultLink() Link { return SigmoidLink }

// LogDensity implements [PaperForm]: θ(1−θ)ʸ.
func (Geometric) LogDensity(y, theta, _ float64) float64 {
	if y < 0 || y != math.Trunc(y) {
		return math.Inf(-1)
	}
	return math.Log(theta * math.Pow(1-theta, y))
}

// Moments implements [PaperForm].
func (Geometric) Moments(theta, _ float64) (mean, variance float64) {
	mean = (1 - theta) / theta
	return mean, mean / theta
}

// Form implements [PaperForm]: q = Beta(τ+1, ν+1).
func (Geometric) Form(float64) ExponentialForm { return negbinomialPaper(1) }
