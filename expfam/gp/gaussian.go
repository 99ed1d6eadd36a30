// Package gp has Gaussian priors. Every quantity of their diffusion is known in closed
// form. They serve as priors, and as the reference for tests of learned priors.
package gp

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/level"
)

// Gaussian is the prior x₀ ~ N(μ, K). With K = U Λ Uᵀ the diffusion stays diagonal in the columns of U:
//
//	m(x_t) = μ + U diag(√α λ/(αλ+v)) Uᵀ (x_t − √α μ)
//	Cov(x₀ | x_t) = U diag(λ v/(αλ+v)) Uᵀ
type Gaussian struct {
	mean   []float64
	cov    *mat.SymDense
	values []float64   // eigenvalues λ in ascending order, clipped at 0; of smooth kernels those above rounding alone
	basis  *mat.Dense  // U, whose columns are the eigenvectors, a column for each value
	root   [][]float64 // √λₖ uₖ, for the modes that float64 can resolve
	name   string
}

// New returns the prior N(mean, cov). A nil mean stands for 0. Eigenvalues that are negative by rounding are
// taken as 0. It is an error if cov is not positive semidefinite.
func New(mean []float64, cov mat.Symmetric) (*Gaussian, error) {
	if cov == nil {
		return nil, errors.New("gp: there is no covariance; give a matrix with a row for each cell")
	}
	d := cov.SymmetricDim()
	if d == 0 {
		return nil, errors.New("gp: the covariance has no rows; give at least one cell")
	}
	if mean == nil {
		mean = make([]float64, d)
	}
	if len(mean) != d {
		return nil, fmt.Errorf("gp: mean has %d entries and covariance %d rows; give one mean for each cell", len(mean),
			d)
	}
	for i, v := range mean {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("gp: mean %d is %g; every entry must be finite", i, v)
		}
	}
	if err := fits(d); err != nil {
		return nil, err
	}
	g := &Gaussian{mean: slices.Clone(mean), cov: mat.NewSymDense(d, nil)}
	g.cov.CopySym(cov)
	for i := range d {
		for j := range d {
			if v := cov.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("gp: covariance (%d, %d) is %g; every entry must be finite", i, j, v)
			}
		}
	}
	if l, ok := latent.LowRank(g.cov); ok {
		g.values = latent.Variances(l)
		l.Apply(func(_, k int, v float64) float64 { return v / math.Sqrt(g.values[k]) }, l)
		g.basis = l
	} else if err := g.decompose(); err != nil {
		return nil, err
	}
	largest := g.values[len(g.values)-1]
	for k, v := range g.values {
		if v <= 1e-16*largest {
			continue
		}
		mode := mat.Col(nil, k, g.basis)
		floats.Scale(math.Sqrt(v), mode)
		g.root = append(g.root, mode)
	}

	hash := sha256.New()
	binary.Write(hash, binary.LittleEndian, mean)
	binary.Write(hash, binary.LittleEndian, g.cov.RawSymmetric().Data)
	g.name = fmt.Sprintf("gaussian(d=%d, %x)", d, hash.Sum(nil)[:8])
	return g, nil
}

// decompose finds all eigenvalues and eigenvectors.
func (g *Gaussian) decompose() error {
	d := len(g.mean)
	var err error
	if g.values, g.basis, err = latent.Eigen(g.cov); err != nil {
		return fmt.Errorf("gp: %w", err)
	}
	largest := g.values[d-1]
	for i, v := range g.values {
		if v < -1e-8*largest {
			return fmt.Errorf("gp: covariance has eigenvalue %g and is no covariance; check the kernel", v)
		}
		g.values[i] = max(v, 0)
	}
	return nil
}

// fits refuses a covariance of d cells whose eigendecomposition takes more memory than is free: eight
// matrices, with those of the graphs that sample from it.
func fits(d int) error {
	return machine.Fits(fmt.Sprintf("gp: the covariance of %d cells with its eigenvectors", d),
		64*float64(d)*float64(d),
		"take fewer cells, gp.NewStationary, or gmrf.Sample, which takes a line of any length")
}

// String names the prior by a digest of its mean and covariance.
func (g *Gaussian) String() string { return g.name }

// Dim returns the number of cells.
func (g *Gaussian) Dim() int { return len(g.mean) }

// Mean returns μ. Do not change it.
func (g *Gaussian) Mean() []float64 { return g.mean }

// Cov returns K. Do not change it.
func (g *Gaussian) Cov() *mat.SymDense { return g.cov }

