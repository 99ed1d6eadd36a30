package gp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/newton"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// mode returns the mode x̂, with J and √W at the mode, and the number of Newton steps. Newton's method runs in the
// coordinates a of x = μ + K a (Rasmussen & Williams 2006, algorithm 3.1).
func (s *Stationary) mode(ctx context.Context, forward *expfam.Forward, obs expfam.Observations) (x []float64,
	look *sparse.Matrix, root []float64, steps int, err error) {
	fail := func(err error) ([]float64, *sparse.Matrix, []float64, int, error) { return nil, nil, nil, 0, err }
	if err := forward.Check(obs); err != nil {
		return fail(fmt.Errorf("gp: laplace: %w", err))
	}
	c := &climb{s: s, torus: newTorus(2*s.Rows, 2*s.Cols), forward: forward, obs: obs, tolerance: 1e-10, done: 1e-7}
	if !forward.Linear() {
		// These steps leave out the curvature of the link, so they converge linearly and not quadratically.
		c.tolerance, c.done = 1e-7, 1e-5
	}
	for _, v := range []*[]float64{&c.a, &c.trial, &c.f, &c.x, &c.slope, &c.b, &c.image} {
		*v = make([]float64, s.Dim())
	}
	for _, v := range []*[]float64{&c.root, &c.right} {
		*v = make([]float64, len(obs))
	}
	now := c.value(c.a)
	if math.IsInf(now, -1) {
		return fail(fmt.Errorf("gp: laplace: the log-likelihood is not finite at x₀ = %g; check the data and the link",
			s.Level))
	}
	r, err := newton.Maximise(ctx, c, now, newton.Options{Steps: 100, Slack: 1e-9, Least: 1e-8})
	switch {
	case ctx.Err() != nil:
		return fail(fmt.Errorf("gp: %w while the mode was sought", expfam.ErrInterrupted))
	case err != nil:
		return fail(err)
	case r.End == newton.OutOfSteps:
		return fail(errors.New("gp: laplace: no mode after 100 Newton steps; the log-likelihood may not be concave " +
			"in x₀"))
	case r.End == newton.NoGain: // what is left to gain is below rounding; back to the point a
		c.value(c.a)
	}
	return c.x, c.look, c.root, r.Steps, nil
}

// climb is the search for the mode, with a as its present point; see [newton.Problem].
type climb struct {
	s       *Stationary
	torus   *torus
	forward *expfam.Forward
	obs     expfam.Observations

	a, trial, step  []float64
	f, x, slope     []float64      // K a, x and the slopes of the log-likelihood, all at the last call of value
	b, image        []float64      // Jᵀ W J f + slope, and K b
	look            *sparse.Matrix // J, the Jacobian of η with respect to x₀
	root, right     []float64      // √W and work space, one entry per datum
	tolerance, done float64        // of conjugate gradients, and of the relative change in a
}

// value returns the log posterior density at a up to a constant. It writes f, x and slope.
func (c *climb) value(a []float64) float64 {
	c.s.multiply(c.torus, a, c.f)
	for j, v := range c.f {
		c.x[j] = c.s.Level + v
	}
	return newton.Finite(c.forward.LogLikSlope(c.x, c.obs, c.slope) - floats.Dot(a, c.f)/2)
}

// sites computes J and √W at x, and writes Jᵀ W J f + slope to b.
func (c *climb) sites() {
	rows, w := c.forward.Precision(c.x, c.obs)
	c.look = sparse.New(len(c.obs), len(c.x), rows)
	c.look.MulVec(c.right, c.f)
	for k, v := range w {
		c.root[k] = math.Sqrt(v)
		c.right[k] *= v
	}
	c.look.MulTransVec(c.b, c.right)
	floats.Add(c.b, c.slope)
}

// Direction computes the Newton step by algorithm 3.1. The climb is done when no entry of a changes any more. The
// decrement would cost a product with K, so it is left 0. With it 0, every step that gains is taken.
func (c *climb) Direction() (decrement float64, done bool, err error) {
	c.sites()
	c.s.multiply(c.torus, c.b, c.image)
	c.look.MulVec(c.right, c.image)
	floats.Mul(c.right, c.root)
	u, err := c.s.solve(c.torus, c.look, c.root, c.right, c.tolerance)
	if err != nil {
		return 0, false, err
	}
	floats.Mul(u, c.root)
	c.step = make([]float64, len(c.a))
	c.look.MulTransVec(c.step, u)
	var largest float64 // entry of the step
	for j, v := range c.step {
		c.step[j] = c.b[j] - v - c.a[j]
		largest = max(largest, math.Abs(c.step[j]))
	}
	return 0, largest < c.done*(1+floats.Norm(c.a, math.Inf(1))), nil
}

// Try returns the value at a plus size times the step.
func (c *climb) Try(size float64) float64 {
	floats.AddScaledTo(c.trial, c.a, size, c.step)
	return c.value(c.trial)
}

// Take makes the point that was tried the present one.
func (c *climb) Take() { c.a, c.trial = c.trial, c.a }
