package hmc

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/must"
)

// rbf is the prior of the one-dimensional benchmark: variance 1, length 0.1.
type rbf int

func (d rbf) Mean() []float64 { return make([]float64, d) }
func (d rbf) Cov() *mat.SymDense {
	cov := mat.NewSymDense(int(d), nil)
	for i := range int(d) {
		for j := i; j < int(d); j++ {
			r := float64(i-j) / float64(d-1) / 0.1
			cov.SetSym(i, j, math.Exp(-r*r/2))
		}
	}
	return cov
}

// each lifts the log-likelihood of one cell to all of them.
type each struct {
	cell interface {
		LogLik(x float64, t expfam.Term) float64
		Slope(x float64, t expfam.Term) float64
		Information(x float64, t expfam.Term) float64
	}
	obs expfam.Observations
}

func (e each) LogLikSlope(x, slope []float64) (total float64) {
	for j, t := range e.obs {
		total += e.cell.LogLik(x[j], t)
		slope[j] = e.cell.Slope(x[j], t)
	}
	return total
}

func (e each) Precision(x []float64) (rows func(int, func(int, float64)), w []float64) {
	for j, t := range e.obs {
		w = append(w, math.Max(e.cell.Information(x[j], t), 0))
	}
	return func(k int, visit func(int, float64)) { visit(k, 1) }, w
}

type reference struct {
	Y, Mean, SD, Median []float64
	Low                 []float64 `json:"q025"`
	High                []float64 `json:"q975"`
}

func readReference(t testing.TB, name string) (reference, expfam.Observations) {
	t.Helper()
	raw := must.Get(os.ReadFile("../testdata/reference_posteriors.json"))(t)
	var file struct{ Cases map[string]reference }
	must.Do(t, json.Unmarshal(raw, &file))
	r := file.Cases[name]
	obs := make(expfam.Observations, len(r.Y))
	for j, y := range r.Y {
		// What all four families have in common; Base does not matter here.
		obs[j] = expfam.Term{Stat: y, Size: 1}
	}
	return r, obs
}

// benchmark is the paper's section 4.1, without Log-normal, which is Normal in log y.
var benchmark = []struct {
	name string
	like expfam.Likelihood
}{
	{"normal", expfam.Likelihood{Family: expfam.Normal{}}},
	{"poisson0", expfam.Likelihood{Family: expfam.Poisson{}}},
	{"poisson5", expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)")}},
	{"exponential", expfam.Likelihood{Family: expfam.Exponential{}}},
}

func termsOf(t *testing.T, like expfam.Likelihood) *expfam.Forward {
	t.Helper()
	return must.Get(expfam.Must(like.Terms()).Forward(30))(t)
}

func TestReferencePosteriors(t *testing.T) {
	for _, c := range benchmark {
		t.Run(c.name, func(t *testing.T) {
			want, obs := readReference(t, c.name)
			post := must.Get(Sample(rbf(30), c.like, obs, Options{Draws: 1000, Seed: 1}))(t)
			d := post.Info.Diagnostics
			t.Log(d, post.Info.Seconds)
			// The largest of 30 correlated errors, in units of sd, is below 4 standard errors; half of the
			// effective size is left for cells that mix less well than the bulk.
			size := 4000.0 / 2
			x := post.Latent()
			mean, spread, median := x.Mean(), x.SD(), x.Median()
			low, high := x.EqualTailed(0.95)
			for j, sd := range want.SD {
				check := func(what string, got, want, tolerance float64) {
					t.Helper()
					must.Absolute(t, fmt.Sprintf("cell %d: %s off by", j, what), got, want, tolerance)
				}
				check("mean", mean[j]/sd, want.Mean[j]/sd, 4/math.Sqrt(size))
				check("log sd", math.Log(spread[j]), math.Log(sd), 4/math.Sqrt(2*size))
				// A quantile has the standard error √(p(1−p)/size)/density.
				check("median", median[j]/sd, want.Median[j]/sd, 4*1.2533/math.Sqrt(size))
				check("2.5% quantile", low[j]/sd, want.Low[j]/sd, 4*2.67/math.Sqrt(size))
				check("97.5% quantile", high[j]/sd, want.High[j]/sd, 4*2.67/math.Sqrt(size))
			}
			must.Be(t, d["ess_bulk"] >= size && d["ess_tail"] >= size/2,
				"effective sizes %v, %v of 4000 draws", d["ess_bulk"], d["ess_tail"])
			must.Absolute(t, "acceptance", d["accept"], 0.9, 0.05)
		})
	}
}

