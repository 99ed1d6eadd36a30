// Package traits has what samplers ask of a prior, or pass to a certificate, and nobody else does. Products and nuggets
// of priors are types of package expfam, so that package sets the functions when it is initialised.
package traits

import (
	"errors"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/latent"
)

// Check returns the error of a prior, or of another kind, that has the method Check, and nil for any other. A function
// that takes a prior calls Check first.
func Check(prior any) error {
	if c, ok := prior.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

var (
	// Modes returns the mean and a matrix whose columns are √λₖ uₖ for any prior that is Gaussian, with K = Σ λₖ uₖ
	// uₖᵀ: for one with a method Modes, for an expfam.Linear one with a mean, for one with Mean() []float64 and Cov()
	// *mat.SymDense, and for products and nuggets of these. The n modes of the largest variance come in ascending order
	// of λₖ, or all modes of a variance above rounding if n is 0. It is false for other priors, and for too many cells.
	Modes func(prior any, n int) (mean []float64, l *mat.Dense, ok bool)
	// Spectrum returns what expfam.Spectral says for a prior that is Spectral, and for products and nuggets of such
	// priors. The other parts of a product need Modes. It is false for other priors.
	Spectrum func(prior any) (latent.Spectrum, bool)
	// InBounds clips an estimate of the mean of x₀ to the bounds of the prior. In a product without bounds of its own,
	// it clips each part that has bounds.
	InBounds func(prior any, estimate *graph.Node) *graph.Node
)

// ErrNoScore is the error of the method Certify of a posterior for a prior that is not Gaussian.
var ErrNoScore = errors.New("certify: the score of this prior is not known: it is not Gaussian, or its mean is not " +
	"known; diffusion.Certify takes the score of a learned prior from its network")

// Scores are the scores s_z of the draws of a posterior in some modes z = Dᵀ(x₀ − μ), under a prior whose density is
// not known. If the draws are the posterior's, E[s_z] = 0 and E[z s_zᵀ] = −I. Modes go from coarse to fine.
type Scores struct {
	// Directions says what the modes are.
	Directions string
	// Mean is μ, one number for each cell.
	Mean []float64
	// L and Dual are L and D, (cells, modes), with DᵀL = I. Each z has about the variance 1 under the prior.
	L, Dual *mat.Dense
	// Values are the scores, (draws, modes).
	Values *mat.Dense
	// Sigma is the noise level, in units of x₀, at which the score of the prior was taken.
	Sigma float64
	// Errors are independent measurements of the error of the scores, or none. Their mean is subtracted from the
	// scores, and its standard error is part of every standard error.
	Errors []ScoreError
	// Left is the share of the mean error that the subtraction may leave: 0 where the error is an affine function of z,
	// as under priors that are nearly Gaussian, and 1 where it may be any. It is part of every standard error.
	Left float64
	// Other are the scores of every n-th draw, from the first on, at the noise level OtherSigma, or nil. By as much as
	// they differ from Values beyond the noise, the scores are wrong.
	Other      *mat.Dense
	OtherSigma float64
}

// ScoreError is the error of scores, e = c + Mᵀz. It is found with draws of the prior, for which E[s_z − e] = 0 and
// E[z (s_z − e)ᵀ] = −I.
type ScoreError struct {
	Constant []float64
	Slope    *mat.Dense
}
