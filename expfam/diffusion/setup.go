package diffusion

import (
	"context"

	"github.com/expfam/lab/expfam"
)

// setup is what is known of a run before there are data.
type setup struct {
	*model
	sampler    Sampler // with its defaults, and with the method
	block      int     // number of draws in one evaluation
	usual      bool    // see isUsual
	covariance covarianceModel
	steps      []Step // of the method as it was given, before data refine it
}

// newSetup returns the setup of a sampler that has its defaults. It may lack a method: then the method is the one
// that suits the prior.
func newSetup(ctx context.Context, prior expfam.Prior, terms *expfam.Terms, s Sampler) (*setup, error) {
	m, err := newModel(prior, terms)
	if err != nil {
		return nil, err
	}
	out := &setup{model: m, sampler: s, block: s.block(prior)}
	out.covariance = newCovariance(m, &measurement{model: m, sampler: s, block: out.block})
	if s.Method == nil {
		if out.sampler.Method, err = out.suited(ctx); err != nil {
			return nil, err
		}
	}
	if out.usual, err = out.isUsual(ctx); err != nil {
		return nil, err
	}
	if out.steps, err = m.trajectory(out.sampler.Method, s.Guidance, nil); err != nil {
		return nil, err
	}
	return out, out.sampler.draws(out.steps)
}

// suited returns the default method for the prior, the likelihood and the guidance. It ends with ctx, by the error
// [expfam.ErrInterrupted].
func (s *setup) suited(ctx context.Context) (Method, error) {
	quadrature, ok := s.sampler.Guidance.(Quadrature)
	_, unguided := s.sampler.Guidance.(Unguided)
	if ok && (quadrature.Independent || quadrature.Steps > 0) || !ok && !unguided {
		return Restarts{}, nil
	}
	return s.covariance.suited(ctx, unguided)
}

// isUsual reports whether the prior is Gaussian, and the method and the guidance are the defaults, also if they were
// written out.
func (s *setup) isUsual(ctx context.Context) (bool, error) {
	if q, ok := s.sampler.Guidance.(Quadrature); !ok || q != (Quadrature{}) {
		return false, nil
	}
	if !s.linear() {
		return false, nil
	}
	suited, err := s.suited(ctx)
	return err == nil && suited.String() == s.sampler.Method.String(), err
}

// kinds returns the kinds of step that the trajectory has, each once.
func (s *setup) kinds() (all []kind) {
	for k := range kinds {
		if k.in(s.steps) {
			all = append(all, k)
		}
	}
	return all
}

// workers returns how many blocks of a batch are evaluated at the same time.
func (s *setup) workers() int {
	if s.sampler.corrects() { // a batch of a corrector is one block
		return 1
	}
	return min(s.sampler.Engine.Workers(), batches(s.sampler.Batch, s.block))
}
