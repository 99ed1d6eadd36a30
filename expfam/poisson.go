package expfam

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Poisson is the likelihood of a count y ~ Poisson(e θ) with rate θ > 0 per unit of exposure. The known
// constant of an observation is the exposure e (area, time, population), 1 by default. The unit form has
// Stat = y, Size = e, η = log θ, A = θ.
//
// An exposure of exactly 0 with a count of 0 is a missing cell. An exposure of 0 with a positive count is an error.
type Poisson struct{}

var poissonNatural = unitForm("log(theta)", "theta", 0, math.Inf(1))

func (Poisson) String() string { return "poisson" }

// Natural implements [Family].
func (Poisson) Natural() Natural { return poissonNatural() }

// Reduce implements [Family].
func (Poisson) Reduce(y float64, known Known) (Term, error) {
	if known.Zero() {
		if y != 0 {
			return Term{}, refuse("poisson", "count %g with exposure 0; leave the cell out or give its exposure", y)
		}
		return Term{}, nil
	}
	e := constant(known, 0, 1)
	return checkTerm("poisson", y, Term{Stat: y, Size: e, Base: y*math.Log(e) - lgamma(y+1)},
		checkPositive("poisson", "the exposure", e), checkCount("poisson", "y", y))
}

// Rand implements [Family].
func (Poisson) Rand(theta float64, known Known, rng *rand.Rand) float64 {
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

// DefaultLink returns θ = exp(x).
func (Poisson) DefaultLink() Link { return ExpLink }

// saturated returns the log-likelihood of a term at its best θ, without the base.
func (Poisson) saturated(t Term) float64 { return xlogy(t.Stat, t.Stat/t.Size) - t.Stat }

// SizeName returns the meaning of [Term.Size].
func (Poisson) SizeName() string { return "exposure" }
