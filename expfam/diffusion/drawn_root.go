package diffusion

import (
	"context"
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// addNoise gives the point of a drawn step its random numbers, the columns of noise for cells and then
// for data, and the root of its covariance. For up to wholeCells cells the root is in the table,
// unless the method asks for Lanczos steps. Otherwise the root comes from a [expfam.Rooted] prior, and
// from Lanczos steps for other priors.
func (c *Compiled) addNoise(p *Point, noise *Node) {
	d := c.prior.Dim()
	ch := &stepNoise{z: Slice(noise, AxisRange(), AxisRange(0, d)),
		e: Slice(noise, AxisRange(), AxisRange(d, d+c.forward.Data()))}
	ch.lanczos = c.steps[slices.IndexFunc(c.steps, func(s Step) bool { return s.Drawn })].Lanczos
	if p.whole {
		table := p.correlation
		p.correlation = Slice(table, AxisRange(0, d))
		if c.forward.Plain() {
			p.pairs = p.correlation
		}
		if ch.lanczos == 0 {
			ch.root = Slice(table, AxisRange(d, 2*d))
		}
	}
	if r, ok := c.prior.(expfam.Rooted); ok && ch.root == nil {
		ch.own = func(z *Node) *Node { return r.Root(z, p.Level) }
	}
	if ch.lanczos == 0 {
		ch.lanczos = usualLanczos
	}
	p.noise = ch
}

// usualLanczos is the default number of Lanczos steps. More of them change no score of images.
const usualLanczos = 3

// rooted returns the correlation of x₀ | x_t at a noise level, for up to wholeCells cells, and below
// it the symmetric root of the correlation: (2d, d) numbers, row after row. The correlation is exact
// for a [expfam.Linear] prior, and averaged over x_t for others.
func (c *Compiled) rooted(ctx context.Context, sigma float64) ([]float64, error) {
	if t := c.roots[sigma]; t != nil {
		return t, nil
	}
	d := c.prior.Dim()
	r := mat.NewSymDense(d, nil)
	if l, ok := c.prior.(expfam.Linear); ok {
		if err := conditional(l, sigma, r); err != nil {
			return nil, err
		}
	} else {
		all, err := c.correlated(ctx)
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
	var eigen mat.EigenSym
	if !eigen.Factorize(r, true) {
		return nil, fmt.Errorf("sample: the eigenvalues of the correlation of %v at noise level %.3g do not converge",
			c.prior, sigma)
	}
	var u, root mat.Dense
	eigen.VectorsTo(&u)
	values := eigen.Values(nil)
	root.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(math.Max(values[k], 0)) }, &u)
	root.Mul(&root, u.T())
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

// conditional fills r with the correlation of x₀ | x_t at noise level σ, under a prior with
// covariance K. The covariance of x₀ | x_t is K (K + σ²)⁻¹ σ².
func conditional(prior expfam.Linear, sigma float64, r *mat.SymDense) error {
	d := r.SymmetricDim()
	unit := make([]float64, d)
	for j := range d {
		unit[j] = 1
		for i, v := range prior.Multiply(unit)[:j+1] {
			r.SetSym(i, j, v)
		}
		unit[j] = 0
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(r, true) {
		return fmt.Errorf("sample: the eigenvalues of the covariance of %v do not converge; check that its entries "+
			"are finite", prior)
	}
	var u, scaled mat.Dense
	eigen.VectorsTo(&u)
	values, s2 := eigen.Values(nil), sigma*sigma
	scaled.Apply(func(_, k int, v float64) float64 {
		lambda := math.Max(values[k], 0)
		return v * math.Sqrt(lambda*s2/(lambda+s2))
	}, &u)
	r.SymOuterK(1, &scaled)
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
