package simulate_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/expfam/simulate"
	"github.com/expfam/lab/expfam/special"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// curved is a simulator whose field is a curve of its parameters with independent noise of one standard deviation.
type curved interface {
	learn.ParametricSimulator
	Curve(values, x []float64)
}

// problem is a simulator with a likelihood.
type problem struct {
	name    string
	sim     curved
	scatter float64
	like    expfam.Likelihood
	circle  int // 1 + the number of the parameter that is a uniform place on a circle, 0 if none is
	ahead   int // number of cells ahead of the data
}

var problems = []problem{
	{"epidemic", simulate.Epidemic{}, 0.15, expfam.Likelihood{Family: expfam.Poisson{}}, 0, 0},
	{"season", simulate.Season{}, 0.2, expfam.Likelihood{Family: expfam.Poisson{},
		Link: expfam.MustLink("exp(2+x)")}, 4, 0},
	{"dose", simulate.Dose{}, 0.2, expfam.Likelihood{Family: expfam.Binomial{Trials: 30}}, 0, 0},
	{"forecast", simulate.Epidemic{}, 0.15, expfam.Likelihood{Family: expfam.Poisson{}}, 0, 10},
}

// data returns the parameters, the field and the observations of a simulation.
func (p problem) data(t *testing.T, seed uint64) (values, x []float64, obs expfam.Observations) {
	x = make([]float64, p.sim.Dim())
	rng := expfam.Stream(seed, "simulate/"+p.name)
	values = law.Draw(rng, p.sim.Parameters())
	p.sim.DrawGiven(rng, values, x)
	terms := must.Get(p.like.Terms())(t)
	theta := make([]float64, len(x))
	for j, v := range x {
		theta[j] = terms.Link.At(v)
	}
	obs = must.Get(p.like.Observe(must.Get(p.like.Simulate(theta, nil, 1, seed))(t)))(t)
	clear(obs[len(obs)-p.ahead:])
	return values, x, obs
}

// metropolis draws the scores of the parameters from their posterior, independently of the library's samplers: by four
// chains of a random walk (Haario, Saksman & Tamminen 2001), with the noise of each cell integrated out by quadrature.
// A place on a circle also takes steps along the circle, which cross its end.
func (p problem) metropolis(t *testing.T, obs expfam.Observations, steps int) *mat.Dense {
	terms := must.Get(p.like.Terms())(t)
	nodes, weights := special.GaussHermite(25)
	all := p.sim.Parameters()
	values, curve := make([]float64, len(all)), make([]float64, p.sim.Dim())
	logs := make([]float64, len(nodes))
	density := func(scores []float64) (sum float64) {
		for k, s := range scores {
			if values[k], sum = law.At(all[k].Law, s), sum-s*s/2; math.Abs(s) > law.Most {
				return math.Inf(-1)
			}
		}
		p.sim.Curve(values, curve)
		for j, c := range curve {
			for i, z := range nodes {
				logs[i] = math.Log(weights[i]) + terms.LogLik(c+p.scatter*z, obs[j])
			}
			sum += floats.LogSumExp(logs)
		}
		return sum
	}
	n := len(all)
	out := mat.NewDense(4*steps, n, nil)
	for chain := range 4 {
		rng := rand.New(rand.NewPCG(uint64(chain), 17))
		at, best := make([]float64, n), math.Inf(-1)
		for range 300 { // a start among draws of the prior
			s := make([]float64, n)
			for k := range s {
				s[k] = rng.NormFloat64()
			}
			if v := density(s); v > best {
				at, best = s, v
			}
		}
		root := mat.NewTriDense(n, mat.Lower, nil)
		for k := range n {
			root.SetTri(k, k, 0.1)
		}
		past := mat.NewDense(steps, n, nil)
		for i := -steps / 2; i < steps; i++ { // a third of the steps adapts
			z, step := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
			for k := range n {
				z.SetVec(k, rng.NormFloat64())
			}
			step.MulVec(root, z)
			next := make([]float64, n)
			for k := range next {
				next[k] = at[k] + step.AtVec(k)
			}
			if v := density(next); math.Log(rng.Float64()) < v-best {
				at, best = next, v
			}
			if k := p.circle - 1; k >= 0 {
				next := slices.Clone(at)
				_, place := math.Modf(distuv.UnitNormal.CDF(at[k]) + 1 + 0.1*rng.NormFloat64())
				next[k] = distuv.UnitNormal.Quantile(place)
				// The step is symmetric on the circle, where the prior is uniform.
				v := density(next)
				if math.Log(rng.Float64()) < v+next[k]*next[k]/2-best-at[k]*at[k]/2 {
					at, best = next, v
				}
			}
			past.SetRow((i+steps)%steps, at)
			if done := i + steps/2 + 1; i < 0 && done%500 == 0 {
				seen := past.Slice(steps/2+done-500, steps/2+done, 0, n)
				cov := mat.NewSymDense(n, nil)
				stat.CovarianceMatrix(cov, seen, nil)
				for k := range n {
					cov.SetSym(k, k, cov.At(k, k)+1e-5)
				}
				cov.ScaleSym(2.4*2.4/float64(n), cov)
				var chol mat.Cholesky
				if chol.Factorize(cov) {
					chol.LTo(root)
				}
			}
			if i >= 0 {
				out.SetRow(chain*steps+i, at)
			}
		}
	}
	return out
}

