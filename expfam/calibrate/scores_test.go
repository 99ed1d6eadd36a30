package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

// table fills draws of cells by draw and cell.
func table(draws, cells int, at func(i, j int) float64) *expfam.Draws {
	x := mat.NewDense(draws, cells, nil)
	x.Apply(func(i, j int, _ float64) float64 { return at(i, j) }, x)
	return &expfam.Draws{X: x}
}

// vector fills one value per cell.
func vector(cells int, at func(j int) float64) []float64 {
	x := make([]float64, cells)
	for j := range x {
		x[j] = at(j)
	}
	return x
}

var near = must.Absolute

// within4 asks for a mean within 4 of its standard errors: a false alarm in 16000 for each seed, and seeds are fixed.
func within4(t *testing.T, what string, s Scores, want float64) {
	t.Helper()
	e := s.Mean()
	near(t, what, e.Mean, want, 4*e.SE)
}

func TestEstimatesPrintTheDigitsThatTheyHave(t *testing.T) {
	for want, e := range map[string]Estimate{
		"-0.077 ± 0.012":  {Mean: -0.07653, SE: 0.0119},
		"0.9428 ± 0.0099": {Mean: 0.94281, SE: 0.00992},
		"12.3 ± 1.5":      {Mean: 12.345, SE: 1.5},
		"1235 ± 57":       {Mean: 1234.6, SE: 56.7},
		"0.9128 ± 0":      {Mean: 0.912837},
		"0.9128":          {Mean: 0.912837, SE: math.NaN(), N: 1},
	} {
		must.Equal(t, e.String(), want, e)
	}
}

// Gneiting & Raftery (2007), eq. 21, and fair for every number of draws.
func TestCRPSOfTheNormal(t *testing.T) {
	const mu, sigma, y = 1.0, 2.0, 2.5
	z := (y - mu) / sigma
	want := sigma * (z*(2*distuv.UnitNormal.CDF(z)-1) + 2*distuv.UnitNormal.Prob(z) - 1/math.Sqrt(math.Pi))
	for _, n := range []int{2, 5, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			const cells = 20000
			d := table(n, cells, func(_, _ int) float64 { return mu + sigma*rng.NormFloat64() })
			truth := vector(cells, func(int) float64 { return y })
			within4(t, "CRPS", must.Get(CRPS(d, truth, nil))(t), want)
		})
	}
}

func TestCRPSIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	// A level of 1e6 costs a sum of squares of ranks its digits, not this one.
	d := table(9, 3, func(_, j int) float64 { return math.Pow(1e3, float64(j)) + rng.ExpFloat64() })
	truth := []float64{1.3, 1000.2, 1e6}
	got := must.Get(CRPS(d, truth, []int{2, 0}))(t)
	for k, j := range []int{2, 0} {
		var want float64
		for i := range 9 {
			want += math.Abs(d.At(i, j)-truth[j]) / 9
			for l := range 9 {
				want -= math.Abs(d.At(i, j)-d.At(l, j)) / (2 * 9 * 8)
			}
		}
		near(t, fmt.Sprint("cell ", j), got[k], want, 1e-9) // rounding of 1e6
	}
}

// Poisson counts under a Gamma posterior are negative binomial.
func TestLogScoreOfGammaDraws(t *testing.T) {
	const a, b, n = 3.0, 2.0, 40000
	exposure, y := []float64{0.5, 3, 1, 20}, []float64{0, 7, 1, 60}
	for _, link := range []expfam.Link{expfam.ExpLink, expfam.Must(expfam.TableLink("my exp", math.Exp))} {
		t.Run(link.String(), func(t *testing.T) {
			like := expfam.Likelihood{Family: expfam.Poisson{}, Link: link}
			obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{exposure}}))(t)
			gamma := distuv.Gamma{Alpha: a, Beta: b, Src: rand.NewPCG(3, 0)}
			d := table(n, len(y), func(_, _ int) float64 { return math.Log(gamma.Rand()) })
			post := &expfam.Posterior{X: d.X, Likelihood: like}
			got := must.Get(LogScore(post, obs, nil))(t)
			predictive := expfam.NegativeBinomial{}.Natural()
			for j := range y {
				want := predictive.LogLikelihood(
					must.Get(expfam.NegativeBinomial{}.Reduce(y[j], expfam.Given(a)))(t), b/(b+exposure[j]))
				// p's spread over draws gives the error of the log of its mean.
				var sum, squares float64
				for i := range n {
					p := distuv.Poisson{Lambda: exposure[j] * math.Exp(d.At(i, j))}.LogProb(y[j])
					sum += math.Exp(p)
					squares += math.Exp(2 * p)
				}
				se := math.Sqrt(squares/(sum*sum) - 1.0/n)
				near(t, fmt.Sprint("cell ", j), got[j], want, 4*se)
			}
		})
	}
}

