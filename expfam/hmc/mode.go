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

// newtonOptions bounds the search for the mode. The decrement is twice the distance to the mode in log density, and
// whitening needs no more than 1e-10.
var newtonOptions = newton.Options{Steps: 100, Done: 1e-10, Armijo: 1e-4, Least: 1e-8}

// mode maximises log p(y | x₀) − |z|²/2 over z, with x₀ = μ + L z. It returns the mode and the Cholesky factor of the
// negative Hessian there, I + Lᵀ Hᵀ W H L. W holds −d²/dη² of the log-likelihood of each datum, or 0 where it is not
// concave. H is the operator of the data, the identity if every datum depends on its own cell. The search stops
// where no step gains any more. An inexact mode whitens less well, but the draws remain draws from the posterior.
func mode(mean []float64, l *mat.Dense, t terms, obs expfam.Observations) ([]float64, *mat.Cholesky, error) {
	cells, rank := l.Dims()
	c := &climb{mean: mean, l: l, terms: t, obs: obs,
		z: make([]float64, rank), slope: mat.NewVecDense(cells, nil),
		trial: make([]float64, rank), trialSlope: mat.NewVecDense(cells, nil),
		weighted: mat.NewDense(len(obs), rank, nil), hessian: mat.NewSymDense(rank, nil),
		gradient: mat.NewVecDense(rank, nil), step: mat.NewVecDense(rank, nil)}
	value := logPosterior(mean, l, c.z, t, obs, c.slope)
	if math.IsInf(value, -1) {
		return nil, nil, errors.New("hmc: the log-likelihood is not finite at the prior mean; check the data, the " +
			"link and the prior mean")
	}
	if _, err := newton.Maximise(context.Background(), c, value, newtonOptions); err != nil {
		return nil, nil, err
	}
	return c.z, &c.chol, nil
}

// climb is the search for the mode, with z as its present point; see [newton.Problem].
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

// Direction factorises the negative Hessian and solves for the Newton step.
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
		return 0, false, errors.New("hmc: the Hessian of the posterior overflows; check the scale of the data, or " +
			"sample with PriorWhitened")
	}
	c.gradient.MulVec(c.l.T(), c.slope)
	c.gradient.SubVec(c.gradient, mat.NewVecDense(len(c.z), c.z))
	if err := c.chol.SolveVecTo(c.step, c.gradient); err != nil && !isCondition(err) {
		return 0, false, fmt.Errorf("hmc: Newton step: %w", err)
	}
	return mat.Dot(c.gradient, c.step), false, nil
}

// Try returns the log density, up to a constant, at z plus size times the step.
func (c *climb) Try(size float64) float64 {
	for k := range c.trial {
		c.trial[k] = c.z[k] + size*c.step.AtVec(k)
	}
	return logPosterior(c.mean, c.l, c.trial, c.terms, c.obs, c.trialSlope)
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
func logPosterior(mean []float64, l *mat.Dense, z []float64, t terms, obs expfam.Observations,
	slope *mat.VecDense) float64 {
	value := t.LogLikSlope(latent(mean, l, z), obs, slope.RawVector().Data)
	for _, v := range z {
		value -= v * v / 2
	}
	if math.IsNaN(value) || math.IsInf(value, 1) {
		return math.Inf(-1)
	}
	return value
}
