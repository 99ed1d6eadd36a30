package diffusion

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// rooted returns the correlation of x₀ | x_t at a noise level, and below it the symmetric root of the correlation:
// (2d, d) numbers, row after row.
func (c *denseCovariance) rooted(ctx context.Context, sigma float64) ([]float64, error) {
	if t := c.roots[sigma]; t != nil {
		return t, nil
	}
	d := c.prior.Dim()
	r, err := c.correlation(ctx, sigma)
	if err != nil {
		return nil, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(r, true) {
		return nil, fmt.Errorf("sample: the eigenvalues of the correlation of %v at noise level %.3g do not converge",
			c.prior, sigma)
	}
	root, u := rootOf(&eigen, func(lambda float64) float64 { return math.Max(lambda, 0) })
	root.Mul(root, u.T())
	out := make([]float64, 0, 2*d*d)
	for i := range d {
		for j := range d {
			out = append(out, r.At(i, j))
		}
	}
	for i := range d {
		out = append(out, root.RawRowView(i)...)
	}
	if c.roots == nil {
		c.roots = make(map[float64][]float64)
	}
	c.roots[sigma] = out
	return out, nil
}

// correlation returns the correlation of x₀ | x_t at a noise level. It is exact for a [expfam.Linear] prior, and
// averaged over x_t for others.
func (c *denseCovariance) correlation(ctx context.Context, sigma float64) (*mat.SymDense, error) {
	d := c.prior.Dim()
	r := mat.NewSymDense(d, nil)
	if c.linear() {
		if err := c.conditional(sigma, r); err != nil {
			return nil, err
		}
	} else {
		all, err := c.correlations(ctx)
		if err != nil {
			return nil, err
		}
		table := all.at(sigma)
		for i := range d {
			for j := range i + 1 {
				r.SetSym(i, j, (table[i*d+j]+table[j*d+i])/2)
			}
		}
	}
	return r, nil
}

// conditional fills r with the correlation of x₀ | x_t at noise level σ, under the prior, with
// covariance K. The covariance of x₀ | x_t is K (K + σ²)⁻¹ σ².
func (m *model) conditional(sigma float64, r *mat.SymDense) error {
	d := r.SymmetricDim()
	unit := make([]float64, d)
	for j := range d {
		unit[j] = 1
		for i, v := range m.multiply(unit)[:j+1] {
			r.SetSym(i, j, v)
		}
		unit[j] = 0
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(r, true) {
		return fmt.Errorf("sample: the eigenvalues of the covariance of %v do not converge; check that its entries "+
			"are finite", m.prior)
	}
	s2 := sigma * sigma
	root, _ := rootOf(&eigen, func(lambda float64) float64 {
		lambda = math.Max(lambda, 0)
		return lambda * s2 / (lambda + s2)
	})
	r.SymOuterK(1, root)
	sd := make([]float64, d)
	for j := range sd {
		sd[j] = math.Sqrt(math.Max(r.At(j, j), 1e-300))
	}
	for i := range d {
		for j := range i + 1 {
			r.SetSym(i, j, r.At(i, j)/(sd[i]*sd[j]))
		}
	}
	return nil
}
