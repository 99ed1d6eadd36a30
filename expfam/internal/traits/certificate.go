package traits

import (
	"errors"

	"gonum.org/v1/gonum/mat"
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
