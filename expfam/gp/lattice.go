package gp

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/columns"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/level"
)

// Lattice is a Gaussian field on Rows × Cols cells, row after row, whose covariance
// is diagonal in products of an orthonormal basis of the rows and one of the columns:
//
//	x₀ = μ + A Z Bᵀ,  Z_{kl} ~ N(0, λ_{kl}) independent.
//
// Two kinds of fields have this form: fields whose kernel is a product of a kernel of rows and a kernel of columns, and
// Matérn fields that reflect at the edges (gmrf.Prior.Field). Denoising is exact at every noise level, as for
// [Gaussian]. It takes four products with A and B instead of two products with a matrix of all cells, so grids may be
// of any size.
type Lattice struct {
	level        float64
	along, cross *mat.Dense // A and B, whose columns are the basis vectors
	values       *mat.Dense // λ
	name         string
}

// NewLattice returns the field with orthonormal bases A (rows × rows) and B (cols × cols), variances λ (rows ×
// cols), and the mean μ of every cell.
func NewLattice(level float64, along, cross, values *mat.Dense) (*Lattice, error) {
	rows, cols := values.Dims()
	for _, b := range []struct {
		basis *mat.Dense
		n     int
	}{{along, rows}, {cross, cols}} {
		var gram mat.Dense
		if r, c := b.basis.Dims(); r != b.n || c != b.n {
			return nil, fmt.Errorf("gp: a basis of %d×%d for a side of %d cells; it must be square", r, c, b.n)
		}
		gram.Mul(b.basis.T(), b.basis)
		for i := range b.n {
			gram.Set(i, i, gram.At(i, i)-1)
		}
		if off := mat.Norm(&gram, math.Inf(1)); !(off < 1e-8) {
			return nil, fmt.Errorf("gp: a basis of %d cells is off orthonormal by %g; normalise its columns", b.n, off)
		}
	}
	hash := sha256.New()
	binary.Write(hash, binary.LittleEndian, level)
	for _, m := range []*mat.Dense{along, cross, values} {
		binary.Write(hash, binary.LittleEndian, mat.DenseCopyOf(m).RawMatrix().Data)
	}
	l := &Lattice{level: level, along: along, cross: cross, values: values}
	for _, v := range values.RawMatrix().Data {
		if !(v >= 0) || math.IsInf(v+level, 0) || math.IsNaN(level) {
			return nil, fmt.Errorf("gp: a lattice of mean %g has a variance of %g; both must be finite and none "+
				"negative", level, v)
		}
	}
	l.name = fmt.Sprintf("lattice(%dx%d, mean=%.4g, %x)", rows, cols, level, hash.Sum(nil)[:8])
	return l, nil
}

// String names the prior by its size, mean and a digest of its mean and covariance.
func (l *Lattice) String() string { return l.name }

// Dim returns the number of cells.
func (l *Lattice) Dim() int { r, c := l.values.Dims(); return r * c }

// Draw fills x with one draw of the field.
func (l *Lattice) Draw(rng *rand.Rand, x []float64) {
	z := make([]float64, len(x))
	for k, v := range l.values.RawMatrix().Data {
		z[k] = math.Sqrt(v) * rng.NormFloat64()
	}
	l.transform().Synthesise(x, z)
	floats.AddConst(l.level, x)
}

// Mean returns the mean of every cell.
func (l *Lattice) Mean() []float64 { return slices.Repeat([]float64{l.level}, l.Dim()) }

// Multiply returns K v, where K is the covariance; see [expfam.Linear].
func (l *Lattice) Multiply(v []float64) ([]float64, bool) {
	z, out, t := make([]float64, len(v)), make([]float64, len(v)), l.transform()
	t.Analyse(z, v)
	floats.Mul(z, l.values.RawMatrix().Data)
	t.Synthesise(out, z)
	return out, true
}

// Variance returns the variance of every cell.
func (l *Lattice) Variance() []float64 {
	var half, out mat.Dense
	half.Mul(squares(l.along), l.values)
	out.Mul(&half, squares(l.cross).T())
	return out.RawMatrix().Data
}

// squares returns the squares of the entries of m.
func squares(m *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.MulElem(m, m)
	return &out
}

// Footprint estimates the memory. Its fixed part is the two bases and their squares.
func (l *Lattice) Footprint() expfam.Footprint {
	rows, cols := l.values.Dims()
	return expfam.Footprint{Fixed: 2 * float64(rows*rows+cols*cols), Draw: 12 * float64(rows*cols)}
}

