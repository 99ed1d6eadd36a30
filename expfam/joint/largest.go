package joint

import (
	"context"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

// Largest returns the values of the parameters with the largest Laplace evidence of the data, whatever their laws say
// beyond their bounds, with the approximation of the field there. The prior has a sparse precision.
func Largest(ctx context.Context, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations) ([]float64,
	*latent.Around, error) {
	m, err := newModel(prior, like, obs)
	if err != nil {
		return nil, nil, fmt.Errorf("joint: %w", err)
	}
	if m.sparse == nil {
		return nil, nil, fmt.Errorf("joint: %v has no sparse precision; take Sample", prior)
	}
	m.flat, m.approximate = true, true
	var t []float64
	if len(m.parameters) > 0 {
		s, err := m.search(ctx)
		if err != nil {
			return nil, nil, err
		}
		t = s.press()
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("joint: %w while the parameters were weighed", expfam.ErrInterrupted)
		}
	}
	m.sparse.Done = 0 // the search ends where the decrement no longer falls
	a, err := m.mode(t)
	if err != nil {
		return nil, nil, fmt.Errorf("joint: %w", err)
	}
	return m.values(t), a, a.Whiten()
}

// press moves extreme scores to the bound if the evidence there is no less: it is flat where an effect vanishes.
func (s *summit) press() []float64 {
	for k, v := range s.t {
		if bound := math.Copysign(law.Most, v); math.Abs(v) > 2 {
			to := append([]float64(nil), s.t...)
			to[k] = bound
			if v := s.evaluate([][]float64{to})[0]; v >= s.top {
				s.t, s.top = to, v
			}
		}
	}
	return s.t
}
