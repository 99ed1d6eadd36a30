package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// Gamma is the likelihood y ~ Gamma(a, rate θ), y > 0, with known shape a. The known constant of an
// observation is its own a; leave a 0 then. The unit form has Stat = y, Size = a, η = −θ, A = −log θ.
type Gamma struct {
	Shape float64 // a, default 1
}

func (f Gamma) String() string { return fmt.Sprintf("gamma(shape=%g)", constant(Known{}, f.Shape, 1)) }

// Natural implements [Family].
func (Gamma) Natural() Natural { return rateNatural() }

// Check refuses an impossible Shape; see [Checker].
func (f Gamma) Check() error {
	return checkPositive("gamma", "the shape", constant(Known{}, f.Shape, 1))
}

// Reduce implements [Family].
func (f Gamma) Reduce(y float64, known Known) (Term, error) {
	a := constant(known, f.Shape, 1)
	return checkTerm("gamma", y, Term{Stat: y, Size: a, Base: (a-1)*math.Log(y) - lgamma(a)},
		checkPositive("gamma", "the shape", a), checkAbove("gamma", y))
}

// Rand implements [Family].
func (f Gamma) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	return distuv.Gamma{Alpha: constant(known, f.Shape, 1), Beta: theta, Src: rng}.Rand()
}

func (f Gamma) known() knownConstant {
	return knownConstant{what: "the shape a of each y", field: "Shape", own: f.Shape, role: ofShape,
		instead: "if a counts the events for which y was waited, expfam.Poisson{} with the events as counts and y " +
			"as exposures has the same posterior"}
}

// Conjugate implements [Family].
func (Gamma) Conjugate() Conjugate { return GammaPrior{Times: true} }

// DefaultLink returns θ = a exp(−x), so that x is the logarithm of the mean of y. For an impossible shape, which
// Check refuses, it returns θ = exp(−x).
func (f Gamma) DefaultLink() Link {
	if f.Check() != nil {
		return MustLink("exp(-x)")
	}
	return MustLink(strconv.FormatFloat(constant(Known{}, f.Shape, 1), 'g', -1, 64) + "*exp(-x)")
}

// SizeName returns the meaning of [Term.Size].
func (Gamma) SizeName() string { return "shape" }
