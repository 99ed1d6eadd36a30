package gp

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/internal/must"
)

// field is N(mean, kernel) on equally spaced points of [0, 1].
type field struct {
	mean []float64
	cov  *mat.SymDense
}

func (f field) Mean() []float64    { return f.mean }
func (f field) Cov() *mat.SymDense { return f.cov }

func squaredExponential(d int, length float64) field {
	cov := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			r := float64(i-j) / float64(d-1) / length
			cov.SetSym(i, j, math.Exp(-r*r/2))
		}
	}
	return field{make([]float64, d), cov}
}

// observe is y ~ N(θ, sd²).
func observe(t *testing.T, y, sd float64) expfam.Term {
	t.Helper()
	return must.Get(expfam.Normal{}.Reduce(y, expfam.Given(sd)))(t)
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	must.Absolute(t, what, got, want, tolerance)
}

func TestExactOnTheBenchmark(t *testing.T) {
	raw := must.Get(os.ReadFile("../testdata/reference_posteriors.json"))(t)
	var file struct {
		Cases map[string]struct {
			Y, Mean, SD []float64
			LogEvidence float64 `json:"log_evidence"`
		}
	}
	must.Do(t, json.Unmarshal(raw, &file))
	want := file.Cases["normal"]
	var obs expfam.Observations
	for _, y := range want.Y {
		obs = append(obs, observe(t, y, 1))
	}
	got := must.Get(Exact(squaredExponential(30, 0.1), expfam.Likelihood{Family: expfam.Normal{}}, obs))(t)
	// The prior is singular to 1e-13 or so, and both sides round.
	for j := range want.Y {
		within(t, "mean", got.Mean[j], want.Mean[j], 1e-10)
		within(t, "sd", math.Sqrt(got.Cov.At(j, j)), want.SD[j], 1e-10)
	}
	within(t, "log evidence", got.LogEvidence, want.LogEvidence, 1e-9)

	t.Run("draws", func(t *testing.T) {
		const draws = 20000
		post := must.Get(got.Sample(draws, 1))(t)
		d := must.Get(calibrate.Distances(got, nil, post))(t)[0]
		// 500 draws are 0.056 away (see calibrate.Distance), √40 times less here.
		within(t, "W1", d.W1, 0.056/math.Sqrt(40), 0.005)
		within(t, "sliced W1", d.SlicedW1, 0.056/math.Sqrt(40), 0.005)
		within(t, "rough", d.Rough, 1, 0.02)
		few := must.Get(got.Sample(3, 1))(t)
		within(t, "draw 2 of 3 and of many", few.X.At(2, 7), post.X.At(2, 7), 1e-14)
		other, _ := got.Sample(3, 2)
		must.Be(t, other.X.At(2, 7) != few.X.At(2, 7), "the seed is ignored")
	})
}

// One cell has an integral that quadrature can do; the link is affine, the prior mean is not 0.
func TestExactAgainstQuadrature(t *testing.T) {
	prior := field{[]float64{0.7}, mat.NewSymDense(1, []float64{2.5})}
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.MustLink("1-2*x")}
	term := observe(t, 1.3, 0.4)
	got := must.Get(Exact(prior, like, expfam.Observations{term}))(t)
	moment := func(k int) float64 {
		return quad.Fixed(func(x float64) float64 {
			theta, z := 1-2*x, x-0.7
			return math.Pow(x, float64(k)) *
				math.Exp(term.Base+term.Stat*theta-term.Size*theta*theta/2-z*z/5) / math.Sqrt(5*math.Pi)
		}, -4, 4, 400, quad.Legendre{}, 0)
	}
	evidence := moment(0)
	mean := moment(1) / evidence
	within(t, "log evidence", got.LogEvidence, math.Log(evidence), 1e-12)
	within(t, "mean", got.Mean[0], mean, 1e-12)
	within(t, "variance", got.Cov.At(0, 0), moment(2)/evidence-mean*mean, 1e-12)
}

func TestExactWithMissingCells(t *testing.T) {
	prior := squaredExponential(6, 0.3)
	prior.mean[2] = 1
	t.Run("all missing is the prior", func(t *testing.T) {
		got := must.Get(Exact(prior, expfam.Likelihood{Family: expfam.Normal{}}, make(expfam.Observations, 6)))(t)
		within(t, "log evidence", got.LogEvidence, 0, 1e-14)
		must.Be(t, mat.EqualApprox(got.Cov, prior.cov, 1e-12) && math.Abs(got.Mean[2]-1) <= 1e-12,
			"mean %v, covariance %v", got.Mean, mat.Formatted(got.Cov))
	})
	t.Run("a precise cell pins itself", func(t *testing.T) {
		obs := make(expfam.Observations, 6)
		obs[1] = observe(t, -3, 1e-4)
		got := must.Get(Exact(prior, expfam.Likelihood{Family: expfam.Normal{}}, obs))(t)
		within(t, "mean", got.Mean[1], -3, 1e-6)
		within(t, "sd", math.Sqrt(got.Cov.At(1, 1)), 1e-4, 1e-8)
		// Given x₀[1], its neighbour has mean 1 + k(−3−0) and variance 1 − k².
		k := prior.cov.At(1, 2)
		within(t, "neighbour's mean", got.Mean[2], 1-3*k, 1e-6)
		within(t, "neighbour's variance", got.Cov.At(2, 2), 1-k*k, 1e-6)
	})
}

func TestExactRefuses(t *testing.T) {
	prior := squaredExponential(3, 0.3)
	obs := make(expfam.Observations, 3)
	for want, run := range map[string]func() error{
		"has no closed-form posterior; use hmc.Sample": func() error {
			_, err := Exact(prior, expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.ExpLink}, obs)
			return err
		},
		"use hmc.Sample": func() error {
			_, err := Exact(prior, expfam.Likelihood{Family: expfam.Poisson{}}, obs)
			return err
		},
		"there is no family": func() error { _, err := Exact(prior, expfam.Likelihood{}, obs); return err },
		"2 observations of 3 data": func() error {
			_, err := Exact(prior, expfam.Likelihood{Family: expfam.Normal{}}, obs[:2])
			return err
		},
		"positive semidefinite": func() error {
			_, err := latent.Factor("gp", mat.NewSymDense(2, []float64{1, 2, 2, 1}))
			return err
		},
	} {
		t.Run(want, func(t *testing.T) { must.Err(t, run(), want) })
	}
}
