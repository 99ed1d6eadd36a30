package expfam

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Bernoulli is y ∈ {0, 1} with P(y = 1) = θ: [Binomial] with one trial. It has
// no known constant.
type Bernoulli struct{}

func (Bernoulli) String() string { return "bernoulli" }

// Natural implements [Family].
func (Bernoulli) Natural() Natural { return binomialNatural() }

// Validate implements [PaperForm].
func (Bernoulli) Validate(y, known float64) error {
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
func (f Bernoulli) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	return Term{Stat: y, Size: 1}, nil
}

// Rand implements [Family].
func (Bernoulli) Rand(theta, _ float64, rng *rand.Rand) float64 {
	if rng.Float64() < theta {
		return 1
	}
	return 0
}

// Conjugate implements [Family].
func (Bernoulli) Conjugate() Conjugate { return BetaPrior{} }

// DefaultLink is θ = sigmoid(x).
func (Bernoulli) DefaultLink() Link { return SigmoidLink }

// LogDensity implements [PaperForm].
func (Bernoulli) LogDensity(y, theta, _ float64) float64 {
	return distuv.Bernoulli{P: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (Bernoulli) Moments(theta, _ float64) (mean, variance float64) {
	return theta, theta * (1 - theta)
}

// Form implements [PaperForm]: q = Beta(ν+1, τ − ν + 1).
func (Bernoulli) Form(float64) ExponentialForm { return binomialPaper(1) }
