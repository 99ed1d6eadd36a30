package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Weibull is y > 0 with known shape k and θ the k-th power of its scale, θ > 0:
// density k y^(k−1) exp(−yᵏ/θ)/θ; known overrides k. Its unit form has
// Stat = yᵏ, Size = 1, η = −1/θ, A = log θ.
type Weibull struct {
	Shape float64 // k, default 1
}

func (f Weibull) String() string { return fmt.Sprintf("weibull(shape=%g)", constant(0, f.Shape, 1)) }

// Natural implements [Family].
func (Weibull) Natural() Natural { return scaleNatural() }

// Validate implements [PaperForm].
func (f Weibull) Validate(y, known float64) error {
	if err := checkPositive("weibull", "the shape", constant(known, f.Shape, 1)); err != nil {
		return err
	}
	return checkAbove("weibull", y)
}

// Reduce implements [Family].
func (f Weibull) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	k := constant(known, f.Shape, 1)
	return checkTerm("weibull", y, Term{Stat: math.Pow(y, k), Size: 1, Base: math.Log(k) + (k-1)*math.Log(y)})
}

// Rand implements [Family].
func (f Weibull) Rand(theta, known float64, rng *rand.Rand) float64 {
	return math.Pow(theta*rng.ExpFloat64(), 1/constant(known, f.Shape, 1))
}

// Conjugate implements [Family].
func (Weibull) Conjugate() Conjugate { return InvGammaPrior{} }

// DefaultLink is θ = exp(x).
func (Weibull) DefaultLink() Link { return ExpLink }

// LogDensity implements [PaperForm].
func (f Weibull) LogDensity(y, theta, known float64) float64 {
	return f.dist(theta, known).LogProb(y)
}

// Moments implements [PaperForm].
func (f Weibull) Moments(theta, known float64) (mean, variance float64) {
	d := f.dist(theta, known)
	return d.Mean(), d.Variance()
}

func (f Weibull) dist(theta, known float64) distuv.Weibull {
	k := constant(known, f.Shape, 1)
	return distuv.Weibull{K: k, Lambda: math.Pow(theta, 1/k)}
}

// Form implements [PaperForm]: q = inverse Gamma(τ−1, ν).
func (f Weibull) Form(known float64) ExponentialForm {
	k := constant(known, f.Shape, 1)
	return ExponentialForm{
		Statistic:     func(y float64) float64 { return math.Pow(y, k) },
		LogBase:       func(y float64) float64 { return math.Log(k) + (k-1)*math.Log(y) },
		Eta:           func(theta float64) float64 { return -1 / theta },
		LogPartition:  math.Log,
		LogNormalizer: func(nu, tau float64) float64 { return lgamma(tau-1) - (tau-1)*math.Log(nu) },
		Standard:      func(nu, tau float64) (alpha, beta float64) { return tau - 1, nu },
		Hyper:         func(alpha, beta float64) (nu, tau float64) { return beta, alpha + 1 },
		Normalisable:  "nu > 0, tau > 1",
	}
}
