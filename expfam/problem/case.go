// Package problem has inverse problems whose truth is known, to try a prior, a likelihood or a sampler on.
//
// [Cases] is the one-dimensional Gaussian-process benchmark of the paper (section 4.1, App. F.1): 30 cells, one
// observation each, five likelihoods, data simulated from the model, and the exact posterior of each data set, in
// closed form or by Hamiltonian Monte Carlo. [DenoisingError] says how far a prior is from the exact one.
//
// [Images] and [OddImages] are Cox processes on photographs, painted scenes and patterns, with counts of some cells
// held out. [Image.Score] compares a posterior with the truth. [Denoise] says how well a prior of images removes noise.
package problem

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
)

// Case is a likelihood, and the field that its data are simulated from.
type Case struct {
	Name       string
	Likelihood expfam.Likelihood
	// Field is what x₀ is drawn from. Default [Prior].
	Field Field
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
	Normal     = Case{Name: "Normal", Likelihood: expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}}
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

// Prior is the field of all cases.
var Prior = gp.RBF{}

// Dataset is one simulation of a case.
type Dataset struct {
	Case  Case
	X0    []float64 // true latent values
	Theta []float64 // true parameters g⁻¹(x₀)
	Y     []float64 // one observation per cell
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
		return nil, fmt.Errorf("problem: %s, seed %d: %w", c.Name, seed, err)
	}
	d.Y = data.Y[0]
	if d.Obs, err = c.Likelihood.Observe(data); err != nil {
		return nil, fmt.Errorf("problem: %s, seed %d: %w", c.Name, seed, err)
	}
	return d, nil
}

// Truth returns the exact posterior: in closed form for the Normal and log-normal cases, and otherwise as draws of four
// chains of Hamiltonian Monte Carlo. The Monte-Carlo error of these 20000 draws is a fifth of the error of 500 draws.
func (d *Dataset) Truth() (calibrate.Reference, error) {
	exact, err := gp.Exact(d.Case.field(), d.Case.Likelihood, d.Obs)
	if err == nil {
		return exact, nil
	}
	return hmc.Sample(d.Case.field(), d.Case.Likelihood, d.Obs, hmc.Options{Draws: 5000})
}
