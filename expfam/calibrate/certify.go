package calibrate

import (
	"errors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/traits"
)

// Certify returns the certificate of draws that come from elsewhere, also read from ArviZ: how far they are from the
// posterior of a prior, a likelihood and observations, in location and width. It needs the draws of x₀ and nothing
// else; see [expfam.Certificate]. The score of a prior that is not Gaussian comes from its moments; see
// [diffusion.Certify]. Markov chains count by their effective number of draws if post.Info.Chains
// says how many there are. The draws of this library's own samplers have their certificate in Info.Certificate.
//
//	data, err := arviz.Load("elsewhere.json", like)
//	c, err := calibrate.Certify(data.Posterior, prior, like, obs)
func Certify(post *expfam.Posterior, prior any, like expfam.Likelihood, obs expfam.Observations) (*expfam.Certificate,
	error) {
	if post == nil || post.X == nil {
		return nil, errors.New("calibrate: certify: there are no draws; give a posterior")
	}
	draws := &expfam.Posterior{X: post.X, Likelihood: like, Info: expfam.Info{Chains: post.Info.Chains}}
	c, err := draws.Certify(prior, obs)
	if moments, ok := prior.(expfam.Prior); ok && errors.Is(err, traits.ErrNoScore) {
		return diffusion.Certify(draws, moments, like, obs, diffusion.Sampler{})
	}
	return c, err
}
