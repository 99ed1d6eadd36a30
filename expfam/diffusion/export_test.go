package diffusion

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// What tests outside of the package see of it.

// BatchWithin returns the default batch that fits into a number of bytes.
func BatchWithin(prior expfam.Prior, s Sampler, budget float64) (int, error) {
	s, err := s.orDefault(prior)
	return s.batchWithin(prior, budget), err
}

// Certifier returns a function that certifies draws under a prior with the score at a noise level, in standard
// deviations of the prior.
func Certifier(prior expfam.Prior, e *engine.Engine, noise float64) func(post *expfam.Posterior,
	obs expfam.Observations) (*expfam.Certificate, error) {
	c := &certifier{measurement: &measurement{sampler: expfam.Must(Sampler{Engine: e}.orDefault(prior))}, noise: noise}
	c.block = c.sampler.block(prior)
	return func(post *expfam.Posterior, obs expfam.Observations) (*expfam.Certificate, error) {
		c.model = expfam.Must(newModel(prior, expfam.Must(post.Likelihood.Terms())))
		return c.certify(context.Background(), post, obs)
	}
}

// PriorDraws returns the draws of a prior that measure its error, and the number of their groups.
func PriorDraws(prior expfam.Prior, e *engine.Engine) (x *mat.Dense, groups int) {
	c := &certifier{measurement: &measurement{sampler: expfam.Must(Sampler{Engine: e}.orDefault(prior))}}
	c.block = c.sampler.block(prior)
	c.model = expfam.Must(newModel(prior, expfam.Must(expfam.Likelihood{Family: expfam.Normal{}}.Terms())))
	defer c.close()
	return expfam.Must(c.priorDraws(context.Background())), priorGroups
}

// FurtherSeed is the seed of the draws of a second look.
func FurtherSeed(seed uint64, first int) uint64 { return furtherSeed(seed, first) }
