package expfam

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/internal/traits"
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
	if d.mean, d.l, ok = modesOf(prior, mostModes); ok {
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
			return nil, traits.ErrNoScore
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
			return traits.ErrNoScore
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
	// Cosines whose variance given the coarser ones is 0 up to rounding are left out: draws do not have it, nor scores.
	kept := independent(gram)
	if n = len(kept); n == 0 {
		return fmt.Errorf("certify: the prior has no variance along the coarsest cosines: %w", traits.ErrNoScore)
	}
	some := mat.NewSymDense(n, nil)
	cosines, images := mat.NewDense(cells, n, nil), mat.NewDense(cells, n, nil)
	for i, k := range kept {
		cosines.SetCol(i, mat.Col(nil, k, a))
		images.SetCol(i, mat.Col(nil, k, image))
		for j := range i + 1 {
			some.SetSym(i, j, gram.At(k, kept[j]))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(some) {
		return fmt.Errorf("certify: the covariance of the coarsest cosines is singular: %w", traits.ErrNoScore)
	}
	var c mat.TriDense
	chol.LTo(&c)
	solve := func(columns mat.Matrix) *mat.Dense { // columns C⁻ᵀ, the coarsest last
		var out mat.Dense
		_ = out.Solve(&c, columns.T())
		return reversed(out.T())
	}
	d.name = fmt.Sprintf("%d coarsest cosines", n)
	d.dual, d.l = solve(cosines), solve(images)
	return nil
}

// independent returns the indices whose variance given those before is at least leastVariance of the largest variance.
func independent(cov *mat.SymDense) (kept []int) {
	n := cov.SymmetricDim()
	var largest float64
	for i := range n {
		largest = math.Max(largest, cov.At(i, i))
	}
	var rows [][]float64 // of the Cholesky factor of those kept
	for i := range n {
		row, left := make([]float64, len(kept)), cov.At(i, i)
		for j, k := range kept {
			row[j] = (cov.At(i, k) - floats.Dot(row[:j], rows[j][:j])) / rows[j][j]
			left -= row[j] * row[j]
		}
		if left >= leastVariance*largest && left > 0 {
			rows, kept = append(rows, append(row, math.Sqrt(left))), append(kept, i)
		}
	}
	return kept
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

// whiten returns z and s_z = −z + Lᵀ ∇ log p(y | x₀) of some of the draws x, and z of the centre of each. The latter is
// nil if there is no function centre.
func (d *whitening) whiten(x *mat.Dense, draws []int, data latent.Data, centre func(draw int, to []float64)) (
	z, middle, s *mat.Dense) {
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
	if centre != nil {
		for k, i := range draws {
			centre(i, centred.RawRowView(k))
			floats.Sub(centred.RawRowView(k), d.mean)
		}
		middle = new(mat.Dense)
		middle.Mul(centred, d.dual)
	}
	return z, middle, s
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
