package counts

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/must"
)

var poisson = expfam.Likelihood{Family: expfam.Poisson{}}

// scene is a lattice with a mask, oblong cells, exposures and held-out cells.
func scene(t *testing.T) (grid.Grid, expfam.Observations) {
	t.Helper()
	g := grid.Grid{Rows: 6, Cols: 8, X: grid.Axis{Step: 2}, Y: grid.Axis{Step: -1.5}, Outside: make([]bool, 48)}
	g.Outside[0], g.Outside[20] = true, true
	x := make([]float64, 48)
	for j := range x {
		x[j] = math.Sin(float64(j) / 7)
	}
	data := must.Get(grid.Cox{Grid: g, Replicates: 2, Seed: 1}.Simulate(x))(t)
	return g, data.Seen
}

var near = must.Absolute

// weight is w of two cells by its definition.
func weight(g grid.Grid, i, j int, h float64) float64 {
	xi, yi := g.Centre(i)
	xj, yj := g.Centre(j)
	return math.Exp(-(math.Pow(xi-xj, 2)+math.Pow(yi-yj, 2))/(2*h*h)) + background
}

func TestKernelIsItsDefinition(t *testing.T) {
	g, obs := scene(t)
	const h = 2.5
	// of sums over all cells but one.
	of := func(j, without int) float64 {
		var y, e float64
		for k, c := range obs {
			if k != without {
				y += weight(g, j, k, h) * c.Stat
				e += weight(g, j, k, h) * c.Size
			}
		}
		return y / e
	}
	theta, _ := must.Get2(Kernel{Grid: g, Bandwidth: h}.Estimate(poisson, obs))(t)
	held := 0.0
	for j, c := range obs {
		near(t, "estimate", theta[j], of(j, -1), 1e-12)
		held += poisson.Family.Natural().LogLikelihood(c, of(j, j))
	}
	post := must.Get(Kernel{Grid: g, Bandwidth: h}.Sample(poisson, obs, Options{Draws: 4000, Seed: 2}))(t)
	near(t, "held-out log-likelihood", post.Info.Diagnostics["held_out"], held, 1e-9)
	few := must.Get(Kernel{Grid: g, Bandwidth: h}.Sample(poisson, obs, Options{Draws: 3, Seed: 2}))(t)
	must.Be(t, mat.Equal(few.X, post.X.Slice(0, 3, 0, 48)), "the first draws depend on how many there are")
	// Mean and covariance of the draws are known.
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, post.Theta().X, nil)
	want := func(i, j int) float64 {
		var both, ei, ej float64
		for k, c := range obs {
			wi, wj := weight(g, i, k, h), weight(g, j, k, h)
			both, ei, ej = both+wi*wj*c.Stat, ei+wi*c.Size, ej+wj*c.Size
		}
		return both / (ei * ej)
	}
	for i, m := range post.Mean() {
		near(t, "mean", m, theta[i], 5*math.Sqrt(want(i, i)/4000))
		for j := range obs {
			// The tails of the Gamma double the error of a Gaussian covariance.
			near(t, "covariance", cov.At(i, j), want(i, j), 10*math.Sqrt(2*want(i, i)*want(j, j)/4000))
		}
	}
}

// Where the rate is constant and the counts are as expected, edges, gaps and exposures leave no trace.
func TestKernelCorrectsForEdges(t *testing.T) {
	g, obs := scene(t)
	for j := range obs {
		obs[j].Stat = 3 * obs[j].Size
	}
	for _, h := range []float64{0.3, 2, 50} {
		theta, _ := must.Get2(Kernel{Grid: g, Bandwidth: h}.Estimate(poisson, obs))(t)
		for _, v := range theta {
			near(t, "rate", v, 3, 1e-9)
		}
	}
}

// The chosen bandwidth estimates a smooth surface nearly as well as the best one, and a constant surface by a wide one.
func TestBandwidth(t *testing.T) {
	g := grid.Grid{Rows: 32, Cols: 32}
	x := make([]float64, g.Len())
	for j := range x {
		r, c := g.Cell(j)
		x[j] = 1 + math.Sin(float64(r)/4)*math.Cos(float64(c)/5)
	}
	data := must.Get(grid.Cox{Grid: g, Replicates: 1, Seed: 3}.Simulate(x))(t)
	loss := func(h float64) float64 {
		theta, _ := must.Get2(Kernel{Grid: g, Bandwidth: h}.Estimate(poisson, data.Seen))(t)
		return floats.Distance(theta, data.Theta, 2)
	}
	_, h := must.Get2(Kernel{Grid: g}.Estimate(poisson, data.Seen))(t)
	best := math.Inf(1)
	for b := 0.4; b < 8; b *= 1.1 {
		best = math.Min(best, loss(b))
	}
	ratio := loss(h) / best
	must.Be(t, ratio <= 1.15, "h = %g is %g times as far from the truth as the best", h, ratio)
	flat := must.Get(grid.Cox{Grid: g, Replicates: 1, Seed: 3}.Simulate(make([]float64, g.Len())))(t)
	_, h, err := (Kernel{Grid: g}).Estimate(poisson, flat.Seen)
	must.Be(t, err == nil && h >= 8, "h = %g for a constant rate, error %v", h, err)
}

