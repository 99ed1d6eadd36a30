package expfam

import (
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
)

// risingLog is log p(y | θ) of n trials by rising factorials, which need no special
// function: C(n,y) ∏_{i<y} (θ + iε) ∏_{i<n−y} (1−θ + iε) / ∏_{i<n} (1 + iε),
// ε = 1/κ = ρ/(1−ρ).
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
		term, err := f.Reduce(c.y, Given(c.n))
		if err != nil {
			t.Fatal(err)
		}
		terms, err := Likelihood{Family: f, Link: MustLink("sigmoid(5*x)")}.Terms()
		if err != nil {
			t.Fatal(err)
		}
		at := func(x float64) float64 { return risingLog(c.y, c.n, 1/(1+math.Exp(-5*x)), c.rho) }
		for _, x := range []float64{-2, -0.7, 0, 0.3, 1.4} {
			closeTo(t, f.String(), terms.LogLik(x, term), at(x), 2e-12*(1+c.n))
			// Central differences are good to 1e-9 of a log-likelihood of some n.
			closeTo(t, "slope", terms.Slope(x, term), fd.Derivative(at, x, &fd.Settings{Formula: fd.Central}), 1e-6*(1+c.n))
			slope := func(x float64) float64 { return terms.Slope(x, term) }
			closeTo(t, "information", terms.Information(x, term), -fd.Derivative(slope, x, &fd.Settings{Formula: fd.Central}), 1e-6*(1+c.n))
		}
		if math.IsNaN(terms.LogLik(-1e4, term)) || math.IsNaN(terms.Information(1e4, term)) {
			t.Errorf("%v: not a number far out", c)
		}
	}
}

func TestBetaBinomialIsTheMixture(t *testing.T) {
	const theta, rho, n = 0.3, 0.2, 9.0
	k, total := 1/rho-1, 0.0
	f := BetaBinomial{Correlation: rho}
	terms, err := Likelihood{Family: f}.Terms()
	if err != nil {
		t.Fatal(err)
	}
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
			for _, link := range []Link{MustLink("sigmoid(5*x)"), FuncLink("logistic", func(x *g.Node) *g.Node { return g.Sigmoid(x) })} {
				if i > 0 && e.String() != "go" {
					continue // the same graph with other numbers, which takes long to compile
				}
				f := BetaBinomial{Correlation: c.rho}
				terms, err := Likelihood{Family: f, Link: link}.Terms()
				if err != nil {
					t.Fatal(err)
				}
				x := []float32{-1.5, -0.4, 0, 0.6, 1.2}
				out := enginetest.Call(t, e, func(x *g.Node) []*g.Node {
					value, slope, information := terms.Graph(x, g.Scalar(x.Graph(), x.DType(), c.y), g.Scalar(x.Graph(), x.DType(), c.n))
					none := g.ScalarZero(x.Graph(), x.DType())
					empty, slope0, information0 := terms.Graph(g.MulScalar(x, 1e9), none, none)
					return []*g.Node{value, slope, information, empty, slope0, information0}
				}, x)
				for i, v := range x {
					term := Term{Stat: c.y, Size: c.n}
					for k, want := range []float64{terms.LogLik(float64(v), term) - terms.LogLik(0, term), terms.Slope(float64(v), term), terms.Information(float64(v), term)} {
						got := out[k][i]
						if k == 0 {
							got -= out[0][2] // there is a constant
						}
						// A few ulp of float32 of sums of n terms; the information adds
						// (1−2θ)·slope to what is as large.
						if math.Abs(got-want) > 2e-5*(1+c.n) {
							t.Errorf("%v, %v: output %d at %v is %v, want %v", c, link, k, v, got, want)
						}
						if out[3+k][i] != 0 {
							t.Errorf("%v: output %d of a missing cell is %v", c, k, out[3+k][i])
						}
					}
				}
			}
		}
	})
}

