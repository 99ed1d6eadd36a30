package gmrf

import (
	"fmt"
	"sync"

	"github.com/expfam/lab/expfam"
)

// model is a posterior whose hyperparameters are open.
type model struct {
	prior   Prior
	lattice *lattice
	terms   *expfam.Terms
	// obs is in the order of the lattice. With an operator it is in the order of the data.
	obs       expfam.Observations
	through   *through // the operator, nil if each datum looks at its own cell
	precision *precision
	// mixed is the likelihood whose correlation ρ is to be fitted, nil if there is none.
	mixed *expfam.Terms

	*tally
}

// tally counts Newton steps and Laplace approximations.
type tally struct {
	mu           sync.Mutex
	newton, fits int
}

func (t *tally) count(newton, fits int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.newton, t.fits = t.newton+newton, t.fits+fits
}

// hyper are the hyperparameters; rho is 0 unless it is fitted.
type hyper struct{ length, sd, nugget, rho float64 }

// under returns the model with the correlation ρ of at in its likelihood. The other
// hyperparameters do not change a model.
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

// forwardOf returns the forward model of data on the grid of a prior.
func forwardOf(terms *expfam.Terms, prior Prior) (*expfam.Forward, error) {
	f, err := terms.Forward(prior.Grid.Len())
	if err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	return f, nil
}

// newModel returns the model of the prior and the data, which it checks.
func newModel(prior Prior, terms *expfam.Terms, obs expfam.Observations) (*model, error) {
	f, err := forwardOf(terms, prior)
	if err != nil {
		return nil, err
	}
	prior, err = prior.orDefault()
	if err != nil {
		return nil, err
	}
	if err := prior.fits(); err != nil {
		return nil, err
	}
	m := &model{prior: prior, lattice: prior.lattice(), terms: terms, tally: new(tally)}
	if m.terms.Cellwise() != nil {
		m.obs = obs
		if m.through, err = newThrough(prior, m.lattice, f, obs); err == nil {
			m.precision, err = m.through.precision()
		}
		return m, err
	}
	if err := prior.Grid.CheckObservations(obs); err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	if err := f.Check(obs); err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	m.precision = m.lattice.newPrecision(prior.Alpha, nil)
	m.obs = make(expfam.Observations, len(obs))
	for k, j := range m.lattice.order {
		m.obs[k] = obs[j]
	}
	return m, nil
}