func TestRawIsTheConjugatePosterior(t *testing.T) {
	_, obs := scene(t)
	prior := expfam.Standard{Conjugate: expfam.GammaPrior{}, A: 2, B: 1.5}
	post := must.Get(Raw{Prior: prior}.Sample(poisson, obs, Options{Draws: 4000, Seed: 1}))(t)
	mean, sd := post.Mean(), post.SD()
	for j, c := range obs {
		a, b := 2+c.Stat, 1.5+c.Size
		near(t, "mean", mean[j], a/b, 5*math.Sqrt(a)/b/math.Sqrt(4000))
		// The kurtosis of Gamma(2) is 6: var(sd)/sd² = (6−1)/4/4000.
		near(t, "sd", sd[j]*b/math.Sqrt(a), 1, 5*math.Sqrt(5.0/4/4000))
	}
	few := must.Get(Raw{Prior: prior}.Sample(poisson, obs, Options{Draws: 3, Seed: 1}))(t)
	must.Be(t, mat.Equal(few.X, post.X.Slice(0, 3, 0, 48)), "the first draws depend on how many there are")
}

// 2000 rates from Gamma(4, 2): the shape is known to about √(2/2000)·4·1.5 = 0.2
// from counts near 8, the mean to 1/√2000 = 0.02.
func TestSharedPriorIsFound(t *testing.T) {
	truth := expfam.Standard{Conjugate: expfam.GammaPrior{}, A: 4, B: 2}
	rng := expfam.Stream(1, "test/shared")
	theta, exposure := make([]float64, 2000), make([]float64, 2000)
	for j := range theta {
		theta[j], exposure[j] = truth.Rand(rng), 4
	}
	data := must.Get(poisson.Simulate(theta, exposure, 1, 1))(t)
	obs := must.Get(poisson.Observe(data))(t)
	post := must.Get(Raw{}.Sample(poisson, obs, Options{Draws: 1}))(t)
	d := post.Info.Diagnostics
	near(t, "shape", d["prior_a"], 4, 0.6)
	near(t, "mean", d["prior_a"]/d["prior_b"], 2, 0.07)
	better := 0.0
	for _, c := range obs {
		better += truth.LogEvidence(c)
	}
	must.Be(t, d["log_evidence"] >= better, "log evidence %g, %g under the true prior", d["log_evidence"], better)
}

// Measurements in centimetres or in units of 100 km have the posterior of those in metres. Their prior has a standard
// deviation of some 200 cm or 2e-5 units, a precision of e⁻¹⁰·⁶ or e²¹·⁶.
func TestRawHasNoUnits(t *testing.T) {
	y := []float64{1, 3, -2, 4, 0.5, -1, 2, -3}
	mean := func(unit float64) []float64 {
		like := expfam.Likelihood{Family: expfam.Normal{SD: 0.1 * unit}}
		scaled := make([]float64, len(y))
		for j, v := range y {
			scaled[j] = v * unit
		}
		post := expfam.Must(Raw{}.Sample(like, expfam.Must(like.Observe1(scaled...)), Options{Draws: 2000}))
		return post.Mean()
	}
	metres := mean(1)
	for _, unit := range []float64{100, 1e-5} {
		for j, v := range mean(unit) {
			near(t, "mean in metres", v/unit, metres[j], 0.002) // the fit ends at 1e-6 of log evidence
		}
	}
}

