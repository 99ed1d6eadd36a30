package latent

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/columns"
	"github.com/expfam/lab/expfam/internal/newton"
)

// newtonOptions bounds the search for the mode. The decrement is twice the distance to the mode in log density, and
// whitening needs no more than 1e-10.
var newtonOptions = newton.Options{Steps: 100, Done: 1e-10, Armijo: 1e-4, Least: 1e-8}

// Mode maximises log p(y | x₀) − |z|²/2 over z, with x₀ = μ + L z. It returns the mode and the Cholesky factor of the
// negative Hessian there, I + Lᵀ Hᵀ W H L. W holds −d²/dη² of the log-likelihood of each datum, or 0 where it is not
// concave. H is the operator of the data, the identity if every datum depends on its own cell. The search stops
// where no step gains any more. An inexact mode whitens less well, but the draws remain draws from the posterior.
func Mode(mean []float64, l *mat.Dense, data Data) ([]float64, *mat.Cholesky, error) {
	c, value, err := newClimb(mean, l, data)
	if err != nil {
		return nil, nil, err
	}
	if _, err := newton.Maximise(context.Background(), c, value, newtonOptions); err != nil {
		return nil, nil, err
	}
	return c.z, &c.chol, nil
}

var (
	errNotFinite = errors.New("the log-likelihood is not finite at the prior mean; check the data, the link and the " +
		"prior mean")
	errOverflow = errors.New("the Hessian of the posterior overflows; check the scale of the data")
)

// newClimb returns the search from z = 0 on, and the log density there.
func newClimb(mean []float64, l *mat.Dense, data Data) (*climb, float64, error) {
	cells, rank := l.Dims()
	c := &climb{mean: mean, l: l, data: data, z: make([]float64, rank), slope: mat.NewVecDense(cells, nil),
		trial: make([]float64, rank), trialSlope: mat.NewVecDense(cells, nil), gradient: mat.NewVecDense(rank, nil),
		step: mat.NewVecDense(rank, nil)}
	value := logPosterior(mean, l, c.z, data, c.slope)
	if math.IsInf(value, -1) {
		return nil, 0, errNotFinite
	}
	return c, value, nil
}

// climb is the search for the mode, with z as its present point; see [newton.Problem].
type climb struct {
	mean []float64
	l    *mat.Dense
	data Data

	z, trial          []float64
	slope, trialSlope *mat.VecDense
	gradient, step    *mat.VecDense
	chol              mat.Cholesky
}

// Direction factorises the negative Hessian and solves for the Newton step.
func (c *climb) Direction() (decrement float64, done bool, err error) {
	x := Latent(c.mean, c.l, c.z)
	if err := checkSlope(c.slope.RawVector().Data, x); err != nil {
		return 0, false, err
	}
	rows, w := c.data.Precision(x)
	if err := factorise(&c.chol, c.l, rows, w); err != nil {
		return 0, false, err
	}
	c.gradient.MulVec(c.l.T(), c.slope)
	c.gradient.SubVec(c.gradient, mat.NewVecDense(len(c.z), c.z))
	if err := c.chol.SolveVecTo(c.step, c.gradient); err != nil && !isCondition(err) {
		return 0, false, fmt.Errorf("the step of Newton: %w", err)
	}
	return mat.Dot(c.gradient, c.step), false, nil
}

// checkSlope refuses a slope at x that is not finite.
func checkSlope(slope, x []float64) error {
	for j, s := range slope {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("cell %d: slope %v at x₀ = %v; check the link there", j, s, x[j])
		}
	}
	return nil
}

// factorise finds the Cholesky factor of a [Hessian].
func factorise(chol *mat.Cholesky, l *mat.Dense, rows func(k int, visit func(cell int, weight float64)),
	w []float64) error {
	hessian, err := Hessian(l, rows, w)
	if err != nil {
		return err
	}
	upper, rank := hessian.RawSymmetric().Data, hessian.SymmetricDim()
	if !columns.Cholesky(columns.Rows(upper, rank), rank) {
		return errOverflow
	}
	chol.SetFromU(mat.NewTriDense(rank, mat.Upper, upper))
	return nil
}

// Hessian returns I + Lᵀ Hᵀ W H L for the rows of H and the weights W of [Data].Precision.
func Hessian(l *mat.Dense, rows func(k int, visit func(cell int, weight float64)), w []float64) (*mat.SymDense, error) {
	_, rank := l.Dims()
	var flat []float64 // √W H L, a row for each datum of positive weight
	for k, v := range w {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("datum %d: information %v; check the link near the data", k, v)
		}
		if v == 0 {
			continue
		}
		flat = append(flat, make([]float64, rank)...)
		row := flat[len(flat)-rank:]
		rows(k, func(j int, weight float64) { floats.AddScaled(row, math.Sqrt(v)*weight, l.RawRowView(j)) })
	}
	h := mat.NewSymDense(rank, nil)
	columns.AddGram(columns.Rows(h.RawSymmetric().Data, rank), columns.Rows(flat, rank), len(flat)/rank, rank)
	for k := range rank {
		h.SetSym(k, k, h.At(k, k)+1)
	}
	return h, nil
}

// Try returns the log density, up to a constant, at z plus size times the step.
func (c *climb) Try(size float64) float64 {
	for k := range c.trial {
		c.trial[k] = c.z[k] + size*c.step.AtVec(k)
	}
	return logPosterior(c.mean, c.l, c.trial, c.data, c.trialSlope)
}

// Take makes the point that was tried the present one.
func (c *climb) Take() {
	c.z, c.trial = c.trial, c.z
	c.slope, c.trialSlope = c.trialSlope, c.slope
}

// isCondition reports whether an error of gonum is only a warning of bad conditioning. A badly conditioned Hessian
// gives a poor step, which the line search notices.
func isCondition(err error) bool {
	var c mat.Condition
	return errors.As(err, &c) && !math.IsInf(float64(c), 0)
}

// logPosterior returns the log density of z up to a constant, or −Inf where it is not finite. It writes the
// derivatives of the log-likelihood in x₀ to slope.
func logPosterior(mean []float64, l *mat.Dense, z []float64, data Data, slope *mat.VecDense) float64 {
	value := data.LogLikSlope(Latent(mean, l, z), slope.RawVector().Data)
	for _, v := range z {
		value -= v * v / 2
	}
	return newton.Finite(value)
}
