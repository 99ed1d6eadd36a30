package latent

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/newton"
)

// climb finds the mode ẑ of a [ModeTarget] by Newton's method with conjugate gradients. The mode need not be exact:
// what the coordinates are about changes no posterior.
func (m *ModeTarget) climb(ctx context.Context) error {
	c := &modeTargetClimb{m: m, t: m.Transform()}
	for _, v := range []*[]float64{&c.z, &c.trial, &c.step, &c.gradient} {
		*v = make([]float64, m.Rank())
	}
	for _, v := range []*[]float64{&c.x, &c.slope, &c.cells} {
		*v = make([]float64, m.Cells())
	}
	value := c.value(c.z)
	if math.IsInf(value, -1) {
		return errNotFinite
	}
	_, err := newton.Maximise(ctx, c, value, newton.Options{Steps: 100, Done: 1e-3, Armijo: 1e-4, Least: 1e-8})
	m.mode = c.z
	return err
}

// modeTargetClimb is the search for the mode, with z as its present point; see [newton.Problem].
type modeTargetClimb struct {
	m                        *ModeTarget
	t                        Transform
	z, trial, step, gradient []float64 // by mode
	x, slope, cells          []float64 // by cell, at the last call of value
}

// value returns the log density at z up to a constant, or −Inf where it is not finite. It writes x and the slope.
func (c *modeTargetClimb) value(z []float64) float64 {
	c.m.latent(c.t, z, c.x)
	return newton.Finite(c.m.data.LogLikSlope(c.x, c.slope) - floats.Dot(z, z)/2)
}

// Direction solves P d = g for the Newton step d, with P = I + √λ Tᵀ Hᵀ W H T √λ and the gradient g. It uses conjugate
// gradients preconditioned by the diagonal of P.
func (c *modeTargetClimb) Direction() (decrement float64, done bool, err error) {
	c.value(c.z)
	if err := checkSlope(c.slope, c.x); err != nil {
		return 0, false, err
	}
	c.t.Analyse(c.gradient, c.slope)
	floats.Mul(c.gradient, c.m.root)
	floats.Sub(c.gradient, c.z)
	rows, w := c.m.data.Precision(c.x)
	diagonal := c.m.informations(c.t, rows, w)
	for k, v := range diagonal {
		diagonal[k] = 1 + v*c.m.Variances[k]
	}
	product := func(out, v []float64) {
		floats.MulTo(out, c.m.root, v)
		seen := make([]float64, len(c.x))
		c.t.Synthesise(seen, out)
		clear(c.cells)
		for k, wk := range w {
			var eta float64
			rows(k, func(j int, weight float64) { eta += weight * seen[j] })
			rows(k, func(j int, weight float64) { c.cells[j] += wk * eta * weight })
		}
		c.t.Analyse(out, c.cells)
		floats.Mul(out, c.m.root)
		floats.Add(out, v)
	}
	n := len(c.z)
	r, p, image, shaped := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	clear(c.step)
	copy(r, c.gradient)
	floats.DivTo(shaped, r, diagonal)
	copy(p, shaped)
	rho := floats.Dot(r, shaped)
	const tolerance, most = 1e-6, 300 // of the squared norm of the residual
	for limit, i := tolerance*rho, 0; rho > limit && i < most; i++ {
		product(image, p)
		length := rho / floats.Dot(p, image)
		floats.AddScaled(c.step, length, p)
		floats.AddScaled(r, -length, image)
		floats.DivTo(shaped, r, diagonal)
		next := floats.Dot(r, shaped)
		floats.AddScaledTo(p, shaped, next/rho, p)
		rho = next
	}
	return floats.Dot(c.gradient, c.step), false, nil
}

// Try returns the value at z plus size times the step.
func (c *modeTargetClimb) Try(size float64) float64 {
	floats.AddScaledTo(c.trial, c.z, size, c.step)
	return c.value(c.trial)
}

// Take makes the point that was tried the present one.
func (c *modeTargetClimb) Take() { c.z, c.trial = c.trial, c.z }
