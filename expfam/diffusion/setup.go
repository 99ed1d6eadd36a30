package diffusion

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
)

// setup is what is known of a run before there are data.
type setup struct {
	*model
	sampler     Sampler // with its defaults, and with the method
	block       int     // number of draws in one evaluation
	workers     int     // number of blocks of a batch that are evaluated at the same time
	usual       bool    // see isDefaultMethod
	measurement *measurement
	covariance  covarianceModel
	steps       []Step // of the method as it was given, before data refine it
}

// newSetup returns the setup of a sampler that has its defaults. It may lack a method: then the method is the one
// that suits the prior.
func newSetup(ctx context.Context, prior expfam.Prior, terms *expfam.Terms, s Sampler) (*setup, error) {
	m, err := newModel(prior, terms)
	if err != nil {
		return nil, err
	}
	out := &setup{model: m, sampler: s, block: s.block(prior), workers: 1}
	if !s.corrects() { // a batch of a corrector is one block
		out.workers = min(s.Engine.Workers(), batchCount(s.Batch, out.block))
	}
	if err := out.checkMemory(); err != nil {
		return nil, err
	}
	out.measurement = &measurement{model: m, sampler: s, block: out.block}
	out.covariance = newCovariance(out.measurement)
	if s.Method == nil {
		if out.sampler.Method, err = out.defaultMethod(ctx); err != nil {
			return nil, err
		}
	}
	if out.usual, err = out.isDefaultMethod(ctx); err != nil {
		return nil, err
	}
	if out.steps, err = m.trajectory(out.sampler.Method, s.Guidance, nil); err != nil {
		return nil, err
	}
	return out, out.sampler.checkDrawnSteps(out.steps)
}

// defaultMethod returns the default method for the prior, the likelihood and the guidance. It ends with ctx, by the
// error [expfam.ErrInterrupted].
func (s *setup) defaultMethod(ctx context.Context) (Method, error) {
	quadrature, ok := s.sampler.Guidance.(Quadrature)
	_, unguided := s.sampler.Guidance.(Unguided)
	if ok && (quadrature.Independent || quadrature.Steps > 0) || !ok && !unguided {
		return Restarts{}, nil
	}
	return s.covariance.defaultMethod(ctx, unguided)
}

// isDefaultMethod reports whether the prior is Gaussian, and the method and the guidance are the defaults, also if they
// were written out.
func (s *setup) isDefaultMethod(ctx context.Context) (bool, error) {
	if q, ok := s.sampler.Guidance.(Quadrature); !ok || q != (Quadrature{}) {
		return false, nil
	}
	if !s.linear() {
		return false, nil
	}
	suited, err := s.defaultMethod(ctx)
	return err == nil && suited.String() == s.sampler.Method.String(), err
}

// model is what is sampled: a prior, a likelihood, and how the data depend on the cells.
type model struct {
	prior   expfam.Prior
	terms   *expfam.Terms
	forward *expfam.Forward
	// multiply returns K v if the prior is [expfam.Linear] with the covariance K, and is nil for other priors.
	multiply func(v []float64) []float64
	// values are the constants that are inputs of the graphs, those of [expfam.Terms.Constants] of each part of the
	// forward model. None: they are compiled in.
	values []float64
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

// open makes constants of the likelihood inputs of the graphs. It takes their values from terms, which are the model's
// but for these.
func (m *model) open(terms *expfam.Terms) (err error) {
	m.terms, m.values = terms, nil
	if m.forward, err = terms.Forward(m.forward.Cells()); err != nil {
		return err
	}
	for _, part := range m.forward.Parts {
		for _, t := range inputTerms(part) {
			_, values := t.Constants()
			m.values = append(m.values, values...)
		}
	}
	return nil
}

// inputTerms returns the terms of a part of the forward model whose constants are inputs.
func inputTerms(part expfam.ForwardPart) []*expfam.Terms {
	if part.Sum != nil { // the family of one, and the link of the other
		return []*expfam.Terms{part.Terms, part.Sum}
	}
	return []*expfam.Terms{part.Terms}
}