// turn replaces scores of a place on a circle by angles from the mean direction of the first ones.
func turn(truth, others []float64) {
	angle := func(score float64) float64 { return 2 * math.Pi * distuv.UnitNormal.CDF(score) }
	var mean complex128
	for _, v := range truth {
		mean += cmplx.Rect(1, angle(v))
	}
	for _, all := range [][]float64{truth, others} {
		for i, v := range all {
			all[i] = cmplx.Phase(cmplx.Rect(1, angle(v)) / mean)
		}
	}
}

// TestPosteriors: posteriors of the parameters under a trained prior are those of long chains of a random walk.
func TestPosteriors(t *testing.T) {
	for _, p := range problems {
		t.Run(p.name, func(t *testing.T) {
			if !*fulltest.Full {
				t.Skip("trains for minutes; run with -full")
			}
			prior := must.Get(learn.Train(p.sim, learn.Training{Steps: 3000, Ahead: p.ahead}))(t)
			t.Logf("trained in %.0f s", prior.Curve.Seconds)
			const sets = 20
			n := len(p.sim.Parameters())
			off, ratio := make([]float64, n), make([]float64, n)
			for s := range sets {
				_, _, obs := p.data(t, uint64(s))
				exact := p.metropolis(t, obs, 8000)
				post := must.Get(diffusion.Sample(prior, p.like, obs, diffusion.Sampler{Seed: 1, Fresh: true}))(t)
				for k, q := range post.Parameters {
					scores, truth := make([]float64, len(q.Draws)), mat.Col(nil, k, exact)
					for i, v := range q.Draws {
						scores[i] = law.Score(p.sim.Parameters()[k].Law, v)
					}
					if k == p.circle-1 {
						turn(truth, scores)
					}
					m0, s0 := stat.MeanStdDev(truth, nil)
					m1, s1 := stat.MeanStdDev(scores, nil)
					off[k] += math.Abs(m1-m0) / s0 / sets
					ratio[k] += s1 / s0 / sets
				}
			}
			for k, q := range p.sim.Parameters() {
				t.Logf("%s: means %.3f sd off, widths %.3f", q.Name, off[k], ratio[k])
				// 500 draws and the chains have means 0.04 sd off. The rest is the network's, after a short training.
				wide := 0.2
				if k == p.circle-1 { // near the end of the year the score has two modes; the network draws between
					wide = 0.6
				}
				must.Be(t, off[k] <= 0.4 && math.Abs(ratio[k]-1) <= wide,
					"%s: means are %.3f sd off, and widths %.3f of the chains'", q.Name, off[k], ratio[k])
			}
		})
	}
}

// TestGrowth: an epidemic in a large population grows at the rate r of Euler and Lotka, R0 Σ w_s exp(−r s) = 1, where w
// is the generation time (Wallinga & Lipsitch 2007). For a gamma distribution of shape 4 in continuous time this is
// r = 4 (R0^¼ − 1)/mean; cutting it into days changes r by a few per cent.
func TestGrowth(t *testing.T) {
	e := simulate.Epidemic{Weeks: 14, Population: 1e15, Background: 1e-9, Imports: 1e-9}
	x := make([]float64, 14)
	for _, values := range [][]float64{{2, 5, 1, 10}, {1.4, 8, 0.3, 10}, {3, 6, 0.5, 1}} {
		e.Curve(values, x)
		got, want := (x[13]-x[8])/35, 4*(math.Pow(values[0], 0.25)-1)/values[1]
		if math.Abs(got/want-1) > 0.05 {
			t.Errorf("R0 %g, generation time %g: the rate of growth is %.4f a day, not %.4f", values[0], values[1], got,
				want)
		}
	}
}

