package expfam

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/internal/traits"
)

// drawsPerMode is the smallest number of draws for each mode of [Posterior.CertifyScores].
const drawsPerMode = 4

// CertifyScores is [Posterior.Certify] with scores that the caller computes, such as those of diffusion.Certify.
func (p *Posterior) CertifyScores(obs Observations, scores traits.Scores) (*Certificate, error) {
	z, r, err := p.inModes(obs, scores)
	if err != nil {
		return nil, err
	}
	if rows, modes := z.Dims(); scores.Values == nil || scores.Values.RawMatrix().Rows != rows ||
		scores.Values.RawMatrix().Cols != modes {
		return nil, fmt.Errorf("certify: no scores of %d draws in %d modes", rows, modes)
	}
	s := reversed(scores.Values)
	plain := mat.DenseCopyOf(s) // an error that is no affine function of z makes no draw lie far off
	if err := standardise(mat.DenseCopyOf(z), nil, plain, r); err != nil {
		return nil, fmt.Errorf("certify: %w", err)
	}
	own, err := subtract(scores.Errors, z, s, r)
	if err != nil {
		return nil, err
	}
	var again *mat.Dense
	if scores.Other != nil {
		again = every(z, scores.Other.RawMatrix().Rows)
	}
	location, width := 0.0, 0.0
	if err := standardise(z, nil, s, r); err != nil {
		return nil, fmt.Errorf("certify: %w", err)
	}
	c, found := compare(z, s, plain, p.Info.Chains)
	if scores.Other != nil && len(found.shifts) > 0 {
		other := reversed(scores.Other)
		if err := standardise(again, nil, other, r); err != nil {
			return nil, fmt.Errorf("certify: %w", err)
		}
		location, width = c.differ(z, s, other, &found)
	}
	if own != nil && len(found.shifts) > 0 {
		location, width = c.correct(own, scores.Left, &found)
	}
	c.Directions, c.Sigma, c.BiasLocation, c.BiasWidth = scores.Directions, scores.Sigma, location, width
	c.OtherSigma, c.P = scores.OtherSigma, found.together()
	return c, nil
}

// differ takes the difference of two scores of the same draws for the error of either, which is of one size in all
// modes at most, and part of every standard error. It returns what the error makes of Location and of MeanWidth − 1.
func (c *Certificate) differ(w, s, other *mat.Dense, found *deviations) (location, mean float64) {
	draws, modes := other.Dims()
	w, s = every(w, draws), every(s, draws)
	var width, noise, wide float64
	for k := range modes {
		at := mat.Col(nil, k, w)
		middle, sd := stat.MeanStdDev(at, nil)
		shift, square := make([]float64, draws), make([]float64, draws)
		for i := range draws {
			d := s.At(i, k) - other.At(i, k)
			shift[i], square[i] = d*sd, d*(middle-at[i])/(2*c.Width[k])
		}
		off, variance := stat.MeanVariance(shift, nil)
		location, noise = location+off*off/float64(modes), noise+variance/float64(draws*modes)
		off, variance = stat.MeanVariance(square, nil)
		width, wide = width+off*off/float64(modes), wide+variance/float64(draws*modes)
		mean += off / float64(modes)
	}
	// The squares less their noise, and two standard errors more, so that no error counts as small by chance.
	share := 1 - 2*math.Sqrt(2/float64(modes))
	location, width = math.Sqrt(max(0, location-share*noise)), math.Sqrt(max(0, width-share*wide))
	c.widen(found, func(int) (float64, float64) { return location, width }, mean)
	return location, mean
}

// widen adds to the standard errors of the shift and the width of each mode, and to that of the mean width.
func (c *Certificate) widen(found *deviations, by func(k int) (shift, width float64), mean float64) {
	widen := func(t, se *float64, by float64) {
		wide := math.Hypot(*se, by)
		*t, *se = *t**se/wide, wide
	}
	c.Worst = 0
	for k := range found.shifts {
		t, width := &found.shifts[k].T, &found.widths[k].T
		ofShift, ofWidth := by(k)
		widen(t, &c.ShiftSE[k], ofShift)
		widen(width, &c.WidthSE[k], ofWidth)
		c.note(k, *t, *width)
	}
	widen(&found.mean.T, &c.MeanWidthSE, mean)
}

// every returns so many rows of a matrix, each n-th from the first on.
func every(m *mat.Dense, rows int) *mat.Dense {
	all, cols := m.Dims()
	out := mat.NewDense(rows, cols, nil)
	for i := range rows {
		out.SetRow(i, m.RawRowView(i*((all+rows-1)/rows)))
	}
	return out
}

