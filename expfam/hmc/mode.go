package hmc

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/newton"
)

// newtonOptions: a decrement of 1e-10 is twice the distance to the mode in log density;
// whitening needs no more.
var newtonOptions = newton.Options{Steps: 100, Done: 1e-10, Armijo: 1e-4, Least: 1e-8}

// mode maximises log p(y | x₀) − |z|²/2 over z, with x₀ = μ + L z, and
// factorises the Hessian I + Lᵀ Hᵀ W H L there. W holds −d²/dη² of the data's
// log-likelihoods, or 0 where they are not concave; H is the identity where every datum
// looks at its own cell. It stops where no step
// gains any more: a mode that is not exact whitens less well and leaves the
// draws as right as they were.
func mode(mean []float64, l *mat.Dense, t terms, obs expfam.Observations) ([]float64, *mat.Cholesky, error) {
	cells, rank := l.Dims()
	c := &climb{mean: mean, l: l, terms: t, obs: obs,
		z: make([]float64, rank), slope: mat.NewVecDense(cells, nil),
		trial: make([]float64, rank), trialSlope: mat.NewVecDense(cells, nil),
		weighted: mat.NewDense(len(obs), rank, nil), hessian: mat.NewSymDense(rank, nil),
		gradient: mat.NewVecDense(rank, nil), step: mat.NewVecDense(rank, nil)}
	value := logPosterior(mean, l, c.z, t, obs, c.slope)
	if math.IsInf(value, -1) {
		return nil, nil, errors.New("hmc: the log-likelihood is not finite at the prior mean; check the data, the link and the prior mean")
	}
	if _, err := newton.Maximise(context.Background(), c, value, newtonOptions); err != nil {
		return nil, nil, err
	}
	return c.z, &c.chol, nil
}

// climb is the way to the mode; see [newton.Problem].
type climb struct {
	mean  []float64
	l     *mat.Dense
	terms terms
	obs   expfam.Observations

	z, trial          []float64
	slope, trialSlope *mat.VecDense
	weighted          *mat.Dense // √W H L
	hessian           *mat.SymDense
	gradient, step    *mat.VecDense
	chol              mat.Cholesky
}

// Direction factorises the Hessian and solves for the step.
func (c *climb) Direction() (decrement float64, done bool, err error) {
	x := latent(c.mean, c.l, c.z)
	for j, s := range c.slope.RawVector().Data {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return 0, false, fmt.Errorf("hmc: cell %d: slope %v at x₀ = %v; check the link there", j, s, x[j])
		}
	}
	rows, w := c.terms.Precision(x, c.obs)
	for k, v := range w {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false, fmt.Errorf("hmc: datum %d: information %v; check the link near the data", k, v)
		}
		row := c.weighted.RawRowView(k)
		clear(row)
		rows(k, func(j int, weight float64) { floats.AddScaled(row, math.Sqrt(v)*weight, c.l.RawRowView(j)) })
	}
	c.hessian.SymOuterK(1, c.weighted.T())
	for k := range c.z {
		c.hessian.SetSym(k, k, c.hessian.At(k, k)+1)
	}
	if !c.chol.Factorize(c.hessian) {
		return 0, false, errors.New("hmc: the Hessian of the posterior overflows; check the scale of the data, or sample with PriorWhitened")
	}
	c.gradient.MulVec(c.l.T(), c.slope)
	c.gradient.SubVec(c.gradient, mat.NewVecDense(len(c.z), c.z))
	if err := c.chol.SolveVecTo(c.step, c.gradient); err != nil && !isCondition(err) {
		return 0, false, fmt.Errorf("hmc: Newton step: %w", err)
	}
	return mat.Dot(c.gradient, c.step), false, nil
}

// Try is the log density of z up to a constant.
func (c *climb) Try(size float64) float64 {
	for k := range c.trial {
		c.trial[k] = c.z[k] + size*c.step.AtVec(k)
	}
	return logPosterior(c.mean, c.l, c.trial, c.terms, c.obs, c.trialSlope)
}

// Take keeps the z that was tried.
func (c *climb) Take() {
	c.z, c.trial = c.trial, c.z
	c.slope, c.trialSlope = c.trialSlope, c.slope
}

// isCondition tells a warning of gonum from a failure: a badly conditioned
// Hessian gives a poor step, which the line search notices.
func isCondition(err error) bool {
	var c mat.Condition
	return errors.As(err, &c) && !math.IsInf(float64(c), 0)
}

// logPosterior is the log density of z up to a constant, −Inf where that is
// not finite; it writes the slopes of the cells.
func logPosterior(mean []float64, l *mat.Dense, z []float64, t terms, obs expfam.Observations, slope *mat.VecDense) float64 {
	value := t.LogLikSlope(latent(mean, l, z), obs, slope.RawVector().Data)
	for _, v := range z {
		value -= v * v / 2
	}
	if math.IsNaN(value) || math.IsInf(value, 1) {
		return math.Inf(-1)
	}
	return value
}
