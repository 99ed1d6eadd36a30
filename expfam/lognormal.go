package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// LogNormal is log y ~ N(θ, σ²), y > 0, with known σ; known overrides σ. It is
// Normal of log y: Stat = log y/σ², Size = 1/σ², η = θ, A = θ²/2.
type LogNormal struct {
	SD float64 // σ of log y, default 1
}

func (f LogNormal) String() string { return fmt.Sprintf("lognormal(sd=%g)", constant(0, f.SD, 1)) }

// Natural implements [Family].
func (LogNormal) Natural() Natural { return normalNatural() }

// Validate implements [PaperForm].
func (f LogNormal) Validate(y, known float64) error {
	if err := checkPositive("lognormal", "the standard deviation of log y", constant(known, f.SD, 1)); err != nil {
		return err
	}
	return checkAbove("lognormal", y)
}

// Reduce implements [Family].
func (f LogNormal) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	t := normalTerm(math.Log(y), constant(known, f.SD, 1))
	t.Base -= math.Log(y)
	return checkTerm("lognormal", y, t)
}

// Rand implements [Family].
func (f LogNormal) Rand(theta, known float64, rng *rand.Rand) float64 {
	return math.Exp(theta + constant(known, f.SD, 1)*rng.NormFloat64())
}

// Conjugate implements [Family].
func (LogNormal) Conjugate() Conjugate { return NormalPrior{} }

// DefaultLink is θ = x.
func (LogNormal) DefaultLink() Link { return IdentityLink }

// LogDensity implements [PaperForm].
func (f LogNormal) LogDensity(y, theta, known float64) float64 {
	if y <= 0 {
		return math.Inf(-1)
	}
	return distuv.LogNormal{Mu: theta, Sigma: constant(known, f.SD, 1)}.LogProb(y)
}

// Moments implements [PaperForm].
func (f LogNormal) Moments(theta, known float64) (mean, variance float64) {
	sd := constant(known, f.SD, 1)
	mean = math.Exp(theta + sd*sd/2)
	return mean, math.Expm1(sd*sd) * mean * mean
}

// Form implements [PaperForm]: q = N(ν/τ, σ²/τ), with one τ a cell as for
// Normal; the paper's line has a matrix.
func (f LogNormal) Form(known float64) ExponentialForm {
	sd := constant(known, f.SD, 1)
	return normalPaper(sd, math.Log, func(y float64) float64 {
		l := math.Log(y)
		return -logSqrt2Pi - math.Log(sd) - l - l*l/(2*sd*sd)
	})
}
