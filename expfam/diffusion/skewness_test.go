package diffusion

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// With third cumulants the shift of independent cells is (v/√α) times the whole gradient of their evidences
// ℓⱼ(mⱼ(x), sⱼ²(x)), here of two cells whose variances depend on both.
func TestSkewnessIsTheDerivative(t *testing.T) {
	e := must.Get(engine.Float64())(t)
	x, at := []float64{0.4, -0.9}, level.At(0.7)
	moments := func(x []float64) (m, v [2]float64) {
		for j := range x {
			m[j] = 0.8*x[j] + 0.1*x[j]*x[j]
			v[j] = math.Exp(-1 + 0.5*math.Sin(x[j]) + 0.2*x[1-j])
		}
		return m, v
	}
	for _, c := range tiltCases[:5] {
		terms := must.Get(c.like.Terms())(t)
		var obs [2]expfam.Term
		for j := range obs {
			obs[j] = must.Get(c.like.Family.Reduce(c.y[len(c.y)-2+j], expfam.Known{}))(t)
		}
		got := enginetest.Call(t, e, func(x, stat, size *g.Node) *g.Node {
			a, v := g.Const(x.Graph(), at.SqrtAlpha), g.Const(x.Graph(), at.V)
			mean := g.Add(g.MulScalar(x, 0.8), g.MulScalar(g.Square(x), 0.1))
			variance := g.Exp(g.AddScalar(g.Add(g.MulScalar(g.Sin(x), 0.5),
				g.MulScalar(g.Sub(g.ReduceAllSum(x), x), 0.2)), -1))
			p := &Point{X: x, Level: level.Nodes{SqrtAlpha: a, V: v}, Mean: mean, Var: g.StopGradient(variance),
				Stat: stat, Size: size, Terms: terms,
				skew: g.OnesLike(a), variance: variance}
			return Quadrature{Independent: true, Newton: 30, Nodes: 25}.Shift(p)
		}, [][]float64{x}, [][]float64{{obs[0].Stat, obs[1].Stat}}, [][]float64{{obs[0].Size, obs[1].Size}})[0]
		want := fd.Gradient(nil, func(x []float64) float64 {
			var sum float64
			m, v := moments(x)
			for j := range x {
				mass, _, _ := exactTilt(terms, obs[j], m[j], math.Sqrt(v[j]))
				sum += mass
			}
			return sum
		}, x, &fd.Settings{Formula: fd.Central, Step: 1e-4})
		for j := range x {
			// The rule of 25 nodes is as far from the integral as in TestTiltAgainstQuadrature, a hundredth where a
			// sigmoid saturates.
			want := want[j] * at.V / at.SqrtAlpha
			must.Be(t, math.Abs(got[j]-want) <= (c.precise+1e-6)*(1+math.Abs(want)),
				"%v: shift %g of cell %d, want %g", c.like, got[j], j, want)
		}
	}
}

// rough is noise on all cells of one of two standard deviations, each half of the time.
type rough struct {
	cells int
	sd    [2]float64
}

func (rough) String() string { return "rough" }
func (r rough) Dim() int     { return r.cells }

func (r rough) Moments(x *g.Node, l level.Nodes) (mean, variance *g.Node) {
	var gain, rest, logs [2]*g.Node
	squares := g.ReduceAndKeep(g.Square(g.Div(x, l.SqrtAlpha)), g.ReduceSum, -1)
	for k, sd := range r.sd {
		total := g.AddScalar(g.Square(l.Sigma()), sd*sd)
		gain[k] = g.MulScalar(g.Reciprocal(total), sd*sd)
		rest[k] = g.Mul(gain[k], g.Square(l.Sigma()))
		logs[k] = g.MulScalar(g.Add(g.MulScalar(g.Log(total), float64(r.cells)), g.Div(squares, total)), -0.5)
	}
	weight := g.Sigmoid(g.Sub(logs[1], logs[0]))
	mix := func(v [2]*g.Node) *g.Node { return g.Add(g.Mul(weight, v[1]), g.Mul(g.OneMinus(weight), v[0])) }
	u := g.Div(x, l.SqrtAlpha)
	between := g.Mul(g.Mul(weight, g.OneMinus(weight)), g.Square(g.Mul(u, g.Sub(gain[1], gain[0]))))
	return g.Mul(u, mix(gain)), g.Add(mix(rest), between)
}

// Half of the cells say how rough all of them are. By means alone they can't: the mean of x₀ | x_t is near 0
// for rough and for smooth cells.
func TestSkewnessFindsRoughness(t *testing.T) {
	const tau, draws = 0.5, 64
	prior := rough{cells: 200, sd: [2]float64{0.1, 0.8}}
	free := make([]float64, prior.cells/2)
	roughness := func(truth, skew float64) (share, most float64) {
		obs, rng := make(expfam.Observations, prior.cells), expfam.Stream(1, "rough")
		for j := 0; j < prior.cells; j += 2 {
			obs[j] = expfam.Term{Stat: (truth*rng.NormFloat64() + tau*rng.NormFloat64()) / (tau * tau),
				Size: 1 / (tau * tau)}
		}
		m := ImageRestarts()
		m.Skew = skew
		post := must.Get(Sample(prior, expfam.Likelihood{Family: expfam.Normal{SD: tau}}, obs,
			Sampler{Draws: draws, Seed: 1, Engine: enginetest.Open(t, "go"), Method: m}))(t)
		for k := range draws {
			for j := range free {
				free[j] = post.X.At(k, 2*j+1)
			}
			sd := stat.StdDev(free, nil)
			if most = max(most, sd); sd > 0.4 {
				share += 1. / draws
			}
		}
		return share, most
	}
	// The data leave no doubt. Standard errors of the shares are at most 0.06.
	without, _ := roughness(0.8, 0)
	with, most := roughness(0.8, 1)
	must.Be(t, with > 0.85 && with > without+0.1,
		"rough cells: %.2f of the draws are rough, %.2f without third cumulants", with, without)
	must.Be(t, most < 1.2, "a draw of cells of sd 0.8 has %.2f", most)
	share, _ := roughness(0.1, 1)
	must.Be(t, share < 0.3, "smooth cells: %.2f of the draws are rough", share)
}

