package faults

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
)

// law is a family with what is known of it from elsewhere.
type law struct {
	family expfam.Family
	bare   expfam.Family // without its known constant, for data that have known constants; nil if it has none
	own    float64       // the family's known constant
	// possible says whether y can be observed with the constant in force.
	possible func(y, known float64) bool
	logProb  func(y, theta, known float64) float64
	y        func(rng *rand.Rand) float64
	knowns   []float64 // possible ones; none of a family without a constant, which refuses any
	empty    bool      // a constant of 0 is no observation
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
func positive(v float64) bool {
	return v > 0 && finite(v)
}
func count(v float64) bool     { return finite(v) && v >= 0 && v == math.Trunc(v) }
func lgamma(v float64) float64 { l, _ := math.Lgamma(v); return l }
func choose(n, k float64) float64 {
	return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
}
func logBeta(a, b float64) float64 { return lgamma(a) + lgamma(b) - lgamma(a+b) }

// laws are all families, with random constants of their own.
func laws(rng *rand.Rand) []law {
	c := math.Exp(2 * rng.NormFloat64())
	n := float64(1 + rng.IntN(60))
	rho := math.Pow(10, -12*rng.Float64()) * 0.9
	real := func(rng *rand.Rand) float64 { return 3 * rng.NormFloat64() }
	above := func(rng *rand.Rand) float64 { return math.Exp(2 * rng.NormFloat64()) }
	whole := func(rng *rand.Rand) float64 { return math.Floor(math.Exp(3*rng.Float64()*rng.Float64())) - 1 }
	positives := []float64{0.3, 1, 2.5, 40}
	trials := []float64{1, 3, 30, 1000}
	none := func(known float64) bool { return known == 0 }
	return []law{
		{expfam.Normal{SD: c}, expfam.Normal{}, c, func(y, k float64) bool { return finite(y) && positive(k) },
			func(y, th, k float64) float64 { return distuv.Normal{Mu: th, Sigma: k}.LogProb(y) }, real, positives,
			false},
		{expfam.LogNormal{SD: c}, expfam.LogNormal{}, c, func(y, k float64) bool { return positive(y) && positive(k) },
			func(y, th, k float64) float64 { return distuv.LogNormal{Mu: th, Sigma: k}.LogProb(y) }, above, positives,
			false},
		{expfam.NormalVariance{Mean: c}, expfam.NormalVariance{}, c,
			func(y, k float64) bool { return finite(y) && finite(k) },
			func(y, th, k float64) float64 { return distuv.Normal{Mu: k, Sigma: math.Sqrt(th)}.LogProb(y) }, real,
			[]float64{-2, 0.3, 7}, false},
		{expfam.LogNormalVariance{Mean: c}, expfam.LogNormalVariance{}, c,
			func(y, k float64) bool { return positive(y) && finite(k) },
			func(y, th, k float64) float64 { return distuv.LogNormal{Mu: k, Sigma: math.Sqrt(th)}.LogProb(y) }, above,
			[]float64{-2, 0.3, 7}, false},
		{expfam.Poisson{}, nil, 1, func(y, k float64) bool { return count(y) && positive(k) },
			func(y, th, k float64) float64 { return y*math.Log(th*k) - th*k - lgamma(y+1) }, whole, positives, true},
		{expfam.Exponential{}, nil, 0, func(y, k float64) bool { return finite(y) && y >= 0 && none(k) },
			func(y, th, _ float64) float64 { return distuv.Exponential{Rate: th}.LogProb(y) }, above, nil, false},
		{expfam.Gamma{Shape: c}, expfam.Gamma{}, c, func(y, k float64) bool { return positive(y) && positive(k) },
			func(y, th, k float64) float64 { return distuv.Gamma{Alpha: k, Beta: th}.LogProb(y) }, above, positives,
			false},
		{expfam.Weibull{Shape: c}, expfam.Weibull{}, c, func(y, k float64) bool { return positive(y) && positive(k) },
			func(y, th, k float64) float64 {
				return math.Log(k) + (k-1)*math.Log(y) - math.Log(th) - math.Pow(y, k)/th
			}, above, positives, false},
		{expfam.Pareto{Scale: c}, expfam.Pareto{}, c, func(y, k float64) bool {
			return positive(k) && finite(y) &&
				y >= k
		},
			func(y, th, k float64) float64 { return distuv.Pareto{Xm: k, Alpha: th}.LogProb(y) },
			func(rng *rand.Rand) float64 { return c * math.Exp(rng.ExpFloat64()) }, []float64{c / 3, c / 2}, false},
		{expfam.Bernoulli{}, nil, 0, func(y, k float64) bool { return (y == 0 || y == 1) && none(k) },
			func(y, th, _ float64) float64 { return y*math.Log(th) + (1-y)*math.Log1p(-th) },
			func(rng *rand.Rand) float64 { return float64(rng.IntN(2)) }, nil, false},
		{expfam.Binomial{Trials: n}, expfam.Binomial{}, n,
			func(y, k float64) bool { return count(y) && count(k) && k >= 1 && y <= k },
			func(y, th, k float64) float64 { return choose(k, y) + y*math.Log(th) + (k-y)*math.Log1p(-th) },
			func(rng *rand.Rand) float64 { return float64(rng.IntN(int(n) + 1)) }, trials, true},
		{expfam.BetaBinomial{Trials: n, Correlation: rho}, expfam.BetaBinomial{Correlation: rho}, n,
			func(y, k float64) bool { return count(y) && count(k) && k >= 1 && y <= k },
			func(y, th, k float64) float64 {
				kappa := 1/rho - 1
				if kappa > 1e7 { // differences of Γ at κ have no digits left: the Binomial to 10⁻⁴
					return choose(k, y) + y*math.Log(th) + (k-y)*math.Log1p(-th)
				}
				return choose(k, y) + logBeta(kappa*th+y, kappa*(1-th)+k-y) - logBeta(kappa*th, kappa*(1-th))
			}, func(rng *rand.Rand) float64 { return float64(rng.IntN(int(n) + 1)) }, []float64{1, 3, 30}, true},
		{expfam.NegativeBinomial{Successes: c}, expfam.NegativeBinomial{}, c,
			func(y, k float64) bool { return count(y) && positive(k) },
			func(y, th, k float64) float64 {
				return lgamma(y+k) - lgamma(k) - lgamma(y+1) + k*math.Log(th) + y*math.Log1p(-th)
			}, whole, positives, false},
		{expfam.Geometric{}, nil, 0, func(y, k float64) bool { return count(y) && none(k) },
			func(y, th, _ float64) float64 { return math.Log(th) + y*math.Log1p(-th) }, whole, nil, false},
	}
}

// extreme is an observation whose terms a float64 may not hold.
func extreme(y, known float64) bool {
	for _, v := range []float64{y, known} {
		if v = math.Abs(v); v != 0 && (v > 1e10 || v < 1e-10) {
			return true
		}
	}
	return known != 0 && math.Abs(known*math.Log(math.Abs(y)+1e-300)) > 300 // y to the power of a shape
}

func TestObservations(t *testing.T) {
	a := newArea("observations and likelihoods")
	for range cases(300, 20000) {
		all := laws(a.rng)
		l := all[a.rng.IntN(len(all))]
		d, want := l.data(a.rng)
		x := make([]float64, len(d.Y[0]))
		for j := range x {
			x[j] = 1.5 * a.rng.NormFloat64()
		}
		a.try(t, fmt.Sprintf("%v of %v with %v, missing %v, at %v", l.family, d.Y, d.Known, d.Missing, x),
			func() error {
				return l.check(d, x, want)
			})
	}
}

// check compares what is observed with the sum of the independent densities.
func (l law) check(d expfam.Data, x []float64, want expected) error {
	like := expfam.Likelihood{Family: l.family}
	obs, err := like.Observe(d)
	var input *expfam.InputError
	switch {
	case want.whole && (err == nil || errors.As(err, &input)):
		return wrong("all are impossible, and the error is %v", err)
	case want.whole, err != nil && l.misread(d) && strings.Contains(err.Error(), "not an exposure"):
		return refused(err)
	case err != nil && (!errors.As(err, &input) || input.Cell < 0):
		return wrong("the error names no cell: %v", err)
	case err != nil && want.first >= 0 && input.Cell != want.first && !want.extremes:
		return wrong("cell %d is impossible: %v", want.first, err)
	case err != nil && want.first < 0 && !want.extremes:
		return wrong("all is possible: %v", err)
	case err != nil:
		return refused(err)
	case want.first >= 0:
		return wrong("cell %d is impossible, and accepted as %v", want.first, obs[want.first])
	}
	terms, err := like.Terms()
	if err != nil {
		return err
	}
	link := l.family.DefaultLink()
	_, mixed := l.family.(expfam.BetaBinomial) // replicates of a cell share its probability
	for j, c := range obs {
		if sum := c.Stat + c.Size + c.Base; !finite(sum) {
			return wrong("cell %d has the term %v", j, c)
		}
		theta, sum, size := link.At(x[j]), 0.0, 1.0
		observed := 0
		for i := range d.Y {
			y, known := d.Y[i][j], l.at(d, i, j)
			if l.skips(d, i, j) {
				continue
			}
			observed++
			p := l.logProb(y, theta, known)
			sum += p
			size += math.Abs(p) + math.Abs(lgamma(math.Abs(y)+1)) + math.Abs(lgamma(math.Abs(known)+1))
		}
		if observed == 0 && c != (expfam.Term{}) {
			return wrong("cell %d has no data and the term %v", j, c)
		}
		if mixed && observed > 1 || want.extremes {
			continue
		}
		tol := 1e-10 * size // sums of Γ that differ lose this
		if mixed {
			tol = 1e-3 + 1e-7*size // see logProb
		}
		if got := terms.LogLik(x[j], c); !(math.Abs(got-sum) <= tol) {
			return wrong("cell %d has log-likelihood %.15g, want %.15g", j, got, sum)
		}
	}
	return nil
}

// misread reports whether known constants may be taken for numbers of people: shapes of thousands, and standard
// deviations far above the range of the data.
func (l law) misread(d expfam.Data) bool {
	return len(l.knowns) > 0 && !l.empty && d.Known != nil &&
		(len(d.Y)*len(d.Y[0]) > 2 || slices.Max(slices.Concat(d.Known...)) > 1000)
}