func TestGradient(t *testing.T) {
	for _, c := range benchmark {
		t.Run(c.name, func(t *testing.T) {
			_, obs := readReference(t, c.name)
			obs[3] = expfam.Term{}
			mean := make([]float64, 30)
			mean[2] = 0.5
			to := must.Get(newModel(mean, rbf(30).Cov(), termsOf(t, c.like).LogLikelihood(obs)))(t)
			rng := expfam.Stream(1, "gradient")
			u := make([]float64, to.rank)
			for k := range u {
				u[k] = 0.3 * rng.NormFloat64()
			}
			density, g := to.density, make([]float64, len(u))
			density(u, g)
			want := fd.Gradient(nil, func(u []float64) float64 {
				return density(u, make([]float64, len(u)))
			}, u, &fd.Settings{Formula: fd.Central, Step: 1e-4})
			for k := range g {
				// Central differences of step 1e-4, values of order 1e3.
				must.Be(t, math.Abs(g[k]-want[k]) <= 1e-5*(1+math.Abs(want[k])),
					"coordinate %d: gradient %v, difference %v", k, g[k], want[k])
			}
		})
	}
}

// Whitened by Laplace, a Normal posterior is N(0, I) exactly.
func TestLaplaceWhitensTheNormal(t *testing.T) {
	_, obs := readReference(t, "normal")
	to := must.Get(newModel(make([]float64, 30), rbf(30).Cov(), termsOf(t, benchmark[0].like).LogLikelihood(obs)))(t)
	g := make([]float64, to.rank)
	u := make([]float64, to.rank)
	for k := range u {
		u[k] = math.Sin(float64(k))
	}
	to.density(u, g)
	for k := range u {
		must.Be(t, math.Abs(g[k]+u[k]) <= 1e-9, "coordinate %d: gradient %v at %v", k, g[k], u[k])
	}
}

func TestSameSeedSameBits(t *testing.T) {
	_, obs := readReference(t, "poisson0")
	draw := func(o Options) *expfam.Posterior {
		p, err := Sample(rbf(30), benchmark[1].like, obs, o)
		if p == nil {
			t.Fatal(err) // so few draws may not have converged
		}
		return p
	}
	a := draw(Options{Draws: 50, Warmup: 50, Seed: 1})
	must.Be(t, mat.Equal(a.X, draw(Options{Draws: 50, Warmup: 50, Seed: 1}).X), "the same seed gives other draws")
	must.Be(t, !mat.Equal(a.X, draw(Options{Draws: 50, Warmup: 50, Seed: 2}).X), "another seed gives the same draws")
	two := draw(Options{Draws: 50, Warmup: 50, Seed: 1, Chains: 2})
	must.Be(t, mat.Equal(a.X.Slice(0, 100, 0, 30), two.X), "the first two chains depend on the number of chains")
}

func TestMissingCellsFollowThePrior(t *testing.T) {
	prior := rbf(5)
	post := must.Get(Sample(prior, benchmark[1].like, make(expfam.Observations, 5), Options{Draws: 2500}))(t)
	for i := range 5 {
		mean, sd := post.Latent().Mean()[i], post.Latent().SD()[i]
		if math.Abs(mean) > 0.057 || math.Abs(sd-1) > 0.04 { // 4 standard errors at ESS 5000
			t.Errorf("cell %d: mean %v, sd %v of a standard normal", i, mean, sd)
		}
	}
}

