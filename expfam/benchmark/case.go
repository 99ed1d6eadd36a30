// Package benchmark is the one-dimensional Gaussian-process benchmark of the paper
// (section 4.1, App. F.1): 30 cells, one observation each, five likelihoods, data
// simulated from the model, and the exact posterior of each data set, in closed form or
// by Hamiltonian Monte Carlo. For Cox processes on images ([Images]) and maps of
// prevalence ([Prevalence]) the package has data with a known truth, other methods and
// scores. [FieldCase] is the same comparison with a field on a grid. README.md has the results.
package benchmark

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
)

// Case is a likelihood of the benchmark.
type Case struct {
	Name       string
	Likelihood expfam.Likelihood
	// Field is what x₀ is drawn from. Default [Prior].
	Field Field
	// Missing is the share of cells without a datum. Each cell is drawn on its own. Default none.
	Missing float64
	// Columns is the number of columns of a field on a grid, stored row by row. Default 0, for cells on a line.
	Columns int
}

// Field is a Gaussian prior that can be drawn from, and whose posteriors are known: in closed form, or by Hamiltonian
// Monte Carlo.
type Field interface {
	hmc.Prior
	expfam.Simulator
}

// field returns the prior that x₀ is drawn from.
func (c Case) field() Field {
	if c.Field == nil {
		return Prior
	}
	return c.Field
}

// The cases of the paper. The two Poisson cases differ only in the link.
var (
	Normal = Case{Name: "Normal", Likelihood: expfam.Likelihood{Family: expfam.Normal{},
		Link: expfam.IdentityLink}}
	PoissonLow = Case{Name: "Poisson, low rate", Likelihood: expfam.Likelihood{Family: expfam.Poisson{},
		Link: expfam.ExpLink}}
	PoissonHigh = Case{Name: "Poisson, high rate", Likelihood: expfam.Likelihood{Family: expfam.Poisson{},
		Link: expfam.MustLink("exp(5+x)")}}
	LogNormal = Case{Name: "Log-normal", Likelihood: expfam.Likelihood{Family: expfam.LogNormal{},
		Link: expfam.IdentityLink}}
	Exponential = Case{Name: "Exponential", Likelihood: expfam.Likelihood{Family: expfam.Exponential{},
		Link: expfam.MustLink("1/exp(x)")}}
)

// Cases are all cases, in the order of the paper's figures A1 to A5.
var Cases = []Case{Normal, PoissonLow, PoissonHigh, LogNormal, Exponential}

// Prior is the prior of the benchmark.
var Prior = gp.RBF{}

// Dataset is one simulation of a case.
type Dataset struct {
	Case  Case
	X0    []float64 // true latent values
	Theta []float64 // true parameters g⁻¹(x₀)
	Y     []float64 // one observation per cell, NaN if it is missing
	Obs   expfam.Observations
}

// Simulate draws x₀ from the prior and y given x₀. The latent values depend only on the
// seed: with equal seeds all cases have the same truth.
func (c Case) Simulate(seed uint64) (*Dataset, error) {
	prior := c.field()
	d := &Dataset{Case: c, X0: make([]float64, prior.Dim())}
	prior.Draw(expfam.Stream(seed, "benchmark/x0"), d.X0)
	for _, x := range d.X0 {
		d.Theta = append(d.Theta, c.Likelihood.Link.At(x))
	}
	data, err := c.Likelihood.Simulate(d.Theta, nil, 1, seed)
	if err != nil {
		return nil, fmt.Errorf("benchmark: %s, seed %d: %w", c.Name, seed, err)
	}
	d.Y = data.Y[0]
	if d.Obs, err = c.Likelihood.Observe(data); err != nil {
		return nil, fmt.Errorf("benchmark: %s, seed %d: %w", c.Name, seed, err)
	}
	rng := expfam.Stream(seed, "benchmark/missing")
	for j := range d.Obs {
		if rng.Float64() < c.Missing {
			d.Y[j], d.Obs[j] = math.NaN(), expfam.Term{}
		}
	}
	return d, nil
}

// truthDraws is the number of draws of each of four chains. The Monte-Carlo error of all their draws is a fifth
// of the error of 500 draws. Tests may take fewer.
var truthDraws = 5000

// Truth returns the exact posterior: in closed form for the Normal and log-normal cases, and otherwise as 20000 draws
// of Hamiltonian Monte Carlo.
func (d *Dataset) Truth() (expfam.Reference, error) {
	exact, err := gp.Exact(d.Case.field(), d.Case.Likelihood, d.Obs)
	if err == nil {
		return exact, nil
	}
	return hmc.Sample(d.Case.field(), d.Case.Likelihood, d.Obs, hmc.Options{Draws: truthDraws})
}
