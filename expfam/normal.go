package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Normal is the likelihood y ~ N(θ, σ²) with known standard deviation σ. The known constant of an observation
// is its own σ; leave σ 0 then. The unit form has Stat = y/σ², Size = 1/σ², η = θ, A = θ²/2.
type Normal struct {
	SD float64 // σ, default 1
}

const logSqrt2Pi = 0.91893853320467274178032973640561763986139747363778

var normalNatural = unitForm("theta", "theta^2/2", math.Inf(-1), math.Inf(1))

func (f Normal) String() string { return fmt.Sprintf("normal(sd=%g)", constant(Known{}, f.SD, 1)) }

// Natural implements [Family].
func (Normal) Natural() Natural { return normalNatural() }

// Reduce implements [Family].
func (f Normal) Reduce(y float64, known Known) (Term, error) {
	sd := constant(known, f.SD, 1)
	return checkTerm("normal", y, normalTerm(y, sd), checkPositive("normal", "the standard deviation", sd),
		checkFinite("normal", "y", y))
}

func normalTerm(y, sd float64) Term {
	precision := 1 / (sd * sd)
	return Term{Stat: y * precision, Size: precision, Base: -y*y*precision/2 - math.Log(sd) - logSqrt2Pi}
}

// Rand implements [Family].
func (f Normal) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	return theta + constant(known, f.SD, 1)*rng.NormFloat64()
}

func (f Normal) known() knownConstant {
	return knownConstant{what: "the standard deviation σ of each y", field: "SD", own: f.SD, role: ofSpread}
}

// Conjugate implements [Family].
func (Normal) Conjugate() Conjugate { return NormalPrior{} }

// DefaultLink returns θ = x.
func (Normal) DefaultLink() Link { return IdentityLink }

// SizeName returns the meaning of [Term.Size].
func (Normal) SizeName() string { return "precision" }

// NormalVariance is the likelihood y ~ N(μ, θ) with known mean μ and unknown variance θ > 0. The known constant of an
// observation is its own μ; leave μ 0 then. The unit form has Stat = (y−μ)²/2, Size = ½, η = −1/θ, A = log θ.
type NormalVariance struct {
	Mean float64 // μ, default 0
}

var scaleNatural = unitForm("-1/theta", "log(theta)", 0, math.Inf(1))

func (f NormalVariance) String() string { return fmt.Sprintf("normal-variance(mean=%g)", f.Mean) }

// Natural implements [Family].
func (NormalVariance) Natural() Natural { return scaleNatural() }

// Reduce implements [Family].
func (f NormalVariance) Reduce(y float64, known Known) (Term, error) {
	mean := constant(known, f.Mean, 0)
	return checkTerm("normal-variance", y, varianceTerm(y, mean), checkFinite("normal-variance", "the mean", mean),
		checkFinite("normal-variance", "y", y))
}

func varianceTerm(y, mean float64) Term {
	return Term{Stat: (y - mean) * (y - mean) / 2, Size: 0.5, Base: -logSqrt2Pi}
}

// Rand implements [Family].
func (f NormalVariance) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	return constant(known, f.Mean, 0) + math.Sqrt(theta)*rng.NormFloat64()
}

func (f NormalVariance) known() knownConstant {
	return knownConstant{what: "the known mean μ of each y", field: "Mean", own: f.Mean, role: ofPlace}
}

// Conjugate implements [Family].
func (NormalVariance) Conjugate() Conjugate { return InvGammaPrior{} }

// DefaultLink returns θ = exp(x).
func (NormalVariance) DefaultLink() Link { return ExpLink }