func TestRawFamilies(t *testing.T) {
	for _, family := range []expfam.Family{
		expfam.Bernoulli{}, expfam.Binomial{Trials: 30}, expfam.Exponential{}, expfam.Gamma{Shape: 3},
		expfam.Geometric{}, expfam.LogNormal{}, expfam.LogNormalVariance{}, expfam.NegativeBinomial{Successes: 4},
		expfam.Normal{}, expfam.NormalVariance{}, expfam.Pareto{}, expfam.Poisson{}, expfam.Weibull{Shape: 2},
	} {
		t.Run(family.String(), func(t *testing.T) {
			like := expfam.Likelihood{Family: family}
			rng := expfam.Stream(1, "test/families")
			theta := make([]float64, 30)
			for j := range theta {
				theta[j] = family.DefaultLink().At(0.5 * rng.NormFloat64())
			}
			data := must.Get(like.Simulate(theta, nil, 4, 1))(t)
			obs := must.Get(like.Observe(data))(t)
			obs[3] = expfam.Term{}
			post := must.Get(Raw{}.Sample(like, obs, Options{Draws: 300}))(t)
			must.Do(t, post.Check())
			// 30 independent cells at 90%, less four standard errors.
			c, err := post.Coverage(theta, 0.9)
			must.Be(t, err == nil && c >= 0.68, "coverage %g, error %v", c, err)
		})
	}
}

// The prior Gamma(2, 1) of a rate is one distribution, whether the data are counts or times. Of the times 1, 4 and 9
// the posterior is Gamma(3, 1+y), and Beta(3, 1+y) of failures under the prior Beta(2, 1).
func TestRawPriorOfAnyVariant(t *testing.T) {
	y := []float64{1, 4, 9}
	for _, c := range []struct {
		family expfam.Family
		prior  expfam.Conjugate
		mean   func(y float64) float64
	}{
		{expfam.Exponential{}, expfam.GammaPrior{}, func(y float64) float64 { return 3 / (1 + y) }},
		{expfam.Exponential{}, expfam.GammaPrior{Times: true}, func(y float64) float64 { return 3 / (1 + y) }},
		{expfam.Geometric{}, expfam.BetaPrior{}, func(y float64) float64 { return 3 / (4 + y) }},
		{expfam.Poisson{}, expfam.GammaPrior{Times: true}, func(y float64) float64 { return (2 + y) / 2 }},
	} {
		like := expfam.Likelihood{Family: c.family}
		obs := expfam.Must(like.Observe1(y...))
		post := expfam.Must(Raw{Prior: expfam.Standard{Conjugate: c.prior, A: 2, B: 1}}.Sample(like, obs,
			Options{Draws: 4000, Seed: 1}))
		for j, mean := range post.Mean() {
			near(t, c.family.String(), mean, c.mean(y[j]), 5*post.SD()[j]/math.Sqrt(4000))
		}
	}
}

// Maps have the grid of their cells, so figures show them as maps.
func TestPosteriorsHaveTheirGrid(t *testing.T) {
	g := grid.Grid{Rows: 2, Cols: 3}
	obs := expfam.Observations{{Stat: 1, Size: 3}, {Stat: 2, Size: 3}, {Stat: 1, Size: 4}, {Stat: 2, Size: 4},
		{Stat: 1, Size: 3}, {Stat: 3, Size: 5}}
	for _, c := range []struct {
		like expfam.Likelihood
		from interface {
			Sample(expfam.Likelihood, expfam.Observations, Options) (*expfam.Posterior, error)
		}
	}{{poisson, Kernel{Grid: g}}, {prevalence, Neighbours{Grid: g}}, {prevalence, Kriging{Grid: g, Range: 2, SD: 1}}} {
		post := expfam.Must(c.from.Sample(c.like, obs, Options{Draws: 2}))
		rows, cols := post.Shape()
		must.Be(t, rows == 2 && cols == 3, "%T: a grid of %d×%d, want 2×3", c.from, rows, cols)
	}
}

func TestInterrupt(t *testing.T) {
	fill := func(k int, theta []float64) { theta[0] = float64(k + 1) }
	for _, n := range []int{0, 3} {
		post, err := Options{Draws: 8}.draws(&storetest.Limited{Context: t.Context(), N: n}, poisson,
			make(expfam.Observations, 1), "", fill)
		must.Need(t, errors.Is(err, expfam.ErrInterrupted), "error %v", err)
		if n == 0 {
			must.Be(t, post == nil, "draws though none is finished")
			continue
		}
		rows, _ := post.Dims()
		must.Be(t, rows == n && math.Abs(post.At(2, 0)-3) <= 1e-12, "%d draws, want %d", rows, n)
	}
}

