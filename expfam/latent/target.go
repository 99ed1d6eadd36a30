package latent

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/columns"
	"github.com/expfam/lab/expfam/internal/newton"
)

// Target is the posterior of x₀ in the coordinates u of x₀ = x̂ + A u. Its log density is
//
//	log p(u | y) = log p(y | x₀) − |z|²/2 + const,  z = ẑ + M u,
//
// where x₀ = μ + L z and L Lᵀ = K. It is whitened by the Laplace approximation: ẑ is the mode, and M Mᵀ is the inverse
// of the negative Hessian there. Then u is near N(0, I), however informative the data are.
type Target struct {
	data    Data
	mean    []float64      // μ
	root    blas64.General // L, whose columns are orthogonal
	values  []float64      // the squared lengths of the columns of L: the prior variances of its modes
	mode    []float64      // ẑ
	centre  []float64      // x̂
	along   columns.Matrix // A = L M, (cells, rank)
	offset  []float64      // Mᵀ ẑ
	square  columns.Matrix // Mᵀ M
	hessian *mat.TriDense  // R with RᵀR = (M Mᵀ)⁻¹ and R = M⁻¹
}

// ByLaplace returns the target whitened by the Laplace approximation at the mode. Its errors have no name of a package.
func ByLaplace(mean []float64, l *mat.Dense, data Data) (*Target, error) {
	z, chol, err := Mode(mean, l, data)
	if err != nil {
		return nil, err
	}
	return byHessian(mean, l, data, z, chol), nil
}

// byHessian returns the target whitened about z by the Cholesky factor of a negative Hessian in z.
func byHessian(mean []float64, l *mat.Dense, data Data, z []float64, chol *mat.Cholesky) *Target {
	cells, rank := l.Dims()
	// The negative Hessian is Uᵀ U, and M = U⁻¹.
	var u mat.TriDense
	chol.UTo(&u)
	whiten := mat.NewDense(rank, rank, nil)
	for k := range rank {
		whiten.Set(k, k, 1)
	}
	inverse := columns.Rows(whiten.RawMatrix().Data, rank)
	columns.SolveUpper(columns.Rows(u.RawTriangular().Data, rank), inverse.Data, rank, rank)
	along, offset := columns.Rows(make([]float64, cells*rank), rank), mat.NewVecDense(rank, nil)
	columns.MulAdd(1, along, columns.Rows(l.RawMatrix().Data, l.RawMatrix().Stride), inverse, cells, rank, rank)
	square := mat.NewSymDense(rank, nil)
	columns.AddGram(columns.Rows(square.RawSymmetric().Data, rank), inverse, rank, rank)
	offset.MulVec(whiten.T(), mat.NewVecDense(rank, z))
	return &Target{
		data:    data,
		mean:    mean,
		root:    l.RawMatrix(),
		values:  Variances(l),
		mode:    z,
		centre:  Latent(mean, l, z),
		along:   along,
		offset:  offset.RawVector().Data,
		square:  columns.Rows(mat.DenseCopyOf(square).RawMatrix().Data, rank),
		hessian: &u,
	}
}

// Variances returns the squared lengths of the columns of L, which are the prior variances of its modes.
func Variances(l *mat.Dense) []float64 {
	_, rank := l.Dims()
	values := make([]float64, rank)
	for k := range values {
		norm := mat.Norm(l.ColView(k), 2)
		values[k] = norm * norm
	}
	return values
}

// Latent returns μ + L z.
func Latent(mean []float64, l *mat.Dense, z []float64) []float64 {
	var x mat.VecDense
	x.MulVec(l, mat.NewVecDense(len(z), z))
	x.AddVec(&x, mat.NewVecDense(len(mean), mean))
	return x.RawVector().Data
}

// LogScale returns log |M| − |ẑ|²/2. With it p(y) = ∫ exp(f(u) + LogScale) du/(2π)^(rank/2) for the log density f of
// [Target.Density].
func (t *Target) LogScale() float64 {
	var sum float64
	for _, v := range t.mode {
		sum -= v * v / 2
	}
	for k := range t.mode {
		sum -= math.Log(math.Abs(t.hessian.At(k, k)))
	}
	return sum
}

// LogEvidence returns the Laplace approximation of log p(y).
func (t *Target) LogEvidence() float64 {
	return t.data.LogLikSlope(t.centre, make([]float64, len(t.centre))) + t.LogScale()
}

// Rank returns the number of coordinates u.
func (t *Target) Rank() int { return len(t.mode) }

// Cells returns the number of cells of x₀.
func (t *Target) Cells() int { return len(t.mean) }

// Place writes x₀ = x̂ + A u to the x, for columns u.
func (t *Target) Place(u []float64, x ...[]float64) {
	k := len(x)
	t.place(u, make([]float64, t.Cells()*k), x)
}

// place is Place with work space.
func (t *Target) place(u, cells []float64, x [][]float64) {
	k := len(x)
	for i, v := range t.centre {
		for c := range k {
			cells[i*k+c] = v
		}
	}
	columns.MulAdd(1, columns.Rows(cells, k), t.along, columns.Rows(u, k), t.Cells(), t.Rank(), k)
	split(x, cells)
}

// Density returns the log density of u, with work space of its own.
func (t *Target) Density() Density {
	var cells, linear []float64
	var x, slopes [][]float64
	return func(u, gradient, logp []float64) {
		k := len(logp)
		if len(x) != k {
			cells, linear = make([]float64, t.Cells()*k), make([]float64, k)
			x, slopes = many(k, t.Cells()), many(k, t.Cells())
		}
		sloped := gradient != nil
		if !sloped {
			gradient = make([]float64, len(u))
		}
		t.place(u, cells, x)
		// First the gradient of −|z|²/2 = −|ẑ|²/2 − offset·u − uᵀ square u/2.
		clear(linear)
		for i, v := range t.offset {
			for c := range k {
				gradient[i*k+c] = -v
				linear[c] -= v * u[i*k+c]
			}
		}
		columns.MulAdd(-1, columns.Rows(gradient, k), t.square, columns.Rows(u, k), t.Rank(), t.Rank(), k)
		dots(logp, u, gradient)
		for c := range k {
			logp[c] = newton.Finite(t.data.LogLikSlope(x[c], slopes[c]) + (logp[c]+linear[c])/2)
		}
		if !sloped {
			return
		}
		join(cells, slopes)
		columns.MulAdd(1, columns.Rows(gradient, k), t.along.T(), columns.Rows(cells, k), t.Rank(), t.Cells(), k)
	}
}

// many returns k slices of n numbers.
func many(k, n int) [][]float64 {
	all := make([][]float64, k)
	for c := range all {
		all[c] = make([]float64, n)
	}
	return all
}

// split writes columns, which stand beside each other, to slices of their own.
func split(x [][]float64, beside []float64) {
	k := len(x)
	for c, x := range x {
		for i := range x {
			x[i] = beside[i*k+c]
		}
	}
}

// join writes slices to columns beside each other.
func join(beside []float64, x [][]float64) {
	k := len(x)
	for c, x := range x {
		for i, v := range x {
			beside[i*k+c] = v
		}
	}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
