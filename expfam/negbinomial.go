package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// NegativeBinomial is the number y of failures before the r-th success, each
// trial a success with probability θ; known overrides r, which may be any
// positive number. Its unit form has Stat = y, Size = r, η = log(1−θ),
// A = −log θ.
type NegativeBinomial struct {
	Successes float64 // r, default 1
}

var failuresNatural = unitForm("log1m(theta)", "-log(theta)", 0, 1)

func (f NegativeBinomial) String() string {
	return fmt.Sprintf("negbinomial(r=%g)", constant(0, f.Successes, 1))
}

// Natural implements [Family].
func (NegativeBinomial) Natural() Natural { return failuresNatural() }

// Validate implements [PaperForm].
func (f NegativeBinomial) Validate(y, known float64) error {
	if err := checkPositive("negbinomial", "the number of successes", constant(known, f.Successes, 1)); err != nil {
		return err
	}
	return checkCount("negbinomial", "y", y)
}

// Reduce implements [Family].
func (f NegativeBinomial) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	r := constant(known, f.Successes, 1)
	return checkTerm("negbinomial", y, Term{Stat: y, Size: r, Base: logChoose(y+r-1, y)})
}

// Rand implements [Family]: a Poisson count whose mean is Gamma.
func (f NegativeBinomial) Rand(theta, known float64, rng *rand.Rand) float64 {
	if theta == 1 {
		return 0
	}
	mean := distuv.Gamma{Alpha: constant(known, f.Successes, 1), Beta: theta / (1 - theta), Src: rng}.Rand()
	return poissonRand(mean, rng)
}

// Conjugate implements [Family].
func (NegativeBinomial) Conjugate() Conjugate { return BetaPrior{Failures: true} }

// DefaultLink is θ = sigmoid(x).
func (NegativeBinomial) DefaultLink() Link { return SigmoidLink }

// LogDensity implements [PaperForm]: Γ(y+r)/(Γ(r) y!) θʳ (1−θ)ʸ.
func (f NegativeBinomial) LogDensity(y, theta, known float64) float64 {
	if y < 0 || y != math.Trunc(y) {
		return math.Inf(-1)
	}
	r := constant(known, f.Successes, 1)
	return lgamma(y+r) - lgamma(r) - lgamma(y+1) + r*math.Log(theta) + y*math.Log1p(-theta)
}

// Moments implements [PaperForm].
func (f NegativeBinomial) Moments(theta, known float64) (mean, variance float64) {
	mean = constant(known, f.Successes, 1) * (1 - theta) / theta
	return mean, mean / theta
}

// Form implements [PaperForm]: q = Beta(r τ+1, ν+1).
func (f NegativeBinomial) Form(known float64) ExponentialForm {
	return negbinomialPaper(constant(known, f.Successes, 1))
}

func negbinomialPaper(r float64) ExponentialForm {
	return ExponentialForm{
		Statistic:    func(y float64) float64 { return y },
		LogBase:      func(y float64) float64 { return logChoose(y+r-1, y) },
		Eta:          func(theta float64) float64 { return math.Log1p(-theta) },
		LogPartition: func(theta float64) float64 { return -r * math.Log(theta) },
		LogNormalizer: func(nu, tau float64) float64 {
			return lgamma(r*tau+1) + lgamma(nu+1) - lgamma(r*tau+nu+2)
		},
		Standard:     func(nu, tau float64) (alpha, beta float64) { return r*tau + 1, nu + 1 },
		Hyper:        func(alpha, beta float64) (nu, tau float64) { return beta - 1, (alpha - 1) / r },
		Normalisable: "nu > -1, tau > -1/successes",
	}
}
