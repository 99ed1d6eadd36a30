package diffusion

import (
	"fmt"
	"math"
	"slices"
)

// trajectory returns the steps of a method. It sets Skew to 0 where third cumulants are 0 (a
// Linear prior) or have no effect (guidances other than [Quadrature], operators that join cells).
// It does so too for a refined method if the steps before, which are nil for the first, had no Skew, because then no
// graph computes third cumulants.
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

// endOf returns the lowest noise level of a trajectory, or the noise S of its last step if that
// step adds noise.
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

// covers refuses a prior that is too wide or too narrow for the noise levels of a trajectory.
// The arguments sd, mean and product are the largest s, |m| and s (s + |m|) at the first step.
// At pure noise the moments m and s² of x₀ | x_t are the moments of the prior, or s² is nearly
// σ² if the prior is wider.
//
// Too wide: every draw starts from N(0, 1), whatever the prior. On the way down the error of
// this start decays to about s²/σ² of the variance of x₀, and to s|μ|/σ² standard deviations
// of the mean of x₀, for a prior of mean μ and standard deviation s and a start at σ.
//
// Too narrow: the estimate at the end lacks the variance that the last noise level hides. A
// prior whose draws lie near a surface has little variance of that size. For a prior that is
// narrow in all directions it is the whole variance.
func covers(steps []Step, sd, mean, product float64) error {
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
