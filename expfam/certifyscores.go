package expfam

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// drawsPerMode is the smallest number of draws for each mode of [Posterior.CertifyScores].
const drawsPerMode = 4

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
	// Other are the scores of the same draws at the noise level OtherSigma, or nil. By as much as they differ from
	// Values beyond the noise, the scores are wrong.
	Other      *mat.Dense
	OtherSigma float64
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
	again := mat.DenseCopyOf(z)
	if err := standardise(z, s, r); err != nil {
		return nil, fmt.Errorf("certify: %w", err)
	}
	c, found := compared(z, s, max(1, p.Info.Chains))
	if scores.Other != nil && len(found.shifts) > 0 {
		other := reversed(mat.DenseCopyOf(scores.Other))
		if err := standardise(again, other, r); err != nil {
			return nil, fmt.Errorf("certify: %w", err)
		}
		location, width = c.differ(z, s, other, &found)
	}
	if len(found.shifts) > 0 {
		c.P = found.together()
	}
	c.Directions, c.Sigma, c.BiasLocation, c.BiasWidth = scores.Directions, scores.Sigma, location, width
	c.OtherSigma = scores.OtherSigma
	return c, nil
}

// differ takes the difference of two scores of the same draws for the error of either, which is of one size in all
// modes, and part of every standard error. It returns what the error makes of Location and of MeanWidth − 1.
func (c *Certificate) differ(w, s, other *mat.Dense, found *deviations) (location, mean float64) {
	draws, modes := w.Dims()
	var width float64
	for k := range modes {
		at := mat.Col(nil, k, w)
		middle, sd := stat.MeanStdDev(at, nil)
		shift, square := make([]float64, draws), make([]float64, draws)
		for i := range draws {
			d := s.At(i, k) - other.At(i, k)
			shift[i], square[i] = d*sd, d*(middle-at[i])/(2*c.Width[k])
		}
		off, variance := stat.MeanVariance(shift, nil)
		location += (off*off - variance/float64(draws)) / float64(modes)
		off, variance = stat.MeanVariance(square, nil)
		width += (off*off - variance/float64(draws)) / float64(modes)
		mean += off / float64(modes)
	}
	location, width = math.Sqrt(max(0, location)), math.Sqrt(max(0, width))
	widen := func(t, se *float64, by float64) {
		wide := math.Hypot(*se, by)
		*t, *se = *t**se/wide, wide
	}
	c.Worst = 0
	for k := range modes {
		shift, wide := &found.shifts[k].t, &found.widths[k].t
		widen(shift, &c.ShiftSE[k], location)
		widen(wide, &c.WidthSE[k], width)
		if worst := math.Max(math.Abs(*shift), math.Abs(*wide)); worst > c.Worst {
			c.Worst, c.WorstMode = worst, k
		}
	}
	widen(&found.mean.t, &c.MeanWidthSE, mean)
	return location, mean
}

// inModes returns z of the draws in the modes of scores, from fine to coarse, and R of [Posterior.Certify].
func (p *Posterior) inModes(obs Observations, scores Scores) (*mat.Dense, *mat.TriDense, error) {
	if p == nil || p.X == nil {
		return nil, nil, errNoDraws
	}
	draws, cells := p.Dims()
	if _, modes := scores.L.Dims(); draws < drawsPerMode*modes || len(scores.Mean) != cells {
		return nil, nil, fmt.Errorf("certify: %d draws of %d cells, and %d modes of %d cells; a certificate needs at "+
			"least %d draws for each mode, and modes of their cells", draws, cells, modes, len(scores.Mean),
			drawsPerMode)
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
