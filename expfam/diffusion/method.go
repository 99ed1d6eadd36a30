package diffusion

import (
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// Method is a sampling scheme: it says how the reverse diffusion is discretised.
type Method interface {
	// String names the scheme with its options. Keys of stored results contain it, and the numbers of all steps.
	String() string
	// Steps returns the whole trajectory, from pure noise to the draw.
	Steps() []Step
}

// Step is one update of every draw. D is the guided estimate of x₀ at Level, D' the
// estimate of the step before, and z is standard normal. The update is
//
//	x ← A x + B D + C D' + S z.
//
// This form includes exponential integrators, Euler–Maruyama, multistep solvers and
// returns to a higher noise level. A step with SNR > 0 is a Langevin corrector instead.
type Step struct {
	Level      level.Level // of x before the step
	A, B, C, S float64     // S is not negative
	// SNR is the signal-to-noise ratio r of a corrector step (Song et al. 2021, Algorithm 5): x ← x + ε·score + √(2ε)
	// z, ε = 2 (r |z|/|score|)². The norms are averages over the draws of a batch. If each draw had its own norms, the
	// length of its step would depend on its state, which widens the result.
	SNR float64
	// Clip bounds every entry of the total score; 0 is no bound.
	Clip float64
	// Spread is the standard deviation of independent noise that is added to every cell, in units of the standard
	// deviation s of x₀ given x_t and the cell's own datum. √(S² + Spread² s²) then takes the place of S.
	Spread float64 `store:"omitzero"`
	// Light makes [Quadrature] take one step of conjugate gradients where it would take up to three. Precise
	// data that need more than three steps keep them.
	Light bool `store:"omitzero"`
	// Skew is the weight, from 0 to 1, of the third cumulants of x₀ | x_t in D. [Quadrature] has third cumulants for
	// data that look at one cell each. For more than 128 cells it then takes two steps of conjugate gradients in place
	// of three. Under other guidances Skew has no effect. Behind operators that join cells it has none either, because
	// third cumulants add up evidences as if they were independent: signals behind running sums diverged.
	Skew float64 `store:"omitzero"`
	// Drawn makes D a draw of x₀ | x_t, y in place of its mean. The guidance must then be a [Drawer].
	Drawn bool `store:"omitzero"`
}

// ends reports whether the step replaces x by D.
func (s Step) ends() bool {
	return s.A == 0 && s.B == 1 && s.C == 0 && s.S == 0 && s.SNR == 0 && s.Spread == 0
}

// draws reports whether the step ends with a draw of x₀.
func (s Step) draws() bool { return s.ends() && s.Drawn }

// kind is a kind of step. All steps of one kind run on one graph.
type kind int

const (
	affine    kind = iota // moves by the mean of x₀ | x_t, y
	skewed                // moves by the mean, with third cumulants
	light                 // moves by the mean, with fewer products
	drawn                 // moves by a draw of x₀ | x_t, y
	corrector             // a Langevin step
	kinds                 // the number of kinds
)

func (s Step) kind() kind {
	switch {
	case s.SNR > 0:
		return corrector
	case s.Drawn:
		return drawn
	case s.Light:
		return light
	case s.Skew > 0:
		return skewed
	}
	return affine
}

// of returns the guidance in a step of the kind. In a light step [Quadrature] takes one step of conjugate gradients.
func (k kind) of(guidance Guidance) Guidance {
	if q, ok := guidance.(Quadrature); ok && k == light && !q.Independent && q.Steps <= defaultSteps {
		q.Steps = 1
		return q
	}
	return guidance
}

// in reports whether a trajectory has steps of a kind.
func (k kind) in(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.kind() == k })
}

// stepsOf returns the trajectory of a method, or an error that says why it cannot be run.
func stepsOf(m Method) ([]Step, error) {
	if m, ok := m.(expfam.Checker); ok {
		if err := m.Check(); err != nil {
			return nil, err
		}
	}
	steps := m.Steps()
	if len(steps) == 0 {
		return nil, fmt.Errorf("sample: %v has no steps; give it at least one", m)
	}
	for i, s := range steps {
		sum := s.A + s.B + s.C + s.S + s.SNR + s.Clip + s.Spread + s.Skew
		if l := s.Level; !(l.SqrtAlpha > 0 && l.V > 0) || math.IsNaN(sum) || math.IsInf(sum, 0) || s.S < 0 ||
			s.SNR < 0 || s.Clip < 0 || s.Spread < 0 || s.Skew < 0 || s.Skew > 1 {
			return nil, fmt.Errorf("sample: step %d of %v is %+v; its level must be above 0, its numbers finite, "+
				"S, SNR, Clip and Spread not negative, and Skew from 0 to 1", i+1, m, s)
		}
		if s.Drawn && (s.SNR > 0 || s.Clip > 0 || s.C != 0 || s.Spread > 0 || s.Light || s.Skew > 0) {
			return nil, fmt.Errorf("sample: step %d of %v is %+v; a drawn step has no SNR, no Clip, no Spread, no "+
				"Skew, is not Light and has no part of the estimate before it", i+1, m, s)
		}
	}
	return steps, nil
}

// trajectory returns the steps of a method. It sets Skew to 0 where third cumulants are 0 (a Linear prior) or have no
// effect (guidances other than [Quadrature], operators that join cells). A refined method has no third cumulants either
// if the steps before, which are nil for the first, had none.
func (m *model) trajectory(method Method, guidance Guidance, before []Step) ([]Step, error) {
	steps, err := stepsOf(method)
	linear := m.linear()
	_, asked := guidance.(Quadrature)
	if err != nil || asked && !linear && m.forward.Separate() && (before == nil || skewed.in(before)) {
		return steps, err
	}
	steps = slices.Clone(steps) // a method of the user's may keep its own
	for i := range steps {
		steps[i].Skew = 0
	}
	return steps, nil
}

// endOf returns the lowest noise level of a trajectory, or the noise S of its last step if that step adds noise.
func endOf(steps []Step) float64 {
	end := math.Inf(1)
	if last := steps[len(steps)-1]; last.S > 0 {
		return last.S
	}
	for _, s := range steps {
		end = min(end, s.Level.Sigma())
	}
	return end
}

// checkFinalLevel refuses a prior that is too wide or too narrow for the noise levels of a trajectory. The arguments
// sd, mean and product are the largest s, |m| and s (s + |m|) at the first step. At pure noise the moments m and s² of
// x₀ | x_t are the moments of the prior, or s² is nearly σ² if the prior is wider.
//
// Too wide: every draw starts from N(0, 1), whatever the prior. On the way down the error of
// this start decays to about s²/σ² of the variance of x₀, and to s|μ|/σ² standard deviations
// of the mean of x₀, for a prior of mean μ and standard deviation s and a start at σ.
//
// Too narrow: the estimate at the end lacks the variance that the last noise level hides. A prior whose draws lie near
// a surface has little variance of that size. For a prior that is narrow in all directions it is the whole variance.
func checkFinalLevel(steps []Step, sd, mean, product float64) error {
	start, end := steps[0].Level.Sigma(), endOf(steps)
	if steps[len(steps)-1].draws() { // a draw of x₀ lacks no variance
		end = 0
	}
	if product > 0.1*start*start || sd < 3*end {
		return fmt.Errorf("the prior has cells of mean up to %.3g and of sd up to %.3g, beyond a diffusion of "+
			"noise from %.3g to %.3g; standardise x₀ and put location and scale into the link", mean, sd, start, end)
	}
	return nil
}