// θ rounds to 0 and 1 long before x₀ is out of range.
func TestLogScoreAtTheEndsOfTheta(t *testing.T) {
	for _, c := range []struct {
		name    string
		like    expfam.Likelihood
		x, y, n float64
		want    float64
	}{
		{"poisson/none", expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}, -800, 0, 2, 0},
		{"poisson/one", expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}, -800, 1, 1, -800},
		{"binomial/all", expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.SigmoidLink}, 50, 4, 4, 0},
		{"binomial/all but one", expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.SigmoidLink}, 50, 3, 4,
			math.Log(4) - 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			obs := must.Get(c.like.Observe(expfam.Data{Y: [][]float64{{c.y, 0}}, Known: [][]float64{{c.n, 0}}}))(t)
			post := &expfam.Posterior{X: mat.NewDense(2, 2, []float64{c.x, 0, c.x, 0}), Likelihood: c.like}
			got := must.Get(LogScore(post, obs, nil))(t)
			must.Need(t, len(got) == 1, "%d scores; the second cell has no data", len(got))
			near(t, "log score", got[0], c.want, 1e-12*(1+math.Abs(c.want)))
			must.Refuse(LogScore(post, obs, []int{1}))(t, "cell 1 has no data")
		})
	}
}

func TestGroups(t *testing.T) {
	got := Scores{1, 0, 1, 5}.By([]float64{3, 10, 9.9, 100}, []float64{0, 10, 20, 50})
	for i, want := range []Group{{0, 10, Estimate{1, 0, 2}}, {10, 20, Estimate{Mean: 0, N: 1}}, {20, 50, Estimate{}}} {
		if got[i].Low != want.Low || got[i].High != want.High || got[i].N != want.N ||
			(want.N > 0 && got[i].Mean != want.Mean) {
			t.Errorf("group %d is %+v, want %+v", i, got[i], want)
		}
	}
}

func TestRefusals(t *testing.T) {
	d := table(38, 2, func(i, j int) float64 { return float64(i) })
	poisson := &expfam.Posterior{X: d.X, Likelihood: expfam.Likelihood{Family: expfam.Poisson{}}}
	nan := table(50, 2, func(i, j int) float64 { return math.Sqrt(float64(1 - 2*i*j)) })
	for _, c := range []struct {
		name, want string
		call       func() error
	}{
		{"draws for a level", "at least 39", func() error {
			_, err := Coverage{}.Latent(d, []float64{1, 2})
			return err
		}},
		{"level", "between 0 and 1", func() error { _, _, err := Intervals(d, 95, nil); return err }},
		{"truth", "3 true values for 2 cells", func() error { _, err := CRPS(d, []float64{1, 2, 3}, nil); return err }},
		{"NaN", "cell 1", func() error { _, err := CRPS(nan, []float64{1, 2}, nil); return err }},
		{"index", "no cell 2", func() error { _, err := CRPS(d, []float64{1, 2}, []int{2}); return err }},
		{"no cells", "no cells to score", func() error {
			_, err := LogScore(poisson, make(expfam.Observations, 2), nil)
			return err
		}},
		{"rates", "is not the mean of an empirical rate",
			func() error { _, err := Rates(expfam.NegativeBinomial{}, nil); return err }},
		{"nil in a log score", "the posterior is nil", func() error { _, err := LogScore(nil, nil, nil); return err }},
		{"nil in leave-one-out", "the posterior is nil", func() error { _, err := LOO{}.Run(nil, nil); return err }},
		{"nil in PIT", "the posterior is nil", func() error { _, _, err := LOO{}.PIT(nil, nil, 1); return err }},
		{"prior of a simulation", "Length of -1", func() error {
			_, _, err := Joint{Prior: gp.RBF{Length: -1}, Likelihood: poisson.Likelihood}.Simulate(1)
			return err
		}},
		{"estimates", "must be finite", func() error {
			_, err := AbsError([]float64{1}, []float64{math.NaN()}, nil)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) { must.Err(t, c.call(), c.want) })
	}
}
