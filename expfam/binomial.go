package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Binomial is y positives of n trials, each positive with probability θ; known
// overrides n. Its unit form has Stat = y, Size = n, η = logit θ,
// A = −log(1−θ).
//
// In [Data] n = 0 with y = 0 is a missing cell.
type Binomial struct {
	Trials float64 // n, a whole number, default 1
}

var binomialNatural = unitForm("logit(theta)", "-log1m(theta)", 0, 1)

func (f Binomial) String() string { return fmt.Sprintf("binomial(n=%g)", constant(0, f.Trials, 1)) }

// Natural implements [Family].
func (Binomial) Natural() Natural { return binomialNatural() }

// Validate implements [PaperForm].
func (f Binomial) Validate(y, known float64) error {
	return binomialCheck("binomial", y, constant(known, f.Trials, 1))
}

func binomialCheck(family string, y, n float64) error {
	if err := checkPositive(family, "the number of trials", n); err != nil {
		return err
	}
	if err := checkCount(family, "the number of trials", n); err != nil {
		return err
	}
	if err := checkCount(family, "y", y); err != nil {
		return err
	}
	if y > n {
		return refuse(family, "%g positive of %g examined", y, n)
	}
	return nil
}

// Reduce implements [Family].
func (f Binomial) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	n := constant(known, f.Trials, 1)
	return checkTerm("binomial", y, Term{Stat: y, Size: n, Base: logChoose(n, y)})
}

// logChoose is the log of the binomial coefficient.
func logChoose(n, k float64) float64 {
	if k == 0 || k == n {
		return 0
	}
	return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
}

// reduceEmpty is what no trials contribute.
func (f Binomial) reduceEmpty(y float64) (Term, error) {
	if y == 0 {
		return Term{}, nil
	}
	return Term{}, refuse("binomial", "%g positive of 0 examined", y)
}

// Rand implements [Family].
func (f Binomial) Rand(theta, known float64, rng *rand.Rand) float64 {
	return distuv.Binomial{N: constant(known, f.Trials, 1), P: theta, Src: rng}.Rand()
}

// Conjugate implements [Family].
func (Binomial) Conjugate() Conjugate { return BetaPrior{} }

// DefaultLink is θ = sigmoid(x).
func (Binomial) DefaultLink() Link { return SigmoidLink }

// LogDensity implements [PaperForm].
func (f Binomial) LogDensity(y, theta, known float64) float64 {
	return distuv.Binomial{N: constant(known, f.Trials, 1), P: theta}.LogProb(y)
}

// Moments implements [PaperForm].
func (f Binomial) Moments(theta, known float64) (mean, variance float64) {
	mean = constant(known, f.Trials, 1) * theta
	return mean, mean * (1 - theta)
}

// Form implements [PaperForm]: q = Beta(ν+1, n τ − ν + 1).
func (f Binomial) Form(known float64) ExponentialForm {
	return binomialPaper(constant(known, f.Trials, 1))
}

func binomialPaper(n float64) ExponentialForm {
	return ExponentialForm{
		Statistic:    func(y float64) float64 { return y },
		LogBase:      func(y float64) float64 { return logChoose(n, y) },
		Eta:          func(theta float64) float64 { return math.Log(theta / (1 - theta)) },
		LogPartition: func(theta float64) float64 { return -n * math.Log1p(-theta) },
		LogNormalizer: func(nu, tau float64) float64 {
			return lgamma(nu+1) + lgamma(n*tau-nu+1) - lgamma(n*tau+2)
		},
		Standard:     func(nu, tau float64) (alpha, beta float64) { return nu + 1, n*tau - nu + 1 },
		Hyper:        func(alpha, beta float64) (nu, tau float64) { return alpha - 1, (alpha + beta - 2) / n },
		Normalisable: "nu > -1, trials tau > nu - 1",
	}
}
