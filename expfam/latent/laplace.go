package latent

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/columns"
	"github.com/expfam/lab/expfam/internal/newton"
)

// Laplace is the Laplace approximation of a posterior under the prior N(mean, K).
type Laplace struct {
	LogEvidence float64   // of the data
	a           []float64 // the mode is mean + K a
}

const (
	// A covariance whose rank is at most the number of cells over lowRank has the cheaper way to the mode by its root.
	lowRank = 5
	// near is the decrement from which a search that gains no more is not at the mode.
	near = 1e-6
)

// LaplaceOf finds it as [Mode] does, by the same Newton steps. A covariance of low rank has a root of few columns.
// Under others the systems are those of the data in place of the modes: with the rows H and weights W of the data,
//
//	B = I + √W H K Hᵀ √W,  a = b − Hᵀ√W B⁻¹ √W H K b,  b = Hᵀ W H (x₀ − μ) + ∇ log p(y | x₀),
//
// and the step leads to x₀ = μ + K a (Rasmussen & Williams 2006, algorithm 3.1). A step takes a third of the cube of
// the data for rows of few cells, where [Mode] takes twice the cube of the cells.
func LaplaceOf(mean []float64, cov *mat.SymDense, data Data) (Laplace, error) {
	if root, ok := pivoted(cov, len(mean)/lowRank); ok {
		c, value, err := newClimb(mean, root, data)
		if err != nil {
			return Laplace{}, err
		}
		r, err := newton.Maximise(context.Background(), c, value, newtonOptions)
		if err != nil || r.Decrement < near { // the slope is a at the mode alone
			return Laplace{LogEvidence: r.Value - c.chol.LogDet()/2, a: c.slope.RawVector().Data}, err
		}
	}
	n := len(mean)
	c := &dataClimb{mean: mean, cov: mat.DenseCopyOf(cov), data: data, slope: make([]float64, n),
		trialSlope: make([]float64, n), step: make([]float64, n), across: make([]float64, n)}
	value := newton.Finite(data.LogLikSlope(mean, c.slope))
	if math.IsInf(value, -1) {
		return Laplace{}, errNotFinite
	}
	c.a, c.x, c.trial, c.trialX = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	r, err := newton.Maximise(context.Background(), c, value, newtonOptions)
	return Laplace{LogEvidence: r.Value - c.logRoot, a: c.a}, err
}

// Target returns the posterior whitened by the approximation, with L Lᵀ = K.
func (a Laplace) Target(mean []float64, l *mat.Dense, data Data) (*Target, error) {
	var z mat.VecDense
	z.MulVec(l.T(), mat.NewVecDense(len(a.a), a.a))
	mode := z.RawVector().Data
	rows, w := data.Precision(Latent(mean, l, mode))
	var chol mat.Cholesky
	if err := factorise(&chol, l, rows, w); err != nil {
		return nil, err
	}
	return byHessian(mean, l, data, mode, &chol), nil
}

// dataClimb is a climb with systems of the size of the data; see [newton.Problem].
type dataClimb struct {
	mean []float64
	cov  *mat.Dense // both triangles
	data Data

	a, x, slope               []float64 // the present point, K a and the slope of the log-likelihood there
	trial, trialX, trialSlope []float64
	step, across              []float64 // of a, and K times it
	logRoot                   float64   // log √|B|
}

// entry is the weight of a cell in a row.
type entry struct {
	cell   int
	weight float64
}

// Direction solves for the Newton step.
func (c *dataClimb) Direction() (decrement float64, done bool, err error) {
	x := make([]float64, len(c.x))
	floats.AddTo(x, c.mean, c.x)
	if err := checkSlope(c.slope, x); err != nil {
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
	b := append([]float64(nil), c.slope...)
	across := make([][]float64, len(h)) // the rows of √W H K
	for i, row := range h {
		across[i] = make([]float64, cells)
		inner := 0.0
		for _, e := range row {
			inner += e.weight * c.x[e.cell]
			floats.AddScaled(across[i], e.weight, c.cov.RawRowView(e.cell))
		}
		for _, e := range row {
			b[e.cell] += e.weight * inner
		}
	}
	system, right := columns.Rows(make([]float64, len(h)*len(h)), len(h)), make([]float64, len(h))
	for m, own := range across {
		right[m] = floats.Dot(own, b)
		for i, row := range h[m:] {
			for _, e := range row {
				system.Data[m*len(h)+m+i] += e.weight * own[e.cell]
			}
		}
		system.Data[m*len(h)+m]++
	}
	if !columns.Cholesky(system, len(h)) {
		return 0, false, errOverflow
	}
	c.logRoot = 0
	for i := range h {
		c.logRoot += math.Log(system.Data[i*len(h)+i])
	}
	columns.SolveLower(system.T(), right, len(h), 1)
	columns.SolveUpper(system, right, len(h), 1)
	for i, row := range h {
		for _, e := range row {
			b[e.cell] -= e.weight * right[i]
		}
	}
	floats.SubTo(c.step, b, c.a)
	blas64.Gemv(blas.NoTrans, 1, c.cov.RawMatrix(), vector(c.step), 0, vector(c.across))
	return floats.Dot(c.slope, c.across) - floats.Dot(c.a, c.across), false, nil
}

// Try returns the log density, up to a constant, at a plus size times the step.
func (c *dataClimb) Try(size float64) float64 {
	floats.AddScaledTo(c.trial, c.a, size, c.step)
	floats.AddScaledTo(c.trialX, c.x, size, c.across)
	x := make([]float64, len(c.x))
	floats.AddTo(x, c.mean, c.trialX)
	return newton.Finite(c.data.LogLikSlope(x, c.trialSlope) - floats.Dot(c.trial, c.trialX)/2)
}

// Take makes the point that was tried the present one.
func (c *dataClimb) Take() {
	c.a, c.trial, c.x, c.trialX = c.trial, c.a, c.trialX, c.x
	c.slope, c.trialSlope = c.trialSlope, c.slope
}
