package calibrate

import (
	"errors"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
)

// Model is a joint distribution that [SBC] simulates.
type Model interface {
	// Simulate draws x₀ from the prior, and data given x₀. Both depend on the seed alone.
	Simulate(seed uint64) (x0 []float64, obs expfam.Observations, err error)
	// Quantities returns the quantities that are ranked by default.
	Quantities() ([]Quantity, error)
}

// Joint is the joint distribution of x₀ and data under a prior and a likelihood.
type Joint struct {
	Prior      expfam.Simulator
	Likelihood expfam.Likelihood
	// Known has the known constant of each cell, or of each datum of an operator, such as its
	// exposure or its trials. Default: the constant of the family.
	Known      []float64
	Replicates int    // default 1
	Missing    []bool // cells without data, or data of an operator that are missing; default none
}

// Simulate implements [Model].
func (m Joint) Simulate(seed uint64) (x0 []float64, obs expfam.Observations, err error) {
	if m.Prior == nil || m.Likelihood.Family == nil {
		return nil, nil, errors.New("calibrate: simulate: give both a Prior and a Likelihood")
	}
	if err := traits.Check(m.Prior); err != nil {
		return nil, nil, fmt.Errorf("calibrate: simulate: %w", err)
	}
	terms, err := m.Likelihood.Terms()
	if err != nil {
		return nil, nil, fmt.Errorf("calibrate: simulate: %w", err)
	}
	if n := terms.Sets(); n > 1 {
		return nil, nil, fmt.Errorf("calibrate: simulate: %d data sets together; give SBC a Model of your own that "+
			"simulates each", n)
	}
	x0 = make([]float64, m.Prior.Dim())
	m.Prior.Draw(expfam.Stream(seed, "calibrate/x0"), x0)
	theta, err := terms.Theta(x0)
	if err != nil {
		return nil, nil, fmt.Errorf("calibrate: simulate: %w", err)
	}
	data, err := terms.Simulate(theta, m.Known, max(1, m.Replicates), seed)
	if err != nil {
		return nil, nil, err
	}
	if m.Missing != nil {
		data.Missing = [][]bool{m.Missing}
	}
	obs, err = terms.Observe(data)
	return x0, obs, err
}

// Quantities implements [Model]: the mean over cells, a cell chosen at random, the log-likelihood and [TARP].
func (m Joint) Quantities() ([]Quantity, error) {
	like, err := LogLikelihood(m.Likelihood)
	return []Quantity{Mean(), RandomCell(), like, TARP(m.Prior)}, err
}