// TestBetaBinomialGoesToTheBinomial: as ρ goes to 0 the posterior under the sampler,
// in float32, differs by what Var y = nθ(1−θ)(1 + (n−1)ρ) says and by rounding.
func TestBetaBinomialGoesToTheBinomial(t *testing.T) {
	const n = 40
	obs := make(Observations, 4)
	for j, y := range []float64{0, 7, 39, 40} {
		obs[j] = Term{Stat: y, Size: n}
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		draws := func(f Family) *mat.Dense {
			post, err := Sample(unitNormal(4), Likelihood{Family: f, Link: MustLink("sigmoid(2*x)")}, obs,
				Sampler{Draws: 20, Seed: 1, Engine: e, Method: Multistep{N: 5}, Fresh: true})
			if err != nil {
				t.Fatalf("%v: %v", f, err)
			}
			return post.X
		}
		want := draws(Binomial{})
		// Every correlation is compiled.
		for _, rho := range enginetest.Short(e, 1, []float64{1e-10, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-13, 1e-19}) {
			got := draws(BetaBinomial{Correlation: rho})
			got.Sub(got, want)
			// The posterior's sd is 0.2 to 0.5: the variance of the data changes by
			// the factor 1 + nρ, and some hundred roundings of 6e-8 add up.
			if worst := max(mat.Max(got), -mat.Min(got)); !(worst < 5*n*rho+1e-4) {
				t.Errorf("rho %g: %g from the binomial", rho, worst)
			}
		}
	})
}

// unitNormal is N(0, 1) in every cell.
type unitNormal int

func (p unitNormal) String() string { return "unit normal" }
func (p unitNormal) Dim() int       { return int(p) }
func (p unitNormal) Moments(x *g.Node, l LevelNodes) (mean, variance *g.Node) {
	return g.Mul(x, l.SqrtAlpha), g.Mul(l.V, g.OnesLike(x))
}

// TestBetaBinomialTilt: the marginal evidence by quadrature.
func TestBetaBinomialTilt(t *testing.T) {
	e, err := engine.Float64()
	if err != nil {
		t.Fatal(err)
	}
	for _, rho := range []float64{0, 0.01, 0.1} {
		f := BetaBinomial{Correlation: rho}
		terms, err := Likelihood{Family: f, Link: MustLink("sigmoid(5*x)")}.Terms()
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range []float64{3, 20, 55} {
			term, _ := f.Reduce(y, Given(60))
			slope, ratio := tiltOf(t, e, dtypes.Float64, Quadrature{Nodes: 25, Newton: 12}, terms, term)
			for j := range slope {
				m, s := tiltMeans[j/len(tiltVariances)], math.Sqrt(tiltVariances[j%len(tiltVariances)])
				if math.Abs(m-math.Log(y/(60-y))/5) > 1.5 {
					continue // beyond, it is not log-concave, and taken as flat there
				}
				_, mean, variance := exactTilt(terms, term, m, s)
				// Of the tilted density's own sd, and relative: skewed tails leave
				// that to 25 nodes. What widens the prior is taken as flat.
				closeTo(t, "shift", slope[j]*s, mean, 5e-3*math.Sqrt(variance))
				closeTo(t, "variance", ratio[j], math.Min(1, variance), 0.03*variance)
			}
		}
	}
}

func TestBetaBinomialDraws(t *testing.T) {
	for _, rho := range []float64{0, 0.1, 0.7, 0.9999} {
		const theta, n, draws = 0.2, 30.0, 20000
		f, rng := BetaBinomial{Correlation: rho}, Stream(1, "betabinomial")
		y := make([]float64, draws)
		for i := range y {
			y[i] = f.Rand(theta, Given(n), rng)
			if _, err := f.Reduce(y[i], Given(n)); err != nil {
				t.Fatal(err)
			}
		}
		mean, variance := stat.MeanVariance(y, nil)
		want, fourth := n*theta*(1-theta)*(1+(n-1)*rho), 0.0
		for _, v := range y {
			fourth += math.Pow(v-n*theta, 4) / draws
		}
		// Four standard errors.
		closeTo(t, "mean", mean, n*theta, 4*math.Sqrt(want/draws))
		closeTo(t, "variance", variance, want, 4*math.Sqrt((fourth-want*want)/draws))
	}
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
		if _, err := c.f.Reduce(c.y, Given(c.n)); err == nil || !strings.Contains(err.Error(), c.contains) {
			t.Errorf("%v: error %v", c, err)
		}
	}
	if _, err := (Likelihood{Family: BetaBinomial{Correlation: 2}}).Terms(); err == nil {
		t.Error("a correlation of 2 has terms")
	}
	// Sums of replicates and missing cells are as the Binomial's.
	obs, err := Likelihood{Family: BetaBinomial{Correlation: 0.1}}.Observe(Data{Y: [][]float64{{3, 0}, {1, 0}}, Known: [][]float64{{9, 0}, {4, 0}}})
	if err != nil || obs[0].Stat != 4 || obs[0].Size != 13 || obs[1] != (Term{}) {
		t.Error(obs, err)
	}
}
