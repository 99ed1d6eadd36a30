package latent

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/newton"
)

// Laplace is the Laplace approximation of a posterior under the prior N(mean, cov) with cov = L Lᵀ.
type Laplace struct {
	LogEvidence float64 // of the data
	z           []float64
}

// LaplaceOf finds it as [Mode] does, by the same Newton steps, whose systems are those of the data in place of the
// modes: with the rows H and weights W of the data,
//
//	B = I + √W H K Hᵀ √W,  a = b − Hᵀ√W B⁻¹ √W H K b,  b = Hᵀ W H (x₀ − μ) + ∇ log p(y | x₀),
//
// and the step leads to z = Lᵀ a (Rasmussen & Williams 2006, algorithm 3.1). A step takes a third of the cube of the
// data for rows of few cells, where [Mode] takes twice the cube of the cells.
func LaplaceOf(mean []float64, cov *mat.SymDense, l *mat.Dense, data Data) (Laplace, error) {
	start, value, err := newClimb(mean, l, data)
	if err != nil {
		return Laplace{}, err
	}
	c := &dataClimb{climb: start, cov: cov.RawSymmetric()}
	r, err := newton.Maximise(context.Background(), c, value, newtonOptions)
	return Laplace{LogEvidence: r.Value - c.logRoot, z: c.z}, err
}

// Target returns the posterior whitened by the approximation.
func (a Laplace) Target(mean []float64, l *mat.Dense, data Data) (*Target, error) {
	rows, w := data.Precision(Latent(mean, l, a.z))
	var chol mat.Cholesky
	if err := factorise(&chol, l, rows, w); err != nil {
		return nil, err
	}
	return byHessian(mean, l, data, a.z, &chol)
}

// dataClimb is a climb with systems of the size of the data.
type dataClimb struct {
	*climb
	cov     blas64.Symmetric
	logRoot float64 // log √|B|
}

// entry is the weight of a cell in a row.
type entry struct {
	cell   int
	weight float64
}

// Direction solves for the Newton step.
func (c *dataClimb) Direction() (decrement float64, done bool, err error) {
	x := Latent(c.mean, c.l, c.z)
	if err := checkSlope(c.slope.RawVector().Data, x); err != nil {
		return 0, false, err
	}
	rows, weights := c.data.Precision(x)
	cells := len(x)
	var h [][]entry // the rows of √W H, of data of positive weight
	for k, w := range weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return 0, false, errors.New("the information of a datum is not finite; check the link near the data")
		}
		if w > 0 {
			var row []entry
			rows(k, func(j int, v float64) { row = append(row, entry{j, math.Sqrt(w) * v}) })
			h = append(h, row)
		}
	}
	floats.Sub(x, c.mean)
	b := append([]float64(nil), c.slope.RawVector().Data...)
	across := make([][]float64, len(h)) // the rows of √W H K
	for i, row := range h {
		across[i] = make([]float64, cells)
		inner := 0.0
		for _, e := range row {
			inner += e.weight * x[e.cell]
			for n := range e.cell { // the covariance has its upper triangle
				across[i][n] += e.weight * c.cov.Data[n*c.cov.Stride+e.cell]
			}
			floats.AddScaled(across[i][e.cell:], e.weight,
				c.cov.Data[e.cell*c.cov.Stride+e.cell:e.cell*c.cov.Stride+cells])
		}
		for _, e := range row {
			b[e.cell] += e.weight * inner
		}
	}
	system, right := blas64.Symmetric{N: len(h), Stride: max(1, len(h)), Uplo: blas.Upper,
		Data: make([]float64, len(h)*len(h))}, make([]float64, len(h))
	for i, row := range h {
		right[i] = floats.Dot(across[i], b)
		for m := range i + 1 {
			var v float64
			for _, e := range row {
				v += e.weight * across[m][e.cell]
			}
			system.Data[m*system.Stride+i] = v
		}
		system.Data[i*system.Stride+i]++
	}
	c.logRoot = 0
	if len(h) > 0 {
		upper, ok := lapack64.Potrf(system)
		if !ok {
			return 0, false, errOverflow
		}
		for i := range h {
			c.logRoot += math.Log(upper.Data[i*upper.Stride+i])
		}
		lapack64.Potrs(upper, blas64.General{Rows: len(h), Cols: 1, Stride: 1, Data: right})
		for i, row := range h {
			for _, e := range row {
				b[e.cell] -= e.weight * right[i]
			}
		}
	}
	z := mat.NewVecDense(len(c.z), c.z)
	c.gradient.MulVec(c.l.T(), c.slope)
	c.gradient.SubVec(c.gradient, z)
	c.step.MulVec(c.l.T(), mat.NewVecDense(cells, b))
	c.step.SubVec(c.step, z)
	return mat.Dot(c.gradient, c.step), false, nil
}
