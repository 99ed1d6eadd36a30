package hmc

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

const (
	newtonSteps = 100
	// newtonDone bounds the squared Newton decrement, twice the distance to
	// the mode in log density; whitening needs no more.
	newtonDone = 1e-10
)

// mode maximises Σⱼ log p(yⱼ | x₀ⱼ) − |z|²/2 over z, with x₀ = μ + L z, and
// factorises the Hessian I + Lᵀ Hᵀ W H L there. W holds −d²/dη² of the data's
// log-likelihoods, or 0 where they are not concave; H is the identity where every datum
// looks at its own cell. It stops where no step
// gains any more: a mode that is not exact whitens less well and leaves the
// draws as right as they were.
func mode(mean []float64, l *mat.Dense, t terms, obs expfam.Observations) ([]float64, *mat.Cholesky, error) {
	cells, rank := l.Dims()
	z := make([]float64, rank)
	slope := mat.NewVecDense(cells, nil)
	value := logPosterior(mean, l, z, t, obs, slope)
	if math.IsInf(value, -1) {
		return nil, nil, errors.New("hmc: the log-likelihood is not finite at the prior mean; check the data, the link and the prior mean")
	}
	weighted := mat.NewDense(len(obs), rank, nil)
	hessian := mat.NewSymDense(rank, nil)
	gradient, step := mat.NewVecDense(rank, nil), mat.NewVecDense(rank, nil)
	var chol mat.Cholesky
	for range newtonSteps {
		x := latent(mean, l, z)
		for j, s := range slope.RawVector().Data {
			if math.IsNaN(s) || math.IsInf(s, 0) {
				return nil, nil, fmt.Errorf("hmc: cell %d: slope %v at x₀ = %v; check the link there", j, s, x[j])
			}
		}
		rows, w := t.Precision(x, obs)
		for k, v := range w {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, nil, fmt.Errorf("hmc: datum %d: curvature %v; check the link near the data", k, -v)
			}
			row := weighted.RawRowView(k)
			clear(row)
			rows(k, func(j int, weight float64) { floats.AddScaled(row, math.Sqrt(v)*weight, l.RawRowView(j)) })
		}
		hessian.SymOuterK(1, weighted.T())
		for k := range rank {
			hessian.SetSym(k, k, hessian.At(k, k)+1)
		}
		if !chol.Factorize(hessian) {
			return nil, nil, errors.New("hmc: the Hessian of the posterior overflows; check the scale of the data, or sample with PriorWhitened")
		}
		gradient.MulVec(l.T(), slope)
		gradient.SubVec(gradient, mat.NewVecDense(rank, z))
		if err := chol.SolveVecTo(step, gradient); err != nil && !isCondition(err) {
			return nil, nil, fmt.Errorf("hmc: Newton step: %w", err)
		}
		decrement := mat.Dot(gradient, step)
		if decrement < newtonDone {
			break
		}
		gained := false
		trial, trialSlope := make([]float64, rank), mat.NewVecDense(cells, nil)
		for size := 1.0; size > 1e-8; size /= 2 {
			for k := range trial {
				trial[k] = z[k] + size*step.AtVec(k)
			}
			// Armijo's condition, with the usual small constant.
			if v := logPosterior(mean, l, trial, t, obs, trialSlope); v >= value+1e-4*size*decrement {
				z, value, slope, gained = trial, v, trialSlope, true
				break
			}
		}
		if !gained {
			break
		}
	}
	return z, &chol, nil
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
