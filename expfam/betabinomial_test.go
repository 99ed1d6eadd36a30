package expfam

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// risingLog is log p(y | θ) of n trials by rising factorials, which need no special function: C(n,y) ∏_{i<y} (θ + iε)
// ∏_{i<n−y} (1−θ + iε) / ∏_{i<n} (1 + iε), ε = 1/κ = ρ/(1−ρ).
func risingLog(y, n, theta, rho float64) float64 {
	eps, sum := rho/(1-rho), logChoose(n, y)
	for i := range int(y) {
		sum += math.Log(theta + float64(i)*eps)
	}
	for i := range int(n - y) {
		sum += math.Log(1 - theta + float64(i)*eps)
	}
	for i := range int(n) {
		sum -= math.Log1p(float64(i) * eps)
	}
	return sum
}

var betaBinomialCases = []struct{ y, n, rho float64 }{
	{0, 1, 0.3}, {1, 1, 0.3}, {0, 40, 0.05}, {3, 12, 0.9}, {40, 40, 0.2}, {17, 300, 0.01},
	{120, 500, 1e-4}, {5, 60, 1e-7}, {700, 3000, 1e-9}, {3, 12, 0}, {2, 9, 0.999},
	{5, 60, 1e-10}, {700, 3000, 1e-12}, {3, 12, 2e-15}, {3, 12, 1e-16}, {3, 12, 5e-324},
}

func TestBetaBinomialAgainstRisingFactorials(t *testing.T) {
	for _, c := range betaBinomialCases {
		f := BetaBinomial{Correlation: c.rho}
		term := must.Get(f.Reduce(c.y, Given(c.n)))(t)
		terms := must.Get(Likelihood{Family: f, Link: MustLink("sigmoid(5*x)")}.Terms())(t)
		at := func(x float64) float64 { return risingLog(c.y, c.n, 1/(1+math.Exp(-5*x)), c.rho) }
		for _, x := range []float64{-2, -0.7, 0, 0.3, 1.4} {
			closeTo(t, f.String(), terms.LogLik(x, term), at(x), 2e-12*(1+c.n))
			// Central differences are good to 1e-9 of a log-likelihood of some n.
			closeTo(t, "slope", terms.Slope(x, term), fd.Derivative(at, x, &fd.Settings{Formula: fd.Central}),
				1e-6*(1+c.n))
			slope := func(x float64) float64 { return terms.Slope(x, term) }
			closeTo(t, "information", terms.Information(x, term),
				-fd.Derivative(slope, x, &fd.Settings{Formula: fd.Central}), 1e-6*(1+c.n))
		}
		must.Be(t, !math.IsNaN(terms.LogLik(-1e4, term)) && !math.IsNaN(terms.Information(1e4, term)),
			"%v: not a number far out", c)
	}
}

func TestBetaBinomialIsTheMixture(t *testing.T) {
	const theta, rho, n = 0.3, 0.2, 9.0
	k, total := 1/rho-1, 0.0
	f := BetaBinomial{Correlation: rho}
	terms := must.Get(Likelihood{Family: f}.Terms())(t)
	mix := Standard{Conjugate: BetaPrior{}, A: k * theta, B: k * (1 - theta)}
	for y := 0.0; y <= n; y++ {
		term, _ := f.Reduce(y, Given(n))
		got := math.Exp(terms.LogLik(math.Log(theta/(1-theta)), term))
		// 60 Legendre nodes leave 1e-6 of the singular ends of the Beta's density.
		want := quad.Fixed(func(u float64) float64 {
			p := 1 / (1 + math.Exp(-u))
			return math.Exp(mix.LogProb(p)+PaperBinomial{}.LogDensity(y, p, Given(n))) * p * (1 - p)
		}, -30, 30, 400, quad.Legendre{}, 0)
		closeTo(t, "probability", got, want, 1e-10)
		total += got
	}
	closeTo(t, "total probability", total, 1, 1e-13)
}

// The float32 graph on all engines against the host, at trials and correlations
// where log-gammas would have lost everything.
func TestBetaBinomialGraph(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for i, c := range betaBinomialCases {
			for _, link := range []Link{MustLink("sigmoid(5*x)"),
				Must(TableLink("logistic", logistic))} {
				if i > 0 && e.String() != "go" {
					continue // the same graph with other numbers, which takes long to compile
				}
				f := BetaBinomial{Correlation: c.rho}
				terms := must.Get(Likelihood{Family: f, Link: link}.Terms())(t)
				x := []float32{-1.5, -0.4, 0, 0.6, 1.2}
				out := enginetest.Call(t, e, func(x *g.Node) []*g.Node {
					value, slope, information := terms.Graph(x, g.Scalar(x.Graph(), x.DType(), c.y),
						g.Scalar(x.Graph(), x.DType(), c.n))
					none := g.ScalarZero(x.Graph(), x.DType())
					empty, slope0, information0 := terms.Graph(g.MulScalar(x, 1e9), none, none)
					return []*g.Node{value, slope, information, empty, slope0, information0}
				}, x)
				for i, v := range x {
					term := Term{Stat: c.y, Size: c.n}
					for k, want := range []float64{terms.LogLik(float64(v), term) - terms.LogLik(0, term),
						terms.Slope(float64(v), term), terms.Information(float64(v), term)} {
						got := out[k][i]
						if k == 0 {
							got -= out[0][2] // there is a constant
						}
						// A few ulp of float32 of sums of n terms; the information adds
						// (1−2θ)·slope to what is as large.
						must.Be(t, math.Abs(got-want) <= 2e-5*(1+c.n),
							"%v, %v: output %d at %v is %v, want %v", c, link, k, v, got, want)
						must.Equal(t, out[3+k][i], 0, c, "output", k, "of a missing cell")
					}
				}
			}
		}
	})
}

func TestBetaBinomialRefuses(t *testing.T) {
	for _, c := range []struct {
		f        BetaBinomial
		y, n     float64
		contains string
	}{
		{BetaBinomial{}, 31, 30, "31 positive of 30 examined"},
		{BetaBinomial{}, 1.5, 30, "count"},
		{BetaBinomial{Correlation: 1}, 1, 30, "the correlation is 1"},
		{BetaBinomial{Correlation: -0.1}, 1, 30, "the correlation is -0.1"},
		{BetaBinomial{Correlation: math.NaN()}, 1, 30, "the correlation is NaN"},
	} {
		must.Refuse(c.f.Reduce(c.y, Given(c.n)))(t, c.contains)
	}
	must.Refuse((Likelihood{Family: BetaBinomial{Correlation: 2}}).Terms())(t)
	// Sums of replicates and missing cells are as the Binomial's.
	obs, err := Likelihood{Family: BetaBinomial{Correlation: 0.1}}.Observe(Data{Y: [][]float64{{3, 0}, {1, 0}},
		Known: [][]float64{{9, 0}, {4, 0}}})
	must.Be(t, err == nil && obs[0].Stat == 4 && obs[0].Size == 13 && obs[1] == (Term{}), "%v %v", obs, err)
}

// TestBetaBinomialOfNoCorrelation: with a correlation that no number of trials shows, positives are those of the
// Binomial, whatever its size.
func TestBetaBinomialOfNoCorrelation(t *testing.T) {
	for _, rho := range []float64{1e-16, 1e-300, 1e-310, 5e-324} {
		y := BetaBinomial{Correlation: rho}.Rand(0.25, Given(1000), Stream(1, "trials"))
		want := Binomial{}.Rand(0.25, Given(1000), Stream(1, "trials"))
		must.Equal(t, y, want, rho)
	}
}
