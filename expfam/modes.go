package expfam

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
)

// modal is a Gaussian prior that returns its modes. With K = Σ λₖ uₖ uₖᵀ, Modes returns the mean and a matrix whose
// columns are √λₖ uₖ, in ascending order of λₖ: the n modes of the largest variance, or all modes of a variance above
// rounding if n is 0. The draws are μ + L z with z ~ N(0, I) if all modes are asked for. Do not change the results.
//
// [Posterior.Certify] and the last steps of diffusion.Sample use the modes. A [Linear] prior without this method needs
// the method Mean() []float64, and up to 1024 cells.
type modal interface {
	Modes(n int) (mean []float64, l *mat.Dense)
}

func init() { traits.Modes, traits.Spectrum, traits.InBounds = modesOf, spectrumOf, inBounds }

// mostFactored is the largest number of cells whose covariance is made from products and factorised.
const mostFactored = 1024

// modesOf is [traits.Modes].
func modesOf(prior any, n int) (mean []float64, l *mat.Dense, ok bool) {
	switch p := prior.(type) {
	case modal:
		mean, l = p.Modes(n)
		return mean, l, l != nil
	case Joint:
		return productModes(p.Parts(), n)
	case gaussianPrior:
		return factored(p.Mean(), p.Cov(), n)
	}
	p, linear := prior.(interface {
		Linear
		Prior
	})
	if !linear || p.Dim() > mostFactored {
		return nil, nil, false
	}
	if mean = meanOf(p); len(mean) != p.Dim() {
		return nil, nil, false
	}
	cov, unit := mat.NewSymDense(len(mean), nil), make([]float64, len(mean))
	for j := range unit {
		unit[j] = 1
		column, linear := p.Multiply(unit)
		if unit[j] = 0; !linear {
			return nil, nil, false
		}
		for i := j; i < len(unit); i++ {
			cov.SetSym(i, j, column[i])
		}
	}
	return factored(mean, cov, n)
}

// meanOf returns the mean of a Gaussian prior, or nil if it is not known.
func meanOf(prior Prior) []float64 {
	if p, ok := nuggetOf(prior); ok {
		return meanOf(p.Of)
	}
	if m, ok := prior.(interface{ Mean() []float64 }); ok {
		return m.Mean()
	}
	return nil
}

// factored returns the modes of a covariance.
func factored(mean []float64, cov mat.Symmetric, n int) ([]float64, *mat.Dense, bool) {
	l, err := latent.Factor("expfam", cov)
	if err != nil {
		return nil, nil, false
	}
	cells, rank := l.Dims()
	if n > 0 && n < rank {
		l = mat.DenseCopyOf(l.Slice(0, cells, rank-n, rank))
	}
	return mean, l, true
}

// productModes returns the modes of independent parts, each of which is 0 in the cells of the others.
func productModes(parts []Prior, n int) (mean []float64, l *mat.Dense, ok bool) {
	type mode struct {
		first    int
		column   []float64
		variance float64
	}
	var modes []mode
	for _, part := range parts {
		own, columns, ok := modesOf(part, n)
		if !ok {
			return nil, nil, false
		}
		for k, v := range latent.Variances(columns) {
			modes = append(modes, mode{len(mean), mat.Col(nil, k, columns), v})
		}
		mean = append(mean, own...)
	}
	slices.SortStableFunc(modes, func(a, b mode) int { return cmp.Compare(a.variance, b.variance) })
	if n > 0 && n < len(modes) {
		modes = modes[len(modes)-n:]
	}
	l = mat.NewDense(len(mean), len(modes), nil)
	for k, m := range modes {
		for j, v := range m.column {
			l.Set(m.first+j, k, v)
		}
	}
	return mean, l, true
}