// inModes returns z of the draws in the modes of scores, from fine to coarse, and R of [Posterior.Certify].
func (p *Posterior) inModes(obs Observations, scores traits.Scores) (*mat.Dense, *mat.TriDense, error) {
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
	d := &whitening{l: reversed(scores.L)}
	information, w := typical(p.X, f.LogLikelihood(obs))
	var r mat.TriDense
	if err := d.root(&r, information, w); err != nil {
		return nil, nil, err
	}
	centred := mat.DenseCopyOf(p.X)
	centred.Apply(func(_, j int, v float64) float64 { return v - scores.Mean[j] }, centred)
	z := new(mat.Dense)
	z.Mul(centred, reversed(scores.Dual))
	return z, &r, nil
}

// effects are what measured errors make of mean scores and of squared widths, (measurements, modes), from coarse to
// fine.
type effects struct{ shift, width *mat.Dense }

// subtract takes the mean of the measured errors from the scores s of draws z, whose columns go from fine to coarse. In
// s_u an error is R⁻¹(c + Mᵀz), and its part of E[w s_uᵀ] is Rᵀ Cov(z) M R⁻ᵀ.
func subtract(errors []traits.ScoreError, z, s *mat.Dense, r *mat.TriDense) (*effects, error) {
	if len(errors) == 0 {
		return nil, nil
	}
	_, modes := z.Dims()
	mean := mat.NewVecDense(modes, nil)
	for k := range modes {
		mean.SetVec(k, stat.Mean(mat.Col(nil, k, z), nil))
	}
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, z, nil)
	var own mat.Dense // Rᵀ Cov(z)
	own.Mul(r.T(), &cov)
	out := &effects{mat.NewDense(len(errors), modes, nil), mat.NewDense(len(errors), modes, nil)}
	for i, e := range errors {
		constant, slope := mat.NewVecDense(modes, nil), mat.NewDense(modes, modes, nil) // from fine to coarse
		slope.Apply(func(i, j int, _ float64) float64 { return e.Slope.At(modes-1-i, modes-1-j) }, slope)
		for k := range modes {
			constant.SetVec(k, e.Constant[modes-1-k])
		}
		var part, right, both mat.Dense
		part.Mul(z, slope)
		s.Apply(func(i, k int, v float64) float64 {
			return v - (constant.AtVec(k)+part.At(i, k))/float64(len(errors))
		}, s)
		shift := mat.NewVecDense(modes, nil)
		shift.MulVec(slope.T(), mean)
		shift.AddVec(shift, constant)
		if err := shift.SolveVec(r, shift); err != nil && math.IsNaN(mat.Sum(shift)) {
			return nil, fmt.Errorf("certify: the error of the scores: %w", err)
		}
		if err := right.Solve(r, slope.T()); err != nil && !finite(&right) {
			return nil, fmt.Errorf("certify: the error of the scores: %w", err)
		}
		both.Mul(&own, right.T())
		for k := range modes {
			out.shift.Set(i, modes-1-k, shift.AtVec(k))
			out.width.Set(i, modes-1-k, -both.At(k, k))
		}
	}
	return out, nil
}

// leftShift is what is left of a network's error in location after the subtraction, in posterior standard deviations:
// its error is an affine function of x up to this size. It is measured in docs/certificate.md.
const leftShift = 0.01

// correct adds the standard errors of the measured errors and what the subtraction leaves of them, and returns what the
// errors themselves made of Location and of MeanWidth − 1 before they were subtracted.
func (c *Certificate) correct(e *effects, left float64, found *deviations) (location, width float64) {
	measurements, modes := e.shift.Dims()
	n := float64(measurements)
	shifts, widths, means := make([]float64, modes), make([]float64, modes), make([]float64, measurements)
	for k := range modes {
		sd := c.ShiftSE[k] / found.shifts[k].SE // of the draws, in the units of Shift
		shift, variance := stat.MeanVariance(mat.Col(nil, k, e.shift), nil)
		location += (shift*shift - variance/n) * sd * sd / float64(modes)
		shifts[k] = math.Hypot(math.Hypot(math.Sqrt(variance/n), left*shift)*sd, leftShift)
		wide, variance := stat.MeanVariance(mat.Col(nil, k, e.width), nil)
		widths[k] = math.Hypot(math.Sqrt(variance/n), left*wide) / (2 * c.Width[k])
		for i := range measurements {
			means[i] += e.width.At(i, k) / (2 * c.MeanWidth * float64(modes))
		}
	}
	width, variance := stat.MeanVariance(means, nil)
	c.widen(found, func(k int) (float64, float64) { return shifts[k], widths[k] },
		math.Hypot(math.Sqrt(variance/n), left*width))
	return math.Sqrt(max(0, location)), width
}
