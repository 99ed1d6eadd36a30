package diffusion

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/traits"
)

// orDefault returns the sampler with its defaults, except Method, or an error if the prior or the
// options are impossible.
func (s Sampler) orDefault(prior expfam.Prior) (Sampler, error) {
	if prior == nil {
		return s, errors.New("sample: there is no prior; train one with learn.Train, load one with learn.Load or " +
			"take one of package gp")
	}
	if err := traits.Check(prior); err != nil {
		return s, fmt.Errorf("sample: %w", err)
	}
	dim := prior.Dim()
	if dim < 1 {
		return s, fmt.Errorf("sample: the prior %v has %d cells; it needs at least 1", prior, dim)
	}
	s.Draws = cmp.Or(s.Draws, 500)
	if s.Draws < 0 || s.First < 0 || s.Batch < 0 {
		return s, fmt.Errorf("sample: %d draws from number %d on in batches of %d; none may be negative", s.Draws,
			s.First, s.Batch)
	}
	if s.Moves < -1 {
		return s, fmt.Errorf("sample: Moves is %d; give a number of transitions, 0 for the default, or -1 for none",
			s.Moves)
	}
	if err := s.checkDrawsFit(dim); err != nil {
		return s, err
	}
	if s.Guidance == nil {
		s.Guidance = Quadrature{}
	}
	if c, ok := s.Guidance.(expfam.Checker); ok {
		if err := c.Check(); err != nil {
			return s, fmt.Errorf("sample: %w", err)
		}
	}
	if s.DType == dtypes.InvalidDType {
		s.DType = dtypes.Float32
	}
	if s.DType != dtypes.Float32 && s.DType != dtypes.Float64 {
		return s, fmt.Errorf("sample: dtype %s; use Float32 or Float64", s.DType)
	}
	if s.First > 0 && s.corrects() && (s.Batch == 0 || s.First%s.Batch != 0) {
		return s, fmt.Errorf("sample: draws from number %d on in batches of %d with a corrector, by which draws of "+
			"a batch depend on each other; set Batch, and First to a multiple of it", s.First, s.Batch)
	}
	if s.Engine == nil {
		e, err := engine.Default()
		if err != nil {
			return s, err
		}
		s.Engine = e
	}
	if s.Batch == 0 {
		s.Batch = s.batch(prior)
	}
	if s.First == 0 { // a later share of a run keeps the run's batches, even if it has fewer draws than one
		s.Batch = min(s.Batch, s.Draws)
	}
	return s, nil
}
