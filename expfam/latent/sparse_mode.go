package latent

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/newton"
	"github.com/expfam/lab/expfam/sparse"
)

// sparseOptions are those of the search for the mode, without [Sparse.Done].
var sparseOptions = newton.Options{Steps: 100, Safe: 1e-5, Armijo: 1e-4, Slack: 1e-12, Least: 1e-9}

// Mode finds the mode of the nodes for values of the field's unknown numbers, and Laplace's approximation there. The
// search starts at the best of the nodes near, or at 0 if there are none.
func (s *Sparse) Mode(ctx context.Context, values []float64, data Data, near ...[]float64) (*Around, error) {
	c, now, err := s.climb(values, data, near)
	if err != nil {
		return nil, err
	}
	options := sparseOptions
	options.Done = s.Done
	r, err := newton.Maximise(ctx, c, now, options)
	switch {
	case err != nil:
		return nil, err
	case r.End != newton.Converged && r.Decrement > math.Max(1e-3, 1e-7*float64(s.Nodes())):
		return nil, fmt.Errorf("no mode after %d Newton steps (decrement %.3g); the log-likelihood may not be concave",
			r.Steps, r.Decrement)
	}
	a := c.around(r.Value, r.Steps+1)
	a.evidence += r.Decrement / 2 // the gain of the step that is not taken
	return a, nil
}

// close is the squared distance from the mode, in posterior standard deviations, from which [Sparse.About] takes its
// last step.
const close = 0.1

// About is Mode without its last factorisations: it ends after a step that was short. Densities of its coordinates are
// as exact as those of Mode, which are only nearer to N(0, I). Its evidence is less exact.
func (s *Sparse) About(values []float64, data Data, near ...[]float64) (*Around, error) {
	c, now, err := s.climb(values, data, near)
	if err != nil {
		return nil, err
	}
	for steps := range sparseOptions.Steps {
		decrement, _, err := c.Direction()
		if err != nil {
			return nil, err
		}
		if next := c.Try(1); decrement < close && next > now-close {
			c.Take()
			return c.around(next, steps+1), nil
		}
		gained := false
		for size := 1.0; size > sparseOptions.Least && !gained; size /= 2 {
			if next := c.Try(size); next >= now+sparseOptions.Armijo*size*decrement {
				c.Take()
				now, gained = next, true
			}
		}
		if !gained {
			return c.around(now, steps+1), nil
		}
	}
	return nil, fmt.Errorf("no mode after %d Newton steps; the log-likelihood may not be concave", sparseOptions.Steps)
}

// climb returns the search for the mode from the best of near on, and the log density there.
func (s *Sparse) climb(values []float64, data Data, near [][]float64) (*sparseClimb, float64, error) {
	p, err := s.field.at(values)
	if err != nil {
		return nil, 0, err
	}
	n := s.Nodes()
	c := &sparseClimb{Sparse: s, data: data, prior: p, numbers: s.symbolic.Factor(),
		value: make([]float64, len(s.pattern.Row))}
	for _, v := range []*[]float64{&c.u, &c.trial, &c.pull, &c.trialPull, &c.step, &c.gradient, &c.work} {
		*v = make([]float64, n)
	}
	cells := len(s.field.Rows)
	for _, v := range []*[]float64{&c.x, &c.trialX, &c.slope, &c.trialSlope} {
		*v = make([]float64, cells)
	}
	now := math.Inf(-1)
	for _, u := range near {
		copy(c.trial, u)
		if v := c.at(c.trial, c.trialX, c.trialSlope, c.trialPull); v > now {
			c.Take()
			now = v
		}
	}
	if math.IsInf(now, -1) {
		clear(c.u)
		now = c.at(c.u, c.x, c.slope, c.pull)
	}
	if math.IsInf(now, -1) {
		return nil, 0, errNotFinite
	}
	return c, now, nil
}

// around returns the approximation around the present point, where the log density is value.
func (c *sparseClimb) around(value float64, factors int) *Around {
	a := &Around{Factors: factors, model: c.Sparse, data: c.data, prior: c.prior, precision: c.precision, Mode: c.u,
		curvature: newCurvature(c.rows, c.w), x: c.x, slope: c.slope, rest: make([]float64, len(c.u))}
	a.evidence = value + (c.prior.logDet-c.precision.logDet)/2
	a.scale = (c.prior.logDet-c.precision.logDet)/2 - floats.Dot(c.u, c.pull)/2
	c.field.Pull(a.rest, c.slope)
	floats.Sub(a.rest, c.pull)
	return a
}

// sparseClimb is the search for the mode of a [Sparse]. It is a [newton.Problem].
type sparseClimb struct {
	*Sparse
	data      Data
	prior     *prior
	numbers   *sparse.Factor
	value     []float64 // of the pattern
	precision *wide
	rows      func(k int, visit func(cell int, weight float64)) // of the data, and their weights, in the precision
	w         []float64

	u, trial, pull, trialPull, step, gradient, work []float64 // of the nodes
	x, trialX, slope, trialSlope                    []float64 // of the cells
}

// at returns the log density of nodes u up to a constant. It writes x₀, the slopes there, and (Q + V C Vᵀ) u.
func (c *sparseClimb) at(u, x, slope, pull []float64) float64 {
	c.field.Place(u, x)
	v := c.data.LogLikSlope(x, slope)
	c.prior.multiply(u, pull, 1)
	return newton.Finite(v - floats.Dot(u, pull)/2)
}

// Direction solves for the Newton step.
func (c *sparseClimb) Direction() (decrement float64, done bool, err error) {
	rows, w := c.data.Precision(c.x)
	for k, v := range w {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false, fmt.Errorf("datum %d: information %g; check the link there", k, v)
		}
	}
	clear(c.value)
	for e, at := range c.from {
		c.value[at] = c.prior.q[e]
	}
	weights := c.weights(c.prior.c, c.value)
	c.information(c.value, rows, w)
	c.rows, c.w = rows, w
	if err := c.numbers.Refactor(c.value); err != nil {
		return 0, false, fmt.Errorf("%w; %w", errIndefinite, err)
	}
	if c.precision, err = newWide(c.numbers, c.columns, weights); err != nil {
		return 0, false, err
	}
	c.field.Pull(c.gradient, c.slope)
	floats.Sub(c.gradient, c.pull)
	copy(c.step, c.gradient)
	c.precision.solve(c.step, c.work)
	if decrement = floats.Dot(c.gradient, c.step); math.IsNaN(decrement) {
		return 0, false, fmt.Errorf("the slope of the log-likelihood is not finite; check the link near the data")
	}
	return decrement, false, nil
}

// Try implements [newton.Problem].
func (c *sparseClimb) Try(size float64) float64 {
	floats.AddScaledTo(c.trial, c.u, size, c.step)
	return c.at(c.trial, c.trialX, c.trialSlope, c.trialPull)
}

// Take implements [newton.Problem].
func (c *sparseClimb) Take() {
	c.u, c.trial = c.trial, c.u
	c.x, c.trialX = c.trialX, c.x
	c.slope, c.trialSlope = c.trialSlope, c.slope
	c.pull, c.trialPull = c.trialPull, c.pull
}