// Draw fills x with the draw μ + U √Λ z, where z is standard normal.
func (g *Gaussian) Draw(rng *rand.Rand, x []float64) {
	copy(x, g.mean)
	for _, mode := range g.root {
		floats.AddScaled(x, rng.NormFloat64(), mode)
	}
}

// Footprint returns the memory of two d×d matrices.
func (g *Gaussian) Footprint() expfam.Footprint { return footprint(g.Dim()) }

func footprint(d int) expfam.Footprint { return expfam.Footprint{Fixed: 2 * float64(d*d)} }

// Moments returns the exact mean, (batch, d), and the exact variances. The variances are (1, d) if the whole batch
// has one noise level, else (batch, d).
func (g *Gaussian) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	gr, dtype := x.Graph(), x.DType()
	u := constant(gr, dtype, g.basis)
	lambda := row(gr, dtype, g.values)
	mu := row(gr, dtype, g.mean)
	alpha := Square(l.SqrtAlpha)
	total := Add(Mul(alpha, lambda), l.V) // (·, d)
	gain := Div(Mul(l.SqrtAlpha, lambda), total)
	coords := MatMul(Sub(x, Mul(l.SqrtAlpha, mu)), u)
	mean = Add(mu, MatMul(Mul(coords, gain), Transpose(u, 0, 1)))
	variance = MatMul(Div(Mul(lambda, l.V), total), Transpose(constant(gr, dtype, squares(g.basis)), 0, 1))
	return mean, variance
}

// Root returns U diag(√(λ v/(αλ+v))) Uᵀ z; see diffusion.Rooted.
func (g *Gaussian) Root(z *Node, l level.Nodes) *Node {
	u, lambda := constant(z.Graph(), z.DType(), g.basis), row(z.Graph(), z.DType(), g.values)
	left := Div(Mul(lambda, l.V), Add(Mul(Square(l.SqrtAlpha), lambda), l.V))
	return MatMul(Mul(MatMul(z, u), Sqrt(left)), Transpose(u, 0, 1))
}

// Coupling returns the largest eigenvalue of the correlation matrix of x₀ | x_t.
func (g *Gaussian) Coupling(sigma float64) float64 {
	d := g.Dim()
	scaled := mat.NewDense(d, len(g.values), nil)
	s2 := sigma * sigma
	for k, v := range g.values {
		w := math.Sqrt(v * s2 / (v + s2))
		for i := range d {
			scaled.Set(i, k, g.basis.At(i, k)*w)
		}
	}
	for i := range d {
		r := scaled.RawRowView(i)
		var norm float64
		for _, w := range r {
			norm = math.Hypot(norm, w)
		}
		if norm == 0 {
			continue // a cell without prior variance is coupled to no other
		}
		for k := range r {
			r[k] /= norm
		}
	}
	var svd mat.SVD
	if !svd.Factorize(scaled, mat.SVDNone) {
		return float64(d)
	}
	s := svd.Values(nil)[0]
	return s * s
}

// constant returns a matrix as a constant of a graph.
func constant(g *Graph, dtype dtypes.DType, m *mat.Dense) *Node {
	flat := mat.DenseCopyOf(m).RawMatrix()
	return ConvertDType(Const(g, tensors.FromFlatDataAndDimensions(flat.Data, flat.Rows, flat.Cols)), dtype)
}

// row returns v as a constant of a graph, (1, len(v)).
func row(g *Graph, dtype dtypes.DType, v []float64) *Node {
	return constant(g, dtype, mat.NewDense(1, len(v), v))
}

// Multiply returns K v; see [expfam.Linear].
func (g *Gaussian) Multiply(v []float64) ([]float64, bool) {
	out := mat.NewVecDense(len(v), nil)
	out.MulVec(g.cov, mat.NewVecDense(len(v), v))
	return out.RawVector().Data, true
}

// Modes returns the mean and the n modes of the largest variance, or all modes that float64 resolves if n is 0.
// Column k is √λₖ uₖ, in ascending order of the variance λₖ.
func (g *Gaussian) Modes(n int) (mean []float64, l *mat.Dense) {
	d, rank := g.Dim(), len(g.values)
	first := 0
	for first < rank-1 && g.values[first] <= 0x1p-52*float64(d)*g.values[rank-1] {
		first++
	}
	if g.values[rank-1] == 0 {
		return g.mean, nil
	}
	if n > 0 {
		first = max(first, rank-n)
	}
	l = mat.DenseCopyOf(g.basis.Slice(0, d, first, rank))
	l.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(g.values[first+k]) }, l)
	return g.mean, l
}
