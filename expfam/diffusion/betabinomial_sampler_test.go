package diffusion

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// TestBetaBinomialGoesToTheBinomial: as ρ goes to 0 the posterior under the sampler,
// in float32, differs by what Var y = nθ(1−θ)(1 + (n−1)ρ) says and by rounding.
func TestBetaBinomialGoesToTheBinomial(t *testing.T) {
	const n = 40
	obs := make(expfam.Observations, 4)
	for j, y := range []float64{0, 7, 39, 40} {
		obs[j] = expfam.Term{Stat: y, Size: n}
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		draws := func(f expfam.Family) *mat.Dense {
			post := must.Get(Sample(unitNormal(4), expfam.Likelihood{Family: f, Link: expfam.MustLink("sigmoid(2*x)")},
				obs,
				Sampler{Draws: 20, Seed: 1, Engine: e, Method: Multistep{N: 5}, Fresh: true}))(t, f)
			return post.X
		}
		want := draws(expfam.Binomial{})
		// Every correlation is compiled.
		for _, rho := range enginetest.Short(e, 1, []float64{1e-10, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-13, 1e-19}) {
			got := draws(expfam.BetaBinomial{Correlation: rho})
			got.Sub(got, want)
			// The posterior's sd is 0.2 to 0.5: the variance of the data changes by
			// the factor 1 + nρ, and some hundred roundings of 6e-8 add up.
			worst := max(mat.Max(got), -mat.Min(got))
			must.Be(t, worst < 5*n*rho+1e-4, "rho %g: %g from the binomial", rho, worst)
		}
	})
}

// unitNormal is N(0, 1) in every cell.
type unitNormal int

func (p unitNormal) String() string { return "unit normal" }
func (p unitNormal) Dim() int       { return int(p) }
func (p unitNormal) Moments(x *g.Node, l level.Nodes) (mean, variance *g.Node) {
	return g.Mul(x, l.SqrtAlpha), g.Mul(l.V, g.OnesLike(x))
}

// TestBetaBinomialTilt: the marginal evidence by quadrature.
func TestBetaBinomialTilt(t *testing.T) {
	e := must.Get(engine.Float64())(t)
	for _, rho := range []float64{0, 0.01, 0.1} {
		f := expfam.BetaBinomial{Correlation: rho}
		terms := must.Get(expfam.Likelihood{Family: f, Link: expfam.MustLink("sigmoid(5*x)")}.Terms())(t)
		for _, y := range []float64{3, 20, 55} {
			term, _ := f.Reduce(y, expfam.Given(60))
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