// Moments returns the exact mean, (batch, d), and the exact variances. The variances are (1, d) if the whole batch
// has one noise level, else (batch, d). With Y = Aᵀ(x_t − √α μ)B the mean is μ + A (√α λ/(αλ+v) Y) Bᵀ.
func (l *Lattice) Moments(x *Node, n level.Nodes) (mean, variance *Node) {
	g, dtype := x.Graph(), x.DType()
	side := func(m *mat.Dense) *Node { return constant(g, dtype, m) }
	lambda := row(g, dtype, l.values.RawMatrix().Data)
	total := Add(Mul(Square(n.SqrtAlpha), lambda), n.V)
	a, b := side(l.along), side(l.cross)
	coords := both(Sub(x, MulScalar(n.SqrtAlpha, l.level)), Transpose(a, 0, 1), b)
	mean = AddScalar(both(Mul(coords, Div(Mul(n.SqrtAlpha, lambda), total)), a, Transpose(b, 0, 1)), l.level)
	spread := Div(Mul(lambda, n.V), total)
	return mean, both(spread, side(squares(l.along)), Transpose(side(squares(l.cross)), 0, 1))
}

// both returns the product left X right for every draw X of the batch. x is (batch, rows·cols).
func both(x, left, right *Node) *Node {
	batch, rows, cols := x.Shape().Dimensions[0], left.Shape().Dimensions[0], right.Shape().Dimensions[0]
	x = Reshape(MatMul(Reshape(x, batch*rows, cols), right), batch, rows, cols)
	x = Reshape(Transpose(x, 1, 2), batch*cols, rows)
	x = Reshape(MatMul(x, Transpose(left, 0, 1)), batch, cols, rows)
	return Reshape(Transpose(x, 1, 2), batch, rows*cols)
}

// Lattice returns the sides of the grid; see [expfam.Lattice].
func (l *Lattice) Lattice() (rows, cols int) { return l.values.Dims() }

// mostModes is the largest number of cells of a lattice whose modes are returned all at once.
const mostModes = 2048

// Modes returns the mean and the n modes of the largest variance, products of a column of each basis,
// in ascending order of their variances. If n is 0 it returns all modes of up to 2048 cells, and none of more.
func (l *Lattice) Modes(n int) (mean []float64, modes *mat.Dense) {
	rows, cols := l.values.Dims()
	if n == 0 && rows*cols > mostModes {
		return l.Mean(), nil
	}
	values := l.values.RawMatrix().Data
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	least := 0x1p-52 * float64(len(values)) * values[order[len(order)-1]]
	for len(order) > 0 && values[order[0]] <= least {
		order = order[1:]
	}
	if n > 0 && n < len(order) {
		order = order[len(order)-n:]
	}
	if len(order) == 0 {
		return l.Mean(), nil
	}
	modes = mat.NewDense(len(values), len(order), nil)
	for k, i := range order {
		root := math.Sqrt(values[i])
		for r := range rows {
			a := root * l.along.At(r, i/cols)
			for c := range cols {
				modes.Set(r*cols+c, k, a*l.cross.At(c, i%cols))
			}
		}
	}
	return l.Mean(), modes
}

// Spectrum returns the mean, the variances λ, and the transform x = A Z Bᵀ; see [expfam.Spectral].
func (l *Lattice) Spectrum() (mean, variances []float64, transform func() latent.Transform) {
	return l.Mean(), l.values.RawMatrix().Data, l.transform
}

func (l *Lattice) transform() latent.Transform {
	rows, cols := l.values.Dims()
	return &latticeTransform{rows: rows, cols: cols, along: flat(l.along), cross: flat(l.cross),
		across: flat(l.cross.T()), half: columns.Rows(make([]float64, rows*cols), cols)}
}

// flat returns m with its rows one after another.
func flat(m mat.Matrix) columns.Matrix {
	dense := mat.DenseCopyOf(m).RawMatrix()
	return columns.Rows(dense.Data, dense.Cols)
}

// latticeTransform is the transform of a lattice, with work space: A, B and Bᵀ.
type latticeTransform struct {
	rows, cols                 int
	along, cross, across, half columns.Matrix
}

// Synthesise writes A Z Bᵀ to x.
func (t *latticeTransform) Synthesise(x, z []float64) { t.multiply(x, t.along, z, t.across) }

// Analyse writes Aᵀ X B to z.
func (t *latticeTransform) Analyse(z, x []float64) { t.multiply(z, t.along.T(), x, t.cross) }

// multiply writes left × of × right to out.
func (t *latticeTransform) multiply(out []float64, left columns.Matrix, of []float64, right columns.Matrix) {
	clear(t.half.Data)
	clear(out)
	columns.MulAdd(1, t.half, left, columns.Rows(of, t.cols), t.rows, t.rows, t.cols)
	columns.MulAdd(1, columns.Rows(out, t.cols), t.half, right, t.rows, t.cols, t.cols)
}
