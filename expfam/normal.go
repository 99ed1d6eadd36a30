package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Normal is y ~ N(θ, σ²) with known standard deviation σ; known overrides σ.
// Its unit form has Stat = y/σ², Size = 1/σ², η = θ, A = θ²/2.
type Normal struct {
	SD float64 // σ, default 1
}

const logSqrt2Pi = 0.91893853320467274178032973640561763986139747363778

var normalNatural = unitForm("theta", "theta^2/2", math.Inf(-1), math.Inf(1))

func (f Normal) String() string { return fmt.Sprintf("normal(sd=%g)", constant(0, f.SD, 1)) }

// Natural implements [Family].
func (Normal) Natural() Natural { return normalNatural() }

// Validate implements [PaperForm].
func (f Normal) Validate(y, known float64) error {
	if err := checkPositive("normal", "the standard deviation", constant(known, f.SD, 1)); err != nil {
		return err
	}
	return checkFinite("normal", "y", y)
}

// Reduce implements [Family].
func (f Normal) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	return checkTerm("normal", y, normalTerm(y, constant(known, f.SD, 1)))
}

func normalTerm(y, sd float64) Term {
	precision := 1 / (sd * sd)
	return Term{Stat: y * precision, Size: precision, Base: -y*y*precision/2 - math.Log(sd) - logSqrt2Pi}
}

// Rand implements [Family].
func (f Normal) Rand(theta, known float64, rng *rand.Rand) float64 {
	return theta + constant(known, f.SD, 1)*rng.NormFloat64()
}

// Conjugate implements [Family].
func (Normal) Conjugate() Conjugate { return NormalPrior{} }

// DefaultLink is θ = x.
func (Normal) DefaultLink() Link { return IdentityLink }

// LogDensity implements [PaperForm].
func (f Normal) LogDensity(y, theta, known float64) float64 {
	return distuv.Normal{Mu: theta, Sigma: constant(known, f.SD, 1)}.LogProb(y)
}

// Moments implements [PaperForm].
func (f Normal) Moments(theta, known float64) (mean, variance float64) {
	sd := constant(known, f.SD, 1)
	return theta, sd * sd
}

// Form implements [PaperForm]: q = N(ν/τ, σ²/τ). The paper's remark that A is
// −½ θᵀΣ⁻¹θ has the sign wrong.
func (f Normal) Form(known float64) ExponentialForm {
	sd := constant(known, f.SD, 1)
	return normalPaper(sd, func(y float64) float64 { return y },
		func(y float64) float64 { return -logSqrt2Pi - math.Log(sd) - y*y/(2*sd*sd) })
}

// normalPaper serves Normal and LogNormal, whose T and h differ.
func normalPaper(sd float64, statistic, logBase func(y float64) float64) ExponentialForm {
	v := sd * sd
	return ExponentialForm{
		Statistic:     statistic,
		LogBase:       logBase,
		Eta:           func(theta float64) float64 { return theta / v },
		LogPartition:  func(theta float64) float64 { return theta * theta / (2 * v) },
		LogPriorBase:  -logSqrt2Pi,
		LogNormalizer: func(nu, tau float64) float64 { return nu*nu/(2*tau*v) - math.Log(tau/v)/2 },
		Standard:      func(nu, tau float64) (mean, precision float64) { return nu / tau, tau / v },
		Hyper:         func(mean, precision float64) (nu, tau float64) { return mean * precision * v, precision * v },
		Normalisable:  "tau > 0",
	}
}
