package expfam

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Poisson is a count y ~ Poisson(e θ) with rate θ > 0 per unit of exposure;
// known is the exposure e (area, time, population), 1 by default. Its unit
// form has Stat = y, Size = e, η = log θ, A = θ.
//
// In [Data] an exposure of exactly 0 with a count of 0 is a missing cell, with
// a positive count an error.
type Poisson struct{}

var poissonNatural = unitForm("log(theta)", "theta", 0, math.Inf(1))

func (Poisson) String() string { return "poisson" }

// Natural implements [Family].
func (Poisson) Natural() Natural { return poissonNatural() }

// Validate implements [PaperForm].
func (Poisson) Validate(y, known float64) error {
	if err := checkPositive("poisson", "the exposure", constant(known, 0, 1)); err != nil {
		return err
	}
	return checkCount("poisson", "y", y)
}

// Reduce implements [Family].
func (f Poisson) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	e := constant(known, 0, 1)
	return checkTerm("poisson", y, Term{Stat: y, Size: e, Base: y*math.Log(e) - lgamma(y+1)})
}

// reduceEmpty is what no exposure contributes.
func (Poisson) reduceEmpty(y float64) (Term, error) {
	if y == 0 {
		return Term{}, nil
	}
	return Term{}, refuse("poisson", "count %g with exposure 0; leave the cell out or give its exposure", y)
}

// Rand implements [Family].
func (Poisson) Rand(theta, known float64, rng *rand.Rand) float64 {
	return poissonRand(theta*constant(known, 0, 1), rng)
}

func poissonRand(mean float64, rng *rand.Rand) float64 {
	if mean == 0 {
		return 0
	}
	return distuv.Poisson{Lambda: mean, Src: rng}.Rand()
}

// Conjugate implements [Family].
func (Poisson) Conjugate() Conjugate { return GammaPrior{} }

// DefaultLink is θ = exp(x).
func (Poisson) DefaultLink() Link { return ExpLink }

// LogDensity implements [PaperForm].
func (Poisson) LogDensity(y, theta, known float64) float64 {
	return distuv.Poisson{Lambda: theta * constant(known, 0, 1)}.LogProb(y)
}

// Moments implements [PaperForm].
func (Poisson) Moments(theta, known float64) (mean, variance float64) {
	mean = theta * constant(known, 0, 1)
	return mean, mean
}

// Form implements [PaperForm]: q = Gamma(ν+1, e τ). In the paper's Appendix F
// (Cox process) the evidence multiplies log h by e where Σ y log e belongs;
// log h is y log e − log y! here.
func (Poisson) Form(known float64) ExponentialForm {
	e := constant(known, 0, 1)
	return ExponentialForm{
		Statistic:     func(y float64) float64 { return y },
		LogBase:       func(y float64) float64 { return y*math.Log(e) - lgamma(y+1) },
		Eta:           math.Log,
		LogPartition:  func(theta float64) float64 { return e * theta },
		LogNormalizer: func(nu, tau float64) float64 { return lgamma(nu+1) - (nu+1)*math.Log(e*tau) },
		Standard:      func(nu, tau float64) (alpha, beta float64) { return nu + 1, e * tau },
		Hyper:         func(alpha, beta float64) (nu, tau float64) { return alpha - 1, beta / e },
		Normalisable:  "nu > -1, tau > 0",
	}
}
