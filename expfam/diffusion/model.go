package diffusion

import (
	"fmt"

	"github.com/expfam/lab/expfam"
)

// model is what is sampled: a prior, a likelihood, and how the data depend on the cells.
type model struct {
	prior   expfam.Prior
	terms   *expfam.Terms
	forward *expfam.Forward
	// multiply returns K v if the prior is [expfam.Linear] with the covariance K, and is nil for other priors.
	multiply func(v []float64) []float64
	// constants names the constants of the link that are inputs of the graphs, and values has their values.
	constants []string
	values    []float64
}

func newModel(prior expfam.Prior, terms *expfam.Terms) (*model, error) {
	forward, err := terms.Forward(prior.Dim())
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	m := &model{prior: prior, terms: terms, forward: forward}
	if l, ok := prior.(expfam.Linear); ok {
		if _, ok := l.Multiply(make([]float64, prior.Dim())); ok {
			m.multiply = func(v []float64) []float64 {
				image, _ := l.Multiply(v)
				return image
			}
		}
	}
	return m, nil
}

// check refuses observations if their number is wrong or if one of them is impossible.
func (m *model) check(obs expfam.Observations) error {
	d, n := m.prior.Dim(), m.forward.Data()
	if m.forward.Plain() && len(obs) != d {
		return fmt.Errorf("sample: %d cells observed and %d in the prior; give one term a cell, zero where it is "+
			"missing", len(obs), d)
	}
	if len(obs) != n {
		return fmt.Errorf("sample: %d observations and an operator of %d data; give one term a datum, zero where "+
			"it is missing", len(obs), n)
	}
	if err := m.forward.Check(obs); err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	return nil
}

// linear reports whether the prior is [expfam.Linear].
func (m *model) linear() bool { return m.multiply != nil }

// coupling returns the coupling of the prior at a noise level, and 0 if the prior does not know it.
func (m *model) coupling(sigma float64) float64 {
	if c, ok := m.prior.(expfam.Coupled); ok {
		return c.Coupling(sigma)
	}
	return 0
}

// open makes the constants of the link inputs of the graphs, where each datum depends on its own cell. It takes their
// values from terms, which have the same link but for these.
func (m *model) open(terms *expfam.Terms) {
	if m.forward.Plain() {
		m.terms = terms
		m.forward, _ = terms.Forward(m.forward.Cells()) // without an operator there is no error
		m.constants, m.values = terms.Constants()
	}
}
