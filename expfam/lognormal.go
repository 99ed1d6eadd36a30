package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// LogNormal is the likelihood log y ~ N(θ, σ²), y > 0, with known σ. The known constant of an observation is its own σ;
// leave σ 0 then. The unit form is the one of [Normal] for log y: Stat = log y/σ², Size = 1/σ², η = θ, A = θ²/2.
type LogNormal struct {
	SD float64 // σ of log y, default 1
}

func (f LogNormal) String() string {
	return fmt.Sprintf("lognormal(sd=%g)", constant(Known{}, f.SD, 1))
}

// Natural implements [Family].
func (LogNormal) Natural() Natural { return normalNatural() }

// Reduce implements [Family].
func (f LogNormal) Reduce(y float64, known Known) (Term, error) {
	sd := constant(known, f.SD, 1)
	t := normalTerm(math.Log(y), sd)
	t.Base -= math.Log(y)
	return checkTerm("lognormal", y, t, checkPositive("lognormal", "the standard deviation of log y", sd),
		checkAbove("lognormal", y))
}

// Rand implements [Family].
func (f LogNormal) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	return math.Exp(theta + constant(known, f.SD, 1)*rng.NormFloat64())
}

func (f LogNormal) known() knownConstant {
	return knownConstant{what: "the standard deviation σ of each log y", field: "SD", own: f.SD, role: ofLogSpread}
}

// Conjugate implements [Family].
func (LogNormal) Conjugate() Conjugate { return NormalPrior{} }

// DefaultLink returns θ = x.
func (LogNormal) DefaultLink() Link { return IdentityLink }

// SizeName returns the meaning of [Term.Size].
func (LogNormal) SizeName() string { return "precision" }

// LogNormalVariance is the likelihood log y ~ N(μ, θ), y > 0, with known mean μ and unknown variance θ > 0 of
// log y. The known constant of an observation is its own μ; leave μ 0 then. The unit form has Stat = (log y − μ)²/2,
// Size = ½, η = −1/θ, A = log θ.
type LogNormalVariance struct {
	Mean float64 // μ, default 0
}

func (f LogNormalVariance) String() string { return fmt.Sprintf("lognormal-variance(mean=%g)", f.Mean) }

// Natural implements [Family].
func (LogNormalVariance) Natural() Natural { return scaleNatural() }

// Reduce implements [Family].
func (f LogNormalVariance) Reduce(y float64, known Known) (Term, error) {
	mean := constant(known, f.Mean, 0)
	t := varianceTerm(math.Log(y), mean)
	t.Base -= math.Log(y)
	return checkTerm("lognormal-variance", y, t, checkFinite("lognormal-variance", "the mean", mean),
		checkAbove("lognormal-variance", y))
}

// Rand implements [Family].
func (f LogNormalVariance) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	return math.Exp(constant(known, f.Mean, 0) + math.Sqrt(theta)*rng.NormFloat64())
}

func (f LogNormalVariance) known() knownConstant {
	return knownConstant{what: "the known mean μ of each log y", field: "Mean", own: f.Mean, role: ofPlace}
}

// Conjugate implements [Family].
func (LogNormalVariance) Conjugate() Conjugate { return InvGammaPrior{} }

// DefaultLink returns θ = exp(x).
func (LogNormalVariance) DefaultLink() Link { return ExpLink }
