package hmc

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// logLik is a log-likelihood of x₀ with its slopes, and with the rows of H and weights W of −∂² log p ≈ Hᵀ W H.
type logLik interface {
	LogLikSlope(x, slope []float64) float64
	Precision(x []float64) (rows func(k int, visit func(cell int, weight float64)), w []float64)
}

// root returns the Cholesky factor L of K + εI, a smooth function of K. ε is at least 16 times the rounding errors:
// smooth kernels have no factor without it.
func root(cov *mat.SymDense) (*mat.Dense, error) {
	n, trace := cov.SymmetricDim(), mat.Trace(cov)
	if math.IsNaN(trace) || math.IsInf(trace, 0) {
		return nil, fmt.Errorf("the covariance of the prior has the trace %g; give finite numbers", trace)
	}
	if trace <= 0 {
		return nil, errors.New("the covariance of the prior is 0; give a positive sd")
	}
	for epsilon := 16 * 0x1p-52 * trace; epsilon < 1e-6*trace; epsilon *= 10 {
		shifted := mat.NewSymDense(n, nil)
		shifted.CopySym(cov)
		for i := range n {
			shifted.SetSym(i, i, cov.At(i, i)+epsilon)
		}
		if upper, ok := lapack64.Potrf(shifted.RawSymmetric()); ok { // without the condition number of mat.Cholesky
			l := mat.NewDense(n, n, nil)
			for i := range n {
				for j := range i + 1 {
					l.Set(i, j, upper.Data[j*upper.Stride+i])
				}
			}
			return l, nil
		}
	}
	return nil, errors.New("the covariance of the prior is not positive semidefinite; check the kernel")
}

// at returns μ + L z.
func at(mean []float64, l *mat.Dense, z []float64) []float64 {
	var x mat.VecDense
	x.MulVec(l, mat.NewVecDense(len(z), z))
	floats.Add(x.RawVector().Data, mean)
	return x.RawVector().Data
}

// whitened are coordinates w of z = ẑ + R⁻¹w in which the posterior of z is near N(0, I): ẑ is the mode, and RᵀR the
// negative Hessian there.
type whitened struct {
	mode []float64
	r    *mat.TriDense
}

// whiten finds the mode of log p(y | μ + L z) − |z|²/2 by damped Newton steps.
func whiten(mean []float64, l *mat.Dense, data logLik) (*whitened, error) {
	cells, rank := l.Dims()
	w := &whitened{mode: make([]float64, rank), r: new(mat.TriDense)}
	slope := make([]float64, cells)
	value := func(z []float64) float64 { return data.LogLikSlope(at(mean, l, z), slope) - floats.Dot(z, z)/2 }
	now := value(w.mode)
	if math.IsNaN(now) || math.IsInf(now, 0) {
		return nil, errors.New("the log-likelihood is not finite at the prior mean; check the data, the link and the " +
			"prior mean")
	}
	for range 100 {
		for j, s := range slope {
			if math.IsNaN(s) || math.IsInf(s, 0) {
				return nil, fmt.Errorf("cell %d: slope %v; check the link there", j, s)
			}
		}
		var chol mat.Cholesky
		hessian, err := hessian(mean, l, w.mode, data)
		if err != nil {
			return nil, err
		}
		if !chol.Factorize(hessian) {
			return nil, errors.New("the Hessian of the posterior overflows; check the scale of the data")
		}
		chol.UTo(w.r)
		gradient, step := mat.NewVecDense(rank, nil), mat.NewVecDense(rank, nil)
		gradient.MulVec(l.T(), mat.NewVecDense(cells, slope))
		gradient.SubVec(gradient, mat.NewVecDense(rank, w.mode))
		_ = chol.SolveVecTo(step, gradient) // a badly conditioned step is a poor one, which the search notices
		decrement, moved := mat.Dot(gradient, step), false
		for size := 1.; decrement > 1e-10 && size > 1e-8 && !moved; size /= 2 {
			to := make([]float64, rank)
			floats.AddScaledTo(to, w.mode, size, step.RawVector().Data)
			if next := value(to); next >= now+1e-4*size*decrement && !math.IsInf(next, 1) {
				w.mode, now, moved = to, next, true
			}
		}
		if !moved {
			break
		}
	}
	return w, nil
}

// hessian returns I + Lᵀ Hᵀ W H L at z.
func hessian(mean []float64, l *mat.Dense, z []float64, data logLik) (*mat.SymDense, error) {
	_, rank := l.Dims()
	rows, weights := data.Precision(at(mean, l, z))
	h := mat.NewSymDense(rank, nil)
	var flat []float64 // √W H L, of the data that have an information
	for k, v := range weights {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("datum %d: information %v; check the link near the data", k, v)
		}
		if v > 0 {
			row := make([]float64, rank)
			rows(k, func(j int, weight float64) { floats.AddScaled(row, math.Sqrt(v)*weight, l.RawRowView(j)) })
			flat = append(flat, row...)
		}
	}
	if len(flat) > 0 {
		h.SymOuterK(1, mat.NewDense(len(flat)/rank, rank, flat).T())
	}
	for k := range rank {
		h.SetSym(k, k, h.At(k, k)+1)
	}
	return h, nil
}

// place returns z at coordinates.
func (w *whitened) place(u []float64) []float64 {
	z := slices.Clone(u)
	w.solve(blas.NoTrans, z)
	floats.Add(z, w.mode)
	return z
}

// pull replaces a gradient in z by the one in the coordinates.
func (w *whitened) pull(gradient []float64) { w.solve(blas.Trans, gradient) }

// solve replaces b by R⁻¹b, or by R⁻ᵀb. Solve of package mat computes the same, and after it a condition number,
// which takes longer than the solution.
func (w *whitened) solve(transpose blas.Transpose, b []float64) {
	blas64.Trsm(blas.Left, transpose, 1, w.r.RawTriangular(), blas64.General{Rows: len(b), Cols: 1, Stride: 1, Data: b})
}
