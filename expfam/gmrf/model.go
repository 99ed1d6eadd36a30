package gmrf

import (
	"fmt"

	"github.com/expfam/lab/expfam"
)

// model is a posterior whose hyperparameters are open; obs are in the order of
// the lattice, or in their own where they look through an operator.
type model struct {
	prior   Prior
	lattice *lattice
	terms   *expfam.Terms
	obs     expfam.Observations
	through *through // how data look at the cells, nil if each looks at its own
	// mixed is the likelihood whose correlation ρ is open, nil if none is.
	mixed *expfam.Terms

	*tally
}

// tally counts what was done.
type tally struct{ newton, fits int }

// hyper are the hyperparameters; rho is 0 unless it is fitted.
type hyper struct{ length, sd, nugget, rho float64 }

// under is the model at hyperparameters.
func (m *model) under(at hyper) (*model, error) {
	if m.mixed == nil {
		return m, nil
	}
	terms, err := correlated(m.mixed, at.rho)
	if err != nil {
		return nil, err
	}
	out := *m
	out.terms = terms
	return &out, nil
}

// newModel checks what it is given.
func newModel(prior Prior, terms *expfam.Terms, obs expfam.Observations) (*model, error) {
	prior, err := prior.orDefault()
	if err != nil {
		return nil, err
	}
	m := &model{prior: prior, lattice: prior.lattice(), terms: terms, tally: new(tally)}
	if terms.Cellwise() != nil {
		m.obs = obs
		m.through, err = newThrough(prior, m.lattice, terms, obs)
		return m, err
	}
	if err := prior.Grid.CheckObservations(obs); err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	m.obs = make(expfam.Observations, len(obs))
	for k, j := range m.lattice.order {
		m.obs[k] = obs[j]
	}
	return m, nil
}
