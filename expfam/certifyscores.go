package expfam

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

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
	// Errors are two independent measurements of the error of the scores, or none.
	Errors []ScoreError
}

// ScoreError is the error of scores, c + Mᵀz. It is found with draws of the prior, for which E[s_z] = 0 and
// E[z s_zᵀ] = −I: c is the mean of their scores, and M = E[z s_zᵀ] + I.
type ScoreError struct {
	Constant []float64
	Slope    *mat.Dense
}

// CertifyScores is [Posterior.Certify] with scores that the caller knows, such as those of diffusion.Certify.
func (p *Posterior) CertifyScores(obs Observations, scores Scores) (*Certificate, error) {
	z, r, err := p.inModes(obs, scores)
	if err != nil {
		return nil, err
	}
	if rows, modes := z.Dims(); scores.Values == nil || scores.Values.RawMatrix().Rows != rows ||
		scores.Values.RawMatrix().Cols != modes {
		return nil, fmt.Errorf("certify: no scores of %d draws in %d modes", rows, modes)
	}
	s := reversed(mat.DenseCopyOf(scores.Values))
	location, width := bias(scores.Errors, z, r)
	if err := standardise(z, s, r); err != nil {
		return nil, fmt.Errorf("certify: %w", err)
	}
	c := compare(z, s, max(1, p.Info.Chains))
	c.Directions, c.Sigma, c.BiasLocation, c.BiasWidth = scores.Directions, scores.Sigma, location, width
	return c, nil
}

// inModes returns z of the draws in the modes of scores, from fine to coarse, and R of [Posterior.Certify].
func (p *Posterior) inModes(obs Observations, scores Scores) (*mat.Dense, *mat.TriDense, error) {
	if p == nil || p.X == nil {
		return nil, nil, errNoDraws
	}
	draws, cells := p.Dims()
	if draws < leastCertified || len(scores.Mean) != cells {
		return nil, nil, fmt.Errorf("certify: %d draws of %d cells, and modes of %d cells; a certificate needs at "+
			"least %d draws, and modes of their cells", draws, cells, len(scores.Mean), leastCertified)
	}
	f, err := p.seen(obs)
	if err != nil {
		return nil, nil, err
	}
	d := &whitening{l: reversed(mat.DenseCopyOf(scores.L))}
	information, w := typical(p.X, f.LogLikelihood(obs))
	var r mat.TriDense
	if err := d.root(&r, information, w); err != nil {
		return nil, nil, err
	}
	centred := mat.DenseCopyOf(p.X)
	centred.Apply(func(_, j int, v float64) float64 { return v - scores.Mean[j] }, centred)
	z := new(mat.Dense)
	z.Mul(centred, reversed(mat.DenseCopyOf(scores.Dual)))
	return z, &r, nil
}

// bias returns what the errors of scores make of Location and MeanWidth − 1, for draws z whose columns go from fine to
// coarse. In s_u the error is R⁻¹(c + Mᵀz). The square of the location is the product of two independent measurements,
// so that their noise cancels on average.
func bias(errors []ScoreError, z *mat.Dense, r *mat.TriDense) (location, width float64) {
	if len(errors) == 0 {
		return 0, 0
	}
	_, modes := z.Dims()
	mean := make([]float64, modes)
	for k := range mean {
		mean[k] = stat.Mean(mat.Col(nil, k, z), nil)
	}
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, z, nil)
	var own, spread mat.Dense // Rᵀ Cov(z), and the covariance of w
	own.Mul(r.T(), &cov)
	spread.Mul(&own, r)
	product := make([]float64, modes)
	for k := range product {
		product[k] = spread.At(k, k) // the variance of w
	}
	for _, e := range errors {
		slope := mat.NewDense(modes, modes, nil) // M, from fine to coarse
		slope.Apply(func(i, j int, _ float64) float64 { return e.Slope.At(modes-1-i, modes-1-j) }, slope)
		shift := mat.NewVecDense(modes, nil)
		shift.MulVec(slope.T(), mat.NewVecDense(modes, mean))
		for k := range modes {
			shift.SetVec(k, shift.AtVec(k)+e.Constant[modes-1-k])
		}
		if err := shift.SolveVec(r, shift); err != nil && math.IsNaN(mat.Sum(shift)) {
			return 0, 0
		}
		for k := range product {
			product[k] *= shift.AtVec(k)
		}
		var right, both mat.Dense // E[w (R⁻¹Mᵀz)ᵀ] = Rᵀ Cov(z) M R⁻ᵀ
		if err := right.Solve(r, slope.T()); err != nil && !finite(&right) {
			return 0, 0
		}
		both.Mul(&own, right.T())
		width -= mat.Trace(&both) / float64(2*modes*len(errors))
	}
	return math.Sqrt(max(0, floats.Sum(product)/float64(modes))), width
}
