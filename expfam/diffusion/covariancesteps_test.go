package diffusion_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// Whatever the number of steps, draws have the mean and the covariance of a Gaussian
// posterior: with all cells seen, with missing cells, through an operator, with the square
// root of the prior and of the average correlation.
func TestCovarianceStepsAreExactForGaussians(t *testing.T) {
	const draws = 2000
	prior := gp.RBF{Cells: 6, Length: 0.3}
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}
	some := observe(t, like, 1, -0.5, 0.2, 2, 0.1, -1)
	some[1], some[2] = expfam.Term{}, expfam.Term{}
	sums := like
	sums.Operator = &operator.Dense{Matrix: mat.NewDense(2, 6, []float64{1, 1, 1, 0, 0, 0, 0, 0, 0, 1, -1, 0})}
	two := observe(t, like, 1.5, -0.4)
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		like  expfam.Likelihood
		obs   expfam.Observations
		m     CovarianceSteps
		g     Quadrature
	}{
		{"one step", prior, like, some, CovarianceSteps{N: 1}, Quadrature{}},
		{"two steps", prior, like, some, CovarianceSteps{N: 2}, Quadrature{}},
		{"eight steps", prior, like, some, CovarianceSteps{}, Quadrature{}},
		{"products", prior, like, some, CovarianceSteps{N: 4}, Quadrature{Steps: 6}},
		{"average correlation", hidden{prior.Gaussian(), 0}, like, some, CovarianceSteps{N: 4}, Quadrature{Steps: 6}},
		{"operator", prior, sums, two, CovarianceSteps{N: 3}, Quadrature{}},
		{"no data", prior, like, make(expfam.Observations, 6), CovarianceSteps{N: 3}, Quadrature{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			post := sample(t, c.prior, c.like, c.obs, Sampler{Draws: draws, Seed: 5, Engine: enginetest.Open(t, "go"),
				Method: c.m, Guidance: c.g})
			evaluations, products := len(c.m.Steps()), len(c.m.Steps())*c.g.Steps
			must.Be(t, post.Info.Evaluations == evaluations && post.Info.Products == products, "%d evaluations and %d "+
				"products, want %d and %d", post.Info.Evaluations, post.Info.Products, evaluations, products)
			exact := must.Get(gp.Exact(prior, c.like, c.obs))(t)
			cov := exact.Cov
			for i := range 6 {
				// 4.5 standard errors, and what the start at noise level 40 leaves.
				near(t, fmt.Sprintf("mean %d", i), stat.Mean(mat.Col(nil, i, post.X), nil), exact.Mean[i],
					4.5*math.Sqrt(cov.At(i, i)/draws)+1e-3)
				for j := range i + 1 {
					got := stat.Covariance(mat.Col(nil, i, post.X), mat.Col(nil, j, post.X), nil)
					scale := cov.At(i, i) * cov.At(j, j)
					near(t, fmt.Sprintf("covariance (%d, %d)", i, j), got, cov.At(i, j),
						4.5*math.Sqrt((scale+cov.At(i, j)*cov.At(i, j))/draws)+1e-3)
				}
			}
		})
	}
}

// For many cells the root of the covariance comes from Lanczos steps.
func TestDrawnStepsOfManyCells(t *testing.T) {
	prior, y := hidden{independent(130), 0}, 1.2
	obs := slices.Repeat(expfam.Observations{{Stat: y, Size: 1}}, prior.Dim())
	x := sample(t, prior, normal, obs, Sampler{Draws: 64, Seed: 1, Engine: enginetest.Open(t, "go"),
		Method: CovarianceSteps{N: 3}}).X.RawMatrix().Data
	// 8320 independent values of N(y/2, 1/2): standard errors of 0.008 and 0.006, four times.
	mean, sd := stat.MeanStdDev(x, nil)
	must.Be(t, math.Abs(mean-y/2) <= 0.032 && math.Abs(sd-math.Sqrt(0.5)) <= 0.024, "%.3f ± %.3f, want %g ± %.3f", mean,
		sd, y/2, math.Sqrt(0.5))
}

// What cannot be done is said.
func TestCovarianceStepsRefuse(t *testing.T) {
	for _, c := range []struct {
		s    Sampler
		want string
	}{
		{Sampler{Method: CovarianceSteps{N: -1}}, "N must be at least 1"},
		{Sampler{Method: CovarianceSteps{}, Guidance: Delta{}}, "use Quadrature"},
		{Sampler{Method: CovarianceSteps{}, Guidance: Quadrature{Independent: true}}, "without Independent"},
		{Sampler{Method: given{{Level: level.At(1), B: 1, Drawn: true, C: 1}}},
			"no part of the estimate before it"},
	} {
		must.Refuse(Sample(gp.RBF{Cells: 3}, normal, make(expfam.Observations, 3), c.s))(t, c.want)
	}
}

// given is a method of some steps.
type given []Step

func (given) String() string  { return "given" }
func (m given) Steps() []Step { return m }
