package benchmarks

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/problem"
)

// Regression is a problem with the benchmark's field x₁ and covariates Z, η = x₁ + Zβ. The covariates are an intercept,
// a ramp along the cells, which the field itself may have as well, and a covariate that is rougher than the field.
type Regression struct {
	Name       string
	Likelihood expfam.Likelihood
	// Joint is the prior of cells and coefficients with its dense covariance. hmc uses it.
	Joint *gp.Gaussian
	// Parts is the same prior as the product of field and coefficients. The sampler uses it.
	Parts expfam.Prior
}

// Coefficients is the number of coefficients. In x they follow the cells.
const Coefficients = 3

// Regressions returns three problems. They are counts whose coefficients have standard deviations of 1, proportions
// with standard deviations of 2, as in lesson 07, and large counts whose intercept has a standard deviation of 6, so
// that it is hardly known before the data.
func Regressions() ([]Regression, error) {
	cells := problem.Prior.Dim()
	z := mat.NewDense(cells, Coefficients, nil)
	for j := range cells {
		z.SetRow(j, []float64{1, 2*float64(j)/float64(cells-1) - 1, math.Cos(40 * float64(j))})
	}
	var all []Regression
	for _, c := range []struct {
		name   string
		family expfam.Family
		link   string
		sd     [Coefficients]float64
	}{
		{"Poisson, exp(1 + η)", expfam.Poisson{}, "exp(1+x)", [Coefficients]float64{1, 1, 1}},
		{"Binomial(20), sigmoid(η)", expfam.Binomial{Trials: 20}, "sigmoid(x)", [Coefficients]float64{2, 2, 2}},
		{"Poisson, exp(5 + η), wide intercept", expfam.Poisson{}, "exp(5+x)", [Coefficients]float64{6, 1, 1}},
	} {
		own, joint := mat.NewSymDense(Coefficients, nil), mat.NewSymDense(cells+Coefficients, nil)
		for i := range cells {
			for j := i; j < cells; j++ {
				joint.SetSym(i, j, problem.Prior.Cov().At(i, j))
			}
		}
		for i, sd := range c.sd {
			own.SetSym(i, i, sd*sd)
			joint.SetSym(cells+i, cells+i, sd*sd)
		}
		beta, err := gp.New(nil, own)
		if err != nil {
			return nil, err
		}
		r := Regression{Name: c.name, Parts: expfam.Product(problem.Prior, beta),
			Likelihood: expfam.Likelihood{Family: c.family, Link: expfam.MustLink(c.link),
				Operator: operator.Design(z)}}
		if r.Joint, err = gp.New(nil, joint); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Draw draws cells and coefficients x, and data given x.
func (r Regression) Draw(seed uint64) (x []float64, obs expfam.Observations, err error) {
	x = make([]float64, r.Parts.Dim())
	r.Parts.(expfam.Simulator).Draw(expfam.Stream(seed, "benchmark/regression"), x)
	obs, err = simulated(r.Likelihood, x, seed)
	if err != nil {
		return nil, nil, fmt.Errorf("benchmarks: %s, seed %d: %w", r.Name, seed, err)
	}
	return x, obs, nil
}

// simulated returns simulated data given x.
func simulated(like expfam.Likelihood, x []float64, seed uint64) (expfam.Observations, error) {
	theta, err := like.Theta(x)
	if err != nil {
		return nil, err
	}
	data, err := like.Simulate(theta, nil, 1, seed)
	if err != nil {
		return nil, err
	}
	return like.Observe(data)
}
