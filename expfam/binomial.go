package expfam

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Binomial is the family of y positives among n trials, each of which is positive with probability θ. A known constant
// of a datum is its own n; leave n 0 then. The unit form has Stat = y, Size = n, η = logit θ, A = −log(1−θ).
//
// A cell whose data give n = 0 with y = 0 is missing.
type Binomial struct {
	Trials float64 // n, a whole number, default 1
}

var binomialNatural = unitForm("logit(theta)", "-log1m(theta)", 0, 1)

func (f Binomial) String() string {
	return fmt.Sprintf("binomial(n=%g)", constant(Known{}, f.Trials, 1))
}

// Natural implements [Family].
func (Binomial) Natural() Natural { return binomialNatural() }

// Reduce implements [Family].
func (f Binomial) Reduce(y float64, known Known) (Term, error) {
	return reduceTrials("binomial", y, known, f.Trials)
}

// reduceTrials is [Binomial.Reduce] under the name of a family.
func reduceTrials(family string, y float64, known Known, trials float64) (Term, error) {
	if known.Zero() {
		if y != 0 {
			return Term{}, refuse(family, "%g positive of 0 examined", y)
		}
		return Term{}, nil
	}
	n := constant(known, trials, 1)
	err := cmp.Or(checkPositive(family, "the number of trials", n), checkCount(family, "the number of trials", n),
		checkCount(family, "y", y))
	if err == nil && y > n {
		err = refuse(family, "%g positive of %g examined", y, n)
	}
	return checkTerm(family, y, Term{Stat: y, Size: n, Base: logChoose(n, y)}, err)
}

// saturated returns the log-likelihood of a term at its best θ, without the base.
func (Binomial) saturated(t Term) float64 {
	return xlogy(t.Stat, t.Stat/t.Size) + xlogy(t.Size-t.Stat, 1-t.Stat/t.Size)
}

// logChoose returns the log of the binomial coefficient C(n, k).
func logChoose(n, k float64) float64 {
	if k == 0 || k == n {
		return 0
	}
	if n >= hugeCount {
		return logChooseHuge(k, n-k)
	}
	return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
}

// hugeCount is the count from which the differences of lgamma in [logChoose] lose more than 1e-5: log Γ(1e9) is 2e10.
const hugeCount = 1e9

// logChooseHuge returns log Γ(k+m+1) − log Γ(k+1) − log Γ(m+1), the log of the binomial coefficient C(k+m, k), where k
// or m is huge. Stirling's series for the larger of the two, a−1, gives
//
//	log Γ(a+d) − log Γ(a) = (a + d − ½) log(1 + d/a) + d log a − d + 1/(12(a+d)) − 1/(12a),
//
// in which no numbers of the size of log Γ(a) cancel. At a = 5e8 the terms that are left out are below 1e-28.
func logChooseHuge(k, m float64) float64 {
	a, d := math.Max(k, m)+1, math.Min(k, m)
	return (a+d-0.5)*math.Log1p(d/a) + d*math.Log(a) - d + (1/(a+d)-1/a)/12 - lgamma(d+1)
}

// Rand implements [Family].
func (f Binomial) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	if known.Zero() {
		return 0
	}
	return distuv.Binomial{N: constant(known, f.Trials, 1), P: theta, Src: rng}.Rand()
}

func (f Binomial) known() knownConstant {
	return knownConstant{what: "the number of trials n", field: "Trials", own: f.Trials, role: ofTrials}
}

// Conjugate implements [Family].
func (Binomial) Conjugate() Conjugate { return BetaPrior{} }

// DefaultLink returns θ = sigmoid(x).
func (Binomial) DefaultLink() Link { return SigmoidLink }

// SizeName names what [Term.Size] counts.
func (Binomial) SizeName() string { return "trials" }