// centred is mixed without its offset.
type centred struct{ mixed }

func (centred) Offset() []float64 { return nil }

// An operator that doubles every cell, and noise that is twice as large, change nothing.
func TestSkewnessOfMultiples(t *testing.T) {
	prior := rough{cells: 200, sd: [2]float64{0.1, 0.8}}
	twice := make([][]float64, prior.cells)
	obs, rng := make(expfam.Observations, prior.cells), expfam.Stream(2, "rough")
	for j := range twice {
		twice[j] = make([]float64, prior.cells)
		twice[j][j] = 2
		obs[j] = expfam.Term{Stat: 4 * (0.8*rng.NormFloat64() + 0.5*rng.NormFloat64()), Size: 4}
	}
	doubled := make(expfam.Observations, prior.cells) // of 2y with noise of sd 1
	for j, o := range obs {
		doubled[j] = expfam.Term{Stat: o.Stat / 2, Size: 1}
	}
	draw := func(like expfam.Likelihood, obs expfam.Observations) []float64 {
		post := must.Get(Sample(prior, like, obs, Sampler{Draws: 16, Seed: 1, Engine: enginetest.Fast(t),
			Method: Restarts{Skew: 3}, Guidance: Quadrature{Steps: 3}, Fresh: true}))(t)
		return post.X.RawMatrix().Data
	}
	plain := draw(expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}, obs)
	behind := draw(expfam.Likelihood{Family: expfam.Normal{SD: 1}, Operator: centred{mixedOf(twice)}}, doubled)
	var miss float64
	for i := range plain {
		miss += (plain[i] - behind[i]) * (plain[i] - behind[i]) / float64(len(plain))
	}
	// A hundredth of the sd of 0.42. What is left is the rounding of two graphs and of preconditioners.
	rms := math.Sqrt(miss)
	must.Be(t, rms < 0.004, "draws differ by %g", rms)
}

// certain says that it is a Gaussian.
type certain struct{ rough }

func (certain) Multiply(v []float64) ([]float64, bool) { return v, true }

// Third cumulants are left out where they are 0, or where data depend on each other: they cost a product.
func TestThirdCumulantsAreAskedFor(t *testing.T) {
	mixed, like := rough{cells: 5, sd: [2]float64{0.1, 0.8}}, expfam.Likelihood{Family: expfam.Normal{}}
	behind := func(like expfam.Likelihood, op expfam.Operator) expfam.Likelihood {
		like.Operator = op
		return like
	}
	multiples := mixedOf([][]float64{{2, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 1, 0}})
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		like  expfam.Likelihood
		g     Guidance
		want  bool
	}{
		{"two amplitudes", mixed, like, nil, true},
		{"a Gaussian", certain{mixed}, like, nil, false},
		{"an operator that joins cells", mixed,
			behind(like, mixedOf([][]float64{{1, 1, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 1, 0}})), nil, false},
		{"an operator that looks at cells", mixed, behind(like, multiples), nil, true},
		{"intensities of cells", mixed, behind(expfam.Likelihood{Family: expfam.Poisson{}},
			expfam.SumOf{Operator: multiples}), nil, true},
		{"a sum of two intensities", mixed, behind(expfam.Likelihood{Family: expfam.Poisson{}},
			expfam.SumOf{Operator: mixedOf([][]float64{{1, 1, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 1, 0}})}), nil,
			false},
		{"another guidance", mixed, like, Delta{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiled, err := Compile(c.prior, c.like, Sampler{Engine: enginetest.Open(t, "go"), Method: ImageRestarts(),
				Guidance: c.g})
			must.Do(t, err)
			defer compiled.Close()
			must.Equal(t, skewed.in(compiled.steps), c.want, "third cumulants")
		})
	}
}

// Precise data refine a method to noise levels at which it would have third cumulants, or light steps, for the first
// time. Then third cumulants are left out, and graphs of light steps are compiled.
func TestRefinedToOtherSteps(t *testing.T) {
	prior := rough{cells: 5, sd: [2]float64{0.1, 0.8}}
	obs := make(expfam.Observations, prior.cells)
	for j := range obs {
		obs[j] = expfam.Term{Stat: 0.3e8, Size: 1e8} // sd 1e-4
	}
	for _, m := range []Method{Restarts{Skew: 1e-3}, Restarts{Light: 1e-3}} {
		post := must.Get(Sample(prior, expfam.Likelihood{Family: expfam.Normal{SD: 1e-4}}, obs,
			Sampler{Draws: 2, Engine: enginetest.Open(t, "go"), Method: m, Fresh: true}))(t)
		x := post.X.At(0, 0) // ten standard deviations
		must.Be(t, math.Abs(x-0.3) < 1e-3, "%v: draw %g of data at 0.3", m, x)
	}
}
