package gmrf

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/newton"
)

// target is the exact posterior of level, field and effects of cells at given hyperparameters, in coordinates in which
// Laplace's approximation is N(0, I). In the notation of [Approximation] they are (a, z, v) with
//
//	μ = μ̂ + a/√S,  f + μ = x̂ + h (μ − μ̂) + L⁻ᵀz,  x₀ = x̂₀ + g (f + μ − x̂) + s v.
//
// The last equation holds with a nugget τ: effects follow the field by g = 1/(1 + τ²w), and s² = τ²g.
type target struct {
	*Approximation
	p              []float64 // in the pattern
	spectrum       *spectrum
	model          *model // with ρ in its likelihood
	weighted       weighted
	follow, spread []float64 // g and s; nil without a nugget
}

// target returns the posterior at a point of the hyperparameters. The search for the mode starts at near.
func (m *model) target(c *Approximation, point weighted) (*target, error) {
	under, err := m.under(point.hyper)
	if err != nil {
		return nil, err
	}
	t := &target{Approximation: c, model: under, weighted: point}
	t.spectrum = m.lattice.spectrum(m.prior.Alpha, point.hyper.length)
	t.p = m.precision.values(t.spectrum, point.hyper.sd)
	if sd := point.hyper.nugget; sd > 0 {
		t.follow, t.spread = make([]float64, len(c.x)), make([]float64, len(c.x))
		for i, w := range c.w { // w is the information with the effect integrated out
			t.follow[i] = 1 - sd*sd*w
			t.spread[i] = sd * math.Sqrt(t.follow[i])
		}
	}
	return t, nil
}

// dims returns the number of coordinates.
func (t *target) dims() int { return 1 + len(t.x) + len(t.spread) }

// state is a point of the posterior: level, field and x₀ (which is the field without a nugget).
type state struct {
	level    float64
	field, x []float64
}

// clone returns a copy of s.
func (s state) clone() state {
	return state{s.level, append([]float64(nil), s.field...), append([]float64(nil), s.x...)}
}

// add moves s by step times a direction in the coordinates of the target.
func (t *target) add(s *state, step float64, u []float64) {
	n := len(t.x)
	z := make([]float64, n)
	t.factor.Backward(z, append([]float64(nil), u[1:1+n]...))
	if t.loose > 0 {
		by := u[0] / math.Sqrt(t.s)
		s.level += step * by
		floats.AddScaled(z, by, t.h)
	}
	floats.AddScaled(s.field, step, z)
	if t.spread == nil {
		copy(s.x, s.field)
		return
	}
	for i, v := range u[1+n:] {
		s.x[i] += step * (t.follow[i]*z[i] + t.spread[i]*v)
	}
}

// logDensity returns the log density at s up to a constant of the hyperparameters, and writes its gradient in the
// coordinates.
func (t *target) logDensity(s state, gradient []float64) float64 {
	n := len(t.x)
	m := t.model
	slope, pull, off := make([]float64, n), make([]float64, n), make([]float64, n)
	logp := m.logLik(s.x, slope)
	for i, v := range s.field {
		off[i] = v - s.level
	}
	t.model.precision.MulVecOf(t.p, pull, off)
	d := s.level - m.prior.Level
	logp -= floats.Dot(off, pull)/2 + t.loose*d*d/2
	z := gradient[1 : 1+n]
	if t.spread == nil {
		floats.SubTo(z, slope, pull)
	} else {
		precision := 1 / (t.hyper.nugget * t.hyper.nugget)
		for i, v := range s.x {
			e := (v - s.field[i]) * precision
			logp -= e * (v - s.field[i]) / 2
			z[i] = t.follow[i]*(slope[i]-e) + e - pull[i]
			gradient[1+n+i] = t.spread[i] * (slope[i] - e)
		}
	}
	gradient[0] = 0
	if t.loose > 0 {
		gradient[0] = (floats.Dot(t.h, z) + floats.Sum(pull) - t.loose*d) / math.Sqrt(t.s)
	}
	t.factor.Forward(z, append([]float64(nil), z...))
	return newton.Finite(logp)
}

// logPrior returns the log prior density of s and of the hyperparameters, up to a constant that all hyperparameters
// have in common. The density of s is one of the level, the field and the effects.
func (t *target) logPrior(s state) float64 {
	n := len(t.x)
	off, pull := make([]float64, n), make([]float64, n)
	for i, v := range s.field {
		off[i] = v - s.level
	}
	t.model.precision.MulVecOf(t.p, pull, off)
	out := t.weighted.logPrior + t.spectrum.logDet/2 - float64(n)*math.Log(t.hyper.sd) - floats.Dot(off, pull)/2
	for _, v := range t.spectrum.scale {
		out += math.Log(v)
	}
	if sd := t.hyper.nugget; sd > 0 {
		out -= float64(n) * math.Log(sd)
		for i, v := range s.x {
			e := (v - s.field[i]) / sd
			out -= e * e / 2
		}
	}
	return out
}