func TestBadInput(t *testing.T) {
	g := grid.Grid{Rows: 1, Cols: 2}
	ok := expfam.Observations{{Stat: 1, Size: 1}, {}}
	normal := expfam.Likelihood{Family: expfam.Normal{}}
	for _, c := range []struct {
		run  func() (*expfam.Posterior, error)
		want string
	}{
		{func() (*expfam.Posterior, error) { return Kernel{Grid: g}.Sample(normal, ok, Options{}) },
			"for Poisson counts"},
		{func() (*expfam.Posterior, error) { return Kernel{}.Sample(poisson, ok, Options{}) }, "counts: grid: 0 rows"},
		{func() (*expfam.Posterior, error) { return Kernel{Grid: g}.Sample(poisson, ok[:1], Options{}) },
			"1 observed cells on a grid of 1 by 2"},
		{func() (*expfam.Posterior, error) {
			return Kernel{Grid: g, Bandwidth: -1}.Sample(poisson, ok, Options{})
		}, "bandwidth is -1"},
		{func() (*expfam.Posterior, error) {
			return Kernel{Grid: g}.Sample(poisson, expfam.Observations{{Size: 1}, {}}, Options{})
		}, "every count is 0"},
		{func() (*expfam.Posterior, error) {
			return Kernel{Grid: grid.Grid{Rows: 1, Cols: 2, Outside: []bool{true, false}}}.Sample(poisson, ok,
				Options{})
		}, "cell 0 lies outside"},
		{func() (*expfam.Posterior, error) { return Kernel{Grid: g}.Sample(poisson, ok, Options{}) },
			"give Kernel.Bandwidth"},
		{func() (*expfam.Posterior, error) {
			return Raw{Prior: expfam.Standard{Conjugate: expfam.GammaPrior{}, A: 0.5}}.Sample(poisson, ok, Options{})
		}, "the prior is gamma(0.5, 0)"},
		{func() (*expfam.Posterior, error) {
			return Raw{}.Sample(expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: 0.1}}, ok, Options{})
		}, "trials of a cell as independent"},
		{func() (*expfam.Posterior, error) { return Raw{}.Sample(poisson, ok, Options{Draws: -2}) }, "-2 draws"},
		{func() (*expfam.Posterior, error) { return Raw{}.Sample(expfam.Likelihood{}, ok, Options{}) },
			"there is no family"},
		{func() (*expfam.Posterior, error) { return Raw{}.Sample(poisson, nil, Options{}) }, "there are no cells"},
		{func() (*expfam.Posterior, error) {
			return Raw{}.Sample(poisson, make(expfam.Observations, 3), Options{})
		}, "no cell has data"},
		{func() (*expfam.Posterior, error) {
			return Raw{}.Sample(poisson, expfam.Observations{{Stat: math.Inf(1)}}, Options{})
		}, "cell 0 has statistic +Inf"},
		{func() (*expfam.Posterior, error) {
			return Raw{Prior: expfam.Standard{Conjugate: expfam.GammaPrior{}, A: 1, B: 1}}.Sample(normal, ok, Options{})
		}, "the prior is gamma(1, 1)"},
	} {
		must.Refuse(c.run())(t, c.want)
	}
}

// Under a vague prior most draws of a cell without events underflow to the rate 0. Their x₀ is finite all the same.
func TestRawDrawsOfVaguePriorsAreFinite(t *testing.T) {
	binomial := expfam.Likelihood{Family: expfam.Binomial{}}
	for _, c := range []struct {
		like  expfam.Likelihood
		obs   expfam.Observations
		prior expfam.Conjugate
	}{
		{poisson, expfam.Must(poisson.Observe1(0, 5)), expfam.GammaPrior{}},
		{binomial, expfam.Observations{{}, {Stat: 1, Size: 2}}, expfam.BetaPrior{}},
	} {
		post, err := Raw{Prior: expfam.Standard{Conjugate: c.prior, A: 1e-4, B: 1e-4}}.Sample(c.like, c.obs,
			Options{Draws: 200, Seed: 1})
		if err != nil {
			t.Errorf("%v: %v", c.like, err)
			continue
		}
		must.Do(t, post.Check(), c.like)
	}
}

// A side whose weights do not fit into memory is refused.
func TestKernelRefusesMoreThanMemory(t *testing.T) {
	g := grid.Grid{Rows: 1, Cols: 1 << 22}
	obs := make(expfam.Observations, g.Len())
	obs[3], obs[5] = expfam.Term{Stat: 2, Size: 1}, expfam.Term{Stat: 1, Size: 1}
	must.Refuse(Kernel{Grid: g}.Sample(expfam.Likelihood{Family: expfam.Poisson{}}, obs, Options{}))(t,
		"the weights along a side of 4194304 cells takes about")
}
