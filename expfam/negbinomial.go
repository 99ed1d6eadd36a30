package expfam

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// NegativeBinomial is the number y of failures before the r-th success, where each trial is a success with
// probability θ. The known constant of an observation is its own r; leave r 0 then. It may be any positive number. The
// unit form has Stat = y, Size = r, η = log(1−θ), A = −log θ.
//
// With mean μ = r (1−θ)/θ the variance of y is μ + μ²/r. The constant is no exposure. For counts of mean N exp(x) in
// populations N take [NB2] with the dispersion 1/r.
type NegativeBinomial struct {
	Successes float64 // r, default 1
}

var failuresNatural = unitForm("log1m(theta)", "-log(theta)", 0, 1)

func (f NegativeBinomial) String() string {
	return fmt.Sprintf("negbinomial(r=%g)", constant(Known{}, f.Successes, 1))
}

// Natural implements [Family].
func (NegativeBinomial) Natural() Natural { return failuresNatural() }

// Reduce implements [Family].
func (f NegativeBinomial) Reduce(y float64, known Known) (Term, error) {
	r := constant(known, f.Successes, 1)
	base := logChoose(y+r-1, y)
	if y+r >= hugeCount {
		base = logChooseHuge(y, r-1) // y + r − 1 rounds to y where y has 17 digits
	}
	return checkTerm("negbinomial", y, Term{Stat: y, Size: r, Base: base},
		checkPositive("negbinomial", "the number of successes", r), checkCount("negbinomial", "y", y))
}

// Rand implements [Family]. It draws a Poisson count whose mean has a Gamma distribution.
func (f NegativeBinomial) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	if theta == 1 {
		return 0
	}
	mean := distuv.Gamma{Alpha: constant(known, f.Successes, 1), Beta: theta / (1 - theta), Src: rng}.Rand()
	return poissonRand(mean, rng)
}

func (f NegativeBinomial) known() knownConstant {
	return knownConstant{what: "the number of successes r", field: "Successes", own: f.Successes, role: ofShape,
		instead: "if r counts successes, expfam.Binomial{} with r positive of y + r trials has the same posterior"}
}

// Conjugate implements [Family].
func (NegativeBinomial) Conjugate() Conjugate { return BetaPrior{Failures: true} }

// DefaultLink returns θ = sigmoid(x).
func (NegativeBinomial) DefaultLink() Link { return SigmoidLink }

// SizeName returns the meaning of [Term.Size].
func (NegativeBinomial) SizeName() string { return "successes" }
