package calibrate

import (
	"errors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/traits"
)

// Certify returns the certificate of draws of x₀ that come from elsewhere: how far they are from the posterior of a
// prior, a likelihood and observations of this library, in location and width; see [expfam.Certificate]. Where the
// other program has the gradient of its log posterior, expfam/certify certifies its draws without a prior or a
// likelihood, and reads them from NumPy's files and from ArviZ's folders. The score of a prior that is not Gaussian
// comes from its moments; see [diffusion.Certify]. Markov chains count by their effective number of draws if
// post.Info.Chains says how many there are. The draws of this library's own samplers have their certificate in
// Info.Certificate.
//
//	file, err := raster.ReadNPY("elsewhere.npy") // (draws, cells)
//	x := mat.NewDense(file.Shape[0], file.Shape[1], file.Values)
//	c, err := calibrate.Certify(&expfam.Posterior{X: x}, prior, like, obs)
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
