package expfam

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
)

// mostCosines is the largest number of cosines in which draws are compared: up to about three periods along both sides
// of a grid.
const mostCosines = 36

// whitening is the modes in which draws are compared with the posterior of a Gaussian prior N(μ, K): z = Dᵀ(x₀ − μ)
// is N(0, I) under the prior, and L = K D. Columns go from fine to coarse.
type whitening struct {
	name    string
	mean    []float64
	l, dual *mat.Dense // L and D
}

// whiteningOf returns the whitening of a prior for draws x.
func whiteningOf(prior any, x *mat.Dense) (*whitening, error) {
	_, cells := x.Dims()
	d := &whitening{name: "modes of the prior"}
	var ok bool
	if d.mean, d.l, ok = Modes(prior, mostModes); ok {
		d.l = leading(d.l)
		d.dual = mat.DenseCopyOf(d.l) // L Λ⁻¹
		variances := latent.Variances(d.l)
		d.dual.Apply(func(_, k int, v float64) float64 { return v / variances[k] }, d.dual)
	} else {
		p, linear := prior.(interface {
			Linear
			Mean() []float64
		})
		if !linear {
			return nil, ErrNoScore
		}
		if d.mean = p.Mean(); len(d.mean) == cells {
			if err := d.cosines(p); err != nil {
				return nil, err
			}
		}
	}
	if len(d.mean) != cells {
		return nil, fmt.Errorf("certify: a prior of %d cells for draws of %d; give the prior of the posterior",
			len(d.mean), cells)
	}
	return d, nil
}

// cosines makes directions of the coarsest cosines A of the cells: AᵀKA = C Cᵀ, D = A C⁻ᵀ and L = K A C⁻ᵀ. C is
// triangular, so that the coarsest z is the coarsest cosine up to its scale.
func (d *whitening) cosines(prior Linear) error {
	cells := len(d.mean)
	rows, cols := 1, cells
	if p, ok := prior.(interface{ Lattice() (rows, cols int) }); ok {
		if r, c := p.Lattice(); r*c == cells {
			rows, cols = r, c
		}
	}
	a := latent.Cosines(rows, cols, mostCosines)
	_, n := a.Dims()
	image := mat.NewDense(cells, n, nil)
	for k := range n {
		column, ok := prior.Multiply(mat.Col(nil, k, a))
		if !ok {
			return ErrNoScore
		}
		image.SetCol(k, column)
	}
	var product mat.Dense
	product.Mul(a.T(), image)
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, (product.At(i, j)+product.At(j, i))/2)
		}
	}
	var chol mat.Cholesky
	for k := n; ; k-- { // cosines without variance are the finest
		if k == 0 {
			return fmt.Errorf("certify: the prior has no variance along the coarsest cosines: %w", ErrNoScore)
		}
		if some := gram.SliceSym(0, k); gram.At(k-1, k-1) > leastVariance*gram.At(0, 0) && chol.Factorize(some) {
			n = k
			break
		}
	}
	var c mat.TriDense
	chol.LTo(&c)
	solve := func(columns mat.Matrix) *mat.Dense { // columns C⁻ᵀ, the coarsest last
		var out mat.Dense
		_ = out.Solve(&c, columns.T())
		return reversed(out.T())
	}
	d.name = fmt.Sprintf("%d coarsest cosines", n)
	d.dual, d.l = solve(a.Slice(0, cells, 0, n)), solve(image.Slice(0, cells, 0, n))
	return nil
}

// root finds the lower R of I + LᵀHᵀWHL = R Rᵀ.
func (d *whitening) root(r *mat.TriDense, rows func(k int, visit func(cell int, weight float64)), w []float64) error {
	j, err := latent.Hessian(d.l, rows, w)
	if err != nil {
		return fmt.Errorf("certify: %w", err)
	}
	var chol mat.Cholesky
	if !chol.Factorize(j) {
		return errors.New("certify: the information of the data overflows")
	}
	chol.LTo(r)
	return nil
}

// whiten returns z and s_z = −z + Lᵀ ∇ log p(y | x₀) of some of the draws x.
func (d *whitening) whiten(x *mat.Dense, draws []int, data latent.Data) (z, s *mat.Dense) {
	cells := len(d.mean)
	centred, slope := mat.NewDense(len(draws), cells, nil), mat.NewDense(len(draws), cells, nil)
	parallel.For(len(draws), 40*cells, func(k int) {
		floats.SubTo(centred.RawRowView(k), x.RawRowView(draws[k]), d.mean)
		data.LogLikSlope(x.RawRowView(draws[k]), slope.RawRowView(k))
	})
	z, s = new(mat.Dense), new(mat.Dense)
	z.Mul(centred, d.dual)
	s.Mul(slope, d.l)
	s.Sub(s, z)
	return z, s
}

// leading returns the columns of l whose squared length is at least leastVariance of the largest.
func leading(l *mat.Dense) *mat.Dense {
	cells, rank := l.Dims()
	variances, first := latent.Variances(l), 0
	for first < rank-1 && variances[first] < leastVariance*variances[rank-1] {
		first++
	}
	return l.Slice(0, cells, first, rank).(*mat.Dense)
}

// reversed returns a copy of the matrix with its columns in the opposite order.
func reversed(m mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(m)
	rows, _ := out.Dims()
	for i := range rows {
		slices.Reverse(out.RawRowView(i))
	}
	return out
}