// TestFinalSize: the share z of people who are infected in the end solves z = 1 − exp(−R0 z) (Kermack & McKendrick
// 1927). Days of finite length make it a little larger.
func TestFinalSize(t *testing.T) {
	e := simulate.Epidemic{Weeks: 80, Population: 1e6, Background: 1e-9, Imports: 1e-9}
	x := make([]float64, 80)
	e.Curve([]float64{1.5, 5, 1, 10}, x)
	var total float64
	for _, v := range x {
		total += math.Exp(v)
	}
	z := total / 1e6
	must.Be(t, math.Abs(z-0.5828) <= 0.01, "%.4f of the people are infected, not 0.5828", z)
}

// TestMetropolis: the random walk, which is the truth of [TestPosteriors], has uniform ranks itself, also on a circle.
func TestMetropolis(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("only tests with -full need its draws; run with -full")
	}
	season := problems[1]
	season.sim = simulate.Season{Cells: 12}
	for _, p := range []problem{problems[2], season} {
		const sets = 40
		var below [4]float64
		for s := range sets {
			values, _, obs := p.data(t, uint64(s))
			draws := p.metropolis(t, obs, 600)
			for k, q := range p.sim.Parameters() {
				truth, n := law.Score(q.Law, values[k]), 0
				for i := range 2400 {
					if draws.At(i, k) < truth {
						n++
					}
				}
				below[k] += float64(n) / 2400 / sets
			}
		}
		for k, b := range below {
			if math.Abs(b-0.5) > 4/math.Sqrt(12*sets) { // four standard errors of a mean of uniform ranks
				t.Errorf("%s, %s: the mean rank is %.3f", p.name, p.sim.Parameters()[k].Name, b)
			}
		}
	}
}

// TestRefused: impossible fields and laws are refused by one sentence.
func TestRefused(t *testing.T) {
	for want, sim := range map[string]expfam.Checker{
		"a Population of -1":            simulate.Epidemic{Population: -1},
		"a Scatter of -0.1":             simulate.Season{Scatter: -0.1},
		"dose 1 is 0":                   simulate.Dose{Doses: []float64{1, 0}},
		`a law is given for "r0"`:       simulate.Epidemic{Laws: law.Laws{"r0": law.PCSD{Above: 1, Probability: 0.5}}},
		"the model has no Name":         simulate.Model{},
		"m has 0 Cells":                 simulate.Model{Name: "m"},
		"m has no Field":                simulate.Model{Name: "m", Cells: 2},
		`parameter "peak": there is no`: simulate.Season{Laws: law.Laws{"peak": nil}},
		"in 1 rows and 9 columns":       simulate.Image{Of: scenes.Procedural{Rows: 1, Cols: 9}},
		"a blur from -6":                simulate.Image{Laws: law.Laws{"blur": law.Normal{Mean: 1, SD: 1}}},
		"a base from -":                 simulate.Dose{Laws: law.Laws{"base": law.Normal{SD: 1}}},
		"a top from 0":                  simulate.Dose{Laws: law.Laws{"top": law.LogNormal{Median: 0.9, SD: 0.1}}},
		"a ED50 from -":                 simulate.Dose{Laws: law.Laws{"ED50": law.Normal{Mean: 1, SD: 1}}},
		"a R0 from -":                   simulate.Epidemic{Laws: law.Laws{"R0": law.Normal{Mean: 2, SD: 1}}},
		"a reporting rate from 1.6":     simulate.Epidemic{Laws: law.Laws{"reporting rate": law.HalfNormal{SD: 1}}},
		`a law is given for "width"`:    simulate.Image{Laws: law.Laws{"width": law.LogNormal{Median: 1, SD: 1}}},
	} {
		must.Err(t, sim.Check(), want)
	}
}
