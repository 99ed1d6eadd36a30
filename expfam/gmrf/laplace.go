package gmrf

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/newton"
	"github.com/expfam/lab/expfam/sparse"
)

// newtonOptions give the mode to 1e-6 standard deviations.
var newtonOptions = newton.Options{Steps: 200, Done: 1e-12, Safe: 1e-5, Armijo: 1e-4, Least: 1e-10}

// rounding is a decrement that the rounding errors of n cells may have at the mode, where no step gains.
func rounding(n int) float64 { return math.Max(1e-3, 1e-7*float64(n)) }

// laplace makes the approximation at the given hyperparameters. It finds the mode by damped Newton steps from the mode
// of near, or from the prior's mean if near is nil. The new approximation reuses the memory of near's factor.
func (m *model) laplace(ctx context.Context, at hyper, near *Approximation) (*Approximation, error) {
	return m.laplaceTo(ctx, newtonOptions.Done, at, near)
}

// rough is the decrement at which the evidence is known to a millionth.
const rough = 1e-6

// laplaceTo is laplace whose search ends at the given decrement.
func (m *model) laplaceTo(ctx context.Context, done float64, at hyper, near *Approximation) (*Approximation, error) {
	m.count(0, 1)
	m, err := m.under(at)
	if err != nil {
		return nil, err
	}
	c := m.climb(at, near)
	now := c.value(c.x, c.level, c.slope, c.present)
	if math.IsInf(now, -1) {
		return nil, fmt.Errorf("gmrf: the log-likelihood is not finite at x₀ = %g; check the data, the link and "+
			"Prior.Level", m.prior.Level)
	}
	options := newtonOptions
	options.Done = done
	if m.through != nil {
		options.Done = math.Max(done, 1e-8) // Gauss–Newton steps, for sums of intensities, converge linearly
	}
	r, err := newton.Maximise(ctx, c, now, options)
	m.count(r.Steps, 0)
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, fmt.Errorf("gmrf: %w while the field was fitted", expfam.ErrInterrupted)
	case err != nil:
		return nil, err
	case r.Decrement < rounding(len(c.x)):
	case r.End == newton.OutOfSteps:
		return nil, fmt.Errorf("gmrf: no mode after %d Newton steps at range %g and sd %g; the log-likelihood may "+
			"not be concave in x₀", r.Steps, at.length, at.sd)
	case r.End == newton.NoGain:
		return nil, fmt.Errorf("gmrf: no step gains at range %g and sd %g (decrement %g); check the link near the data",
			at.length, at.sd, r.Decrement)
	}
	return c.approximation(r.Value), nil
}

// climb is the search for the mode of (μ, x₀) at given hyperparameters. It is a [newton.Problem].
type climb struct {
	*Approximation
	at       hyper
	spectrum *spectrum
	p        []float64 // in the pattern
	sum      []float64 // P + W
	v        []float64 // P1
	memory   *sparse.Factor
	effects  float64 // Σ log(1 + τ²w), the log determinant of the effects of the nugget

	// The point that is tried, and the step that leads to it.
	trial, step           []float64
	trialLevel, levelStep float64
	// The slopes of the cells' log-likelihoods at the present point and at the trial.
	slope, trialSlope []float64
	// x + e, at which these slopes are taken, at the present point and at the trial. Unused without a nugget.
	present, trialMoved []float64
	// x₀ − μ and P(x₀ − μ) of the last call of value.
	f, pull []float64
}

// climb returns a search that starts at the mode of near, or at the prior's mean if near is nil.
func (m *model) climb(at hyper, near *Approximation) *climb {
	n := m.prior.Grid.Len()
	spectrum := m.lattice.spectrum(m.prior.Alpha, at.length)
	c := &climb{at: at, spectrum: spectrum, p: m.precision.values(spectrum, at.sd), Approximation: &Approximation{
		hyper: at, model: m, lattice: m.lattice, level: m.prior.Level, s: math.Inf(1)}}
	for _, v := range []*[]float64{&c.x, &c.h, &c.w, &c.v, &c.trial, &c.step, &c.slope, &c.trialSlope, &c.present,
		&c.trialMoved, &c.f, &c.pull} {
		*v = make([]float64, n)
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i], c.x[i] = 1, c.level
	}
	m.precision.MulVecOf(c.p, c.v, ones)
	c.sum = make([]float64, len(c.p))
	if !m.prior.KnownLevel {
		c.loose = 1 / (m.prior.LevelSD * m.prior.LevelSD)
	}
	if near != nil {
		copy(c.x, near.x)
		c.level, c.memory = near.level, near.factor
	}
	if c.memory == nil {
		c.memory = m.precision.symbolic.Factor()
	}
	return c
}

