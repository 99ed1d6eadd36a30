package gmrf

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
)

const (
	newtonSteps = 200
	// newtonDone bounds the squared Newton decrement: the mode is known to
	// 1e-6 standard deviations.
	newtonDone = 1e-12
	newtonSafe = 1e-5
)

// laplace finds the mode by damped Newton steps, from where near was or from
// the prior's mean.
func (m *model) laplace(ctx context.Context, at hyper, near *Approximation) (*Approximation, error) {
	m.fits++
	m, err := m.under(at)
	if err != nil {
		return nil, err
	}
	n := len(m.obs)
	spectrum := m.lattice.spectrum(m.prior.Alpha, at.length)
	p := spectrum.precision(at.sd)
	v := make([]float64, n) // P1
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	blas64.Sbmv(1, p, vector(ones), 0, vector(v))
	loose := 0.0 // 1/LevelSD²
	if m.prior.LevelSD > 0 {
		loose = 1 / (m.prior.LevelSD * m.prior.LevelSD)
	}

	a := &Approximation{hyper: at, model: m, lattice: m.lattice, x: make([]float64, n), level: m.prior.Level, h: make([]float64, n), s: math.Inf(1)}
	for i := range a.x {
		a.x[i] = a.level
	}
	var memory []float64
	if near != nil {
		copy(a.x, near.x)
		a.level, memory = near.level, near.u.Data
	}
	if len(memory) != len(p.Data) {
		memory = make([]float64, len(p.Data))
	}
	slope, trialSlope := make([]float64, n), make([]float64, n)
	moved, trialMoved := make([]float64, n), make([]float64, n)
	f, pull := make([]float64, n), make([]float64, n)
	// value is the log density of (μ, x₀) up to a constant; it leaves P(x₀ − μ)
	// in pull, the slopes of the cells in slope, and what these are taken at in moved.
	value := func(x []float64, level float64, slope, moved []float64) float64 {
		for i, xi := range x {
			f[i] = xi - level
		}
		blas64.Sbmv(1, p, vector(f), 0, vector(pull))
		d := level - m.prior.Level
		place, penalty := m.move(x, at.nugget, moved)
		out := m.terms.LogLikSlope(place, m.obs, slope) - penalty - floats.Dot(f, pull)/2 - loose*d*d/2
		if math.IsNaN(out) || math.IsInf(out, 1) {
			return math.Inf(-1)
		}
		return out
	}
	now := value(a.x, a.level, slope, moved)
	if math.IsInf(now, -1) {
		return nil, fmt.Errorf("gmrf: the log-likelihood is not finite at x₀ = %g; check the data, the link and Prior.Level", m.prior.Level)
	}
	a.w = make([]float64, n)
	effects := 0.0 // log determinant of those of the nugget
	w, step, trial := a.w, make([]float64, n), make([]float64, n)
	for count := 0; ; count++ {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("gmrf: %w while the field was fitted", expfam.ErrInterrupted)
		}
		a.notConcave, effects = 0, 0
		if a.moved = moved; at.nugget == 0 {
			a.moved = a.x
		}
		m.terms.Curvatures(a.moved, m.obs, w)
		for i := range w {
			c := -w[i]
			if sum := c + slope[i]; math.IsNaN(sum) || math.IsInf(sum, 0) {
				return nil, fmt.Errorf("gmrf: cell %d: slope %g and curvature %g at x₀ = %g; check the link there", m.lattice.order[i], slope[i], -c, a.moved[i])
			}
			if c < 0 {
				a.notConcave++
			}
			c = math.Max(c, 0)
			spread := at.nugget * at.nugget * c
			w[i] = c / (1 + spread)
			effects += math.Log1p(spread)
		}
		var ok bool
		if a.u, ok = factor(p, w, memory); !ok {
			return nil, fmt.Errorf("gmrf: the posterior precision at range %g and sd %g is not positive definite; give a shorter Range or a larger SD", at.length, at.sd)
		}
		for i := range step {
			step[i] = slope[i] - pull[i]
		}
		decrement := 0.0
		gradient := append([]float64(nil), step...)
		solve(a.u, step)
		levelStep := 0.0
		if loose > 0 {
			copy(a.h, v)
			solve(a.u, a.h)
			a.s = loose + floats.Dot(a.h, w)
			g := floats.Sum(pull) - loose*(a.level-m.prior.Level)
			levelStep = (g + floats.Dot(a.h, gradient)) / a.s
			floats.AddScaled(step, levelStep, a.h)
			decrement = g * levelStep
		}
		decrement += floats.Dot(gradient, step)
		if decrement < newtonDone {
			break
		}
		if count == newtonSteps {
			return nil, fmt.Errorf("gmrf: no mode after %d Newton steps at range %g and sd %g; the log-likelihood may not be concave in x₀", count, at.length, at.sd)
		}
		m.newton++
		gained := false
		for size := 1.0; size > 1e-10; size /= 2 {
			floats.AddScaledTo(trial, a.x, size, step)
			level := a.level + size*levelStep
			// Armijo's condition; where little is left to gain, rounding hides it
			// and Newton's step is safe.
			then := value(trial, level, trialSlope, trialMoved)
			if then >= now+1e-4*size*decrement || decrement < newtonSafe && !math.IsInf(then, -1) {
				a.x, trial, slope, trialSlope, moved, trialMoved = trial, a.x, trialSlope, slope, trialMoved, moved
				a.level, now, gained = level, then, true
				break
			}
		}
		if !gained {
			return nil, fmt.Errorf("gmrf: no step gains at range %g and sd %g (decrement %g); check the link near the data", at.length, at.sd, decrement)
		}
	}
	logPrior := spectrum.logDet - 2*float64(n)*math.Log(at.sd)
	for _, s := range spectrum.scale {
		logPrior += 2 * math.Log(s)
	}
	a.LogEvidence = now + (logPrior-logDet(a.u)-effects)/2
	if loose > 0 {
		a.LogEvidence += math.Log(loose/a.s) / 2
	}
	return a, nil
}