func TestNotConverged(t *testing.T) {
	t.Run("two modes", func(t *testing.T) {
		// x² is seen, not x: chains stay on the side where they started.
		obs := expfam.Observations{{Stat: 36, Size: 1}, {Stat: 36, Size: 1}}
		post, err := sample(t.Context(), rbf(2), each{squareTerms{}, obs}, expfam.Likelihood{},
			expfam.Must(Options{Draws: 200, Warmup: 100}.orDefault()))
		var failure *NotConverged
		must.Need(t, errors.As(err, &failure) && failure.RHat > 1.01, "error %v", err)
		must.Be(t, post != nil && post.Info.Diagnostics["rhat"] == failure.RHat, "the draws do not come with the error")
	})
	t.Run("divergent transitions", func(t *testing.T) {
		// A cliff: the density falls to 0 at x = 0 without a slope that warns.
		obs := expfam.Observations{{Stat: 1, Size: 1}, {Stat: 1, Size: 1}}
		_, err := sample(t.Context(), rbf(2), each{cliffTerms{}, obs}, expfam.Likelihood{},
			expfam.Must(Options{Draws: 200}.orDefault()))
		var failure *NotConverged
		must.Need(t, errors.As(err, &failure) && failure.Divergences != 0 && strings.Contains(err.Error(), "divergent"),
			"error %v", err)
	})
}

// squareTerms is y ~ N(x², 0.5²) with y = Stat/4.
type squareTerms struct{}

func (squareTerms) LogLik(x float64, t expfam.Term) float64      { r := t.Stat/4 - x*x; return -2 * r * r }
func (squareTerms) Slope(x float64, t expfam.Term) float64       { return 8 * x * (t.Stat/4 - x*x) }
func (squareTerms) Information(x float64, t expfam.Term) float64 { return 24*x*x - 8*t.Stat/4 }

// cliffTerms is flat below a value of x and has no density above.
type cliffTerms struct{ at float64 }

func (c cliffTerms) LogLik(x float64, _ expfam.Term) float64 {
	if x > c.at {
		return math.NaN()
	}
	return 0
}
func (cliffTerms) Slope(float64, expfam.Term) float64       { return 0 }
func (cliffTerms) Information(float64, expfam.Term) float64 { return 0 }

func TestRefuses(t *testing.T) {
	obs := make(expfam.Observations, 3)
	for want, run := range map[string]func() error{
		"hmc: 4 observations of 3 data": func() error {
			_, err := Sample(rbf(3), benchmark[0].like, make(expfam.Observations, 4), Options{})
			return err
		},
		"hmc: draws is 2": func() error {
			_, err := Sample(rbf(3), benchmark[0].like, obs, Options{Draws: 2})
			return err
		},
		"hmc: acceptance 2": func() error {
			_, err := Sample(rbf(3), benchmark[0].like, obs, Options{Accept: 2})
			return err
		},
		"not finite at the prior mean": func() error {
			_, err := sample(t.Context(), rbf(3), each{cliffTerms{at: -1},
				expfam.Observations{{Stat: 1, Size: 1}, {}, {}}}, expfam.Likelihood{}, Options{})
			return err
		},
	} {
		t.Run(want, func(t *testing.T) { must.Err(t, run(), want) })
	}
}

func BenchmarkSample(b *testing.B) {
	for _, c := range benchmark {
		b.Run(c.name, func(b *testing.B) {
			_, obs := readReference(b, c.name)
			for b.Loop() {
				must.Get(Sample(rbf(30), c.like, obs, Options{Seed: 1}))(b)
			}
		})
	}
}

// A run that is cut short has no draws, in the warm-up and after it.
func TestInterrupt(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(1, 4))
	o := Options{Chains: 1, Warmup: 20, Draws: 20}
	for _, n := range []int{0, 5, 25, 39} {
		post, err := SampleContext(&storetest.Limited{Context: t.Context(), N: n}, rbf(2), like, obs, o)
		must.Be(t, post == nil && errors.Is(err, expfam.ErrInterrupted) &&
			strings.Contains(err.Error(), "starts again from the beginning"),
			"ended after %d transitions: posterior %v, error %v", n, post, err)
	}
}