// value returns the log density of (μ, x₀) up to a constant. It writes P(x₀ − μ) into c.pull, the slopes of the cells
// into slope, and with a nugget the point x + e at which the slopes are taken into moved.
func (c *climb) value(x []float64, level float64, slope, moved []float64) float64 {
	m := c.model
	for i, xi := range x {
		c.f[i] = xi - level
	}
	m.precision.MulVecOf(c.p, c.pull, c.f)
	d := level - m.prior.Level
	place, penalty := m.move(x, c.at.nugget, moved)
	return newton.Finite(m.logLik(place, slope) - penalty - floats.Dot(c.f, c.pull)/2 - c.loose*d*d/2)
}

// Direction factorises the posterior precision P + W and solves for the step of the cells and of the level.
func (c *climb) Direction() (decrement float64, done bool, err error) {
	if err := c.informations(); err != nil {
		return 0, false, err
	}
	copy(c.sum, c.p)
	if m := c.model; m.through == nil {
		for i, w := range c.w {
			c.sum[m.precision.Start[i]] += w
		}
	} else {
		m.through.add(m.precision, c.sites, c.sum)
	}
	if c.factor = c.memory; c.factor.Refactor(c.sum) != nil {
		return 0, false, fmt.Errorf("gmrf: the posterior precision at range %g and sd %g is not positive definite; "+
			"give a shorter Range or a larger SD", c.at.length, c.at.sd)
	}
	for i := range c.step {
		c.step[i] = c.slope[i] - c.pull[i]
	}
	gradient := append([]float64(nil), c.step...)
	solve(c.factor, c.step)
	c.levelStep = 0
	if c.loose > 0 {
		copy(c.h, c.v)
		solve(c.factor, c.h)
		c.s = c.loose + floats.Dot(c.h, c.w)
		g := floats.Sum(c.pull) - c.loose*(c.level-c.model.prior.Level)
		c.levelStep = (g + floats.Dot(c.h, gradient)) / c.s
		floats.AddScaled(c.step, c.levelStep, c.h)
		decrement = g * c.levelStep
	}
	return decrement + floats.Dot(gradient, c.step), false, nil
}

// informations writes the diagonal of W into c.w: the informations −∂² of the cells' log-likelihoods with the nuggets
// integrated out. A cell whose log-likelihood is not concave has the information 0.
func (c *climb) informations() error {
	m := c.model
	c.notConcave, c.effects = 0, 0
	if c.moved = c.present; c.at.nugget == 0 {
		c.moved = c.x
	}
	if m.through != nil {
		return c.look()
	}
	m.terms.Informations(c.moved, m.obs, c.w)
	for i := range c.w {
		v := c.w[i]
		if sum := v + c.slope[i]; math.IsNaN(sum) || math.IsInf(sum, 0) {
			return fmt.Errorf("gmrf: cell %d: slope %g and information %g at x₀ = %g; check the link there",
				m.lattice.order[i], c.slope[i], v, c.moved[i])
		}
		if v < 0 {
			c.notConcave++
		}
		v = math.Max(v, 0)
		spread := c.at.nugget * c.at.nugget * v
		c.w[i] = v / (1 + spread)
		c.effects += math.Log1p(spread)
	}
	return nil
}

// Try returns the value at the present point plus size times the step.
func (c *climb) Try(size float64) float64 {
	floats.AddScaledTo(c.trial, c.x, size, c.step)
	c.trialLevel = c.level + size*c.levelStep
	return c.value(c.trial, c.trialLevel, c.trialSlope, c.trialMoved)
}

// Take makes the point that was tried the present point.
func (c *climb) Take() {
	c.x, c.trial, c.level = c.trial, c.x, c.trialLevel
	c.slope, c.trialSlope = c.trialSlope, c.slope
	c.present, c.trialMoved = c.trialMoved, c.present
}

// approximation returns Laplace's approximation at the mode, where the log density is value.
func (c *climb) approximation(value float64) *Approximation {
	a := c.Approximation
	logPrior := c.spectrum.logDet - 2*float64(len(a.x))*math.Log(c.at.sd)
	for _, s := range c.spectrum.scale {
		logPrior += 2 * math.Log(s)
	}
	a.LogEvidence = value + (logPrior-a.factor.LogDet()-c.effects)/2
	if c.loose > 0 {
		a.LogEvidence += math.Log(c.loose/a.s) / 2
	}
	return a
}
