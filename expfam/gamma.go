package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// Gamma is y ~ Gamma(a, rate θ), y > 0, with known shape a; known overrides a.
// Its unit form has Stat = y, Size = a, η = −θ, A = −log θ.
type Gamma struct {
	Shape float64 // a, default 1
}

func (f Gamma) String() string { return fmt.Sprintf("gamma(shape=%g)", constant(0, f.Shape, 1)) }

// Natural implements [Family].
func (Gamma) Natural() Natural { return rateNatural() }

// Validate implements [PaperForm].
func (f Gamma) Validate(y, known float64) error {
	if err := checkPositive("gamma", "the shape", constant(known, f.Shape, 1)); err != nil {
		return err
	}
	return checkAbove("gamma", y)
}

// Reduce implements [Family].
func (f Gamma) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	a := constant(known, f.Shape, 1)
	return checkTerm("gamma", y, Term{Stat: y, Size: a, Base: (a-1)*math.Log(y) - lgamma(a)})
}

// Rand implements [Family].
func (f Gamma) Rand(theta, known float64, rng *rand.Rand) float64 {
	return distuv.Gamma{Alpha: constant(known, f.Shape, 1), Beta: theta, Src: rng}.Rand()
}

// Conjugate implements [Family].
func (Gamma) Conjugate() Conjugate { return GammaPrior{Times: true} }

// DefaultLink is θ = a exp(−x), so that x is the log mean of y.
func (f Gamma) DefaultLink() Link {
	return MustLink(strconv.FormatFloat(constant(0, f.Shape, 1), 'g', -1, 64) + "*exp(-x)")
}

// LogDensity implements [PaperForm].
func (f Gamma) LogDensity(y, theta, known float64) float64 {
	return distuv.Gamma{Alpha: constant(known, f.Shape, 1), Beta: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (f Gamma) Moments(theta, known float64) (mean, variance float64) {
	a := constant(known, f.Shape, 1)
	return a / theta, a / (theta * theta)
}

// Form implements [PaperForm]: q = Gamma(a τ+1, ν).
func (f Gamma) Form(known float64) ExponentialForm {
	a := constant(known, f.Shape, 1)
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
