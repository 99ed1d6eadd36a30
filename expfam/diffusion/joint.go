package diffusion

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/joint"
)

// unknown reports whether the prior or the likelihood has unknown parameters.
func unknown(prior expfam.Prior, like expfam.Likelihood) bool {
	if _, ok := prior.(expfam.Parametric); ok {
		return true
	}
	for _, part := range like.Parts() {
		if len(part.Unknown) > 0 {
			return true
		}
	}
	return false
}

// joint draws the field and the parameters of a Gaussian prior together, by package joint.
func (s Sampler) joint(ctx context.Context, prior expfam.Prior, like expfam.Likelihood,
	obs expfam.Observations) (*expfam.Posterior, error) {
	_, parametric := prior.(expfam.Parametric)
	_, gaussian := prior.(interface {
		Mean() []float64
		Cov() *mat.SymDense
	})
	if !parametric && !gaussian {
		return nil, fmt.Errorf("sample: constants of the likelihood are unknown, which a prior that is not Gaussian, "+
			"%v, cannot infer; give the constants, or take gp.Unknown", prior)
	}
	if s.Method != nil || s.Guidance != nil {
		return nil, fmt.Errorf("sample: the model has unknown parameters, which package joint draws with the field; " +
			"leave Method and Guidance out")
	}
	return joint.SampleContext(ctx, prior, like, obs, joint.Options{Draws: s.Draws, First: s.First, Seed: s.Seed,
		Fresh: s.Fresh})
}
