package diffusion

import (
	"cmp"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/level"
)

// Multistep is the method SDE-DPM-Solver++(2M) (Lu et al. 2022) on a grid of equal steps in log-SNR. It ends
// with the estimate of x₀. It evaluates the networks N times.
type Multistep struct {
	N  int // default 25
	VP level.VP
}

// Steps returns N − 1 stochastic steps and the final estimate.
func (m Multistep) Steps() []Step { return multistep(m.N, m.VP, false) }

// Refine returns the method that ends at the noise level that the data require, with steps of the same length.
func (m Multistep) Refine(d Demand) Method {
	m.N, m.VP = refined(m.N, m.VP, d)
	return m
}

func (m Multistep) String() string {
	return fmt.Sprintf("multistep(n=%d, %v)", cmp.Or(m.N, defaultN), m.VP)
}

// Check implements [expfam.Checker].
func (m Multistep) Check() error { return checkN(m, m.N, m.VP) }

// defaultN is the number of evaluations of second-order methods.
const defaultN = 25

// multistep returns the steps of a second-order method of n evaluations, without noise if ode is set.
func multistep(n int, vp level.VP, ode bool) []Step {
	p := path{ode: ode}
	p.descend(vp.Sigmas(cmp.Or(n, defaultN) - 1))
	p.finish()
	return p.steps
}

// refined returns the number of evaluations and the diffusion that a demand asks for.
func refined(n int, vp level.VP, d Demand) (int, level.VP) {
	n = cmp.Or(n, defaultN)
	steps, vp := extend(n-1, vp.Level(1).Sigma(), vp, d.End)
	return steps + 1, vp
}

func checkN(m Method, n int, vp level.VP) error {
	if n != 0 && n < 2 {
		return fmt.Errorf("sample: %v has N = %d; use at least 2, or 0 for %d", m, n, defaultN)
	}
	return vp.Check()
}

// path strings second-order steps together.
type path struct {
	steps []Step
	sigma float64 // the noise level at which the last step ended
	h     float64 // h of the last step; 0 if there is no estimate D' to use
	ode   bool    // steps add no noise
	// Spread, Light and Skew of the steps to come; see [Restarts].
	spread float64
	light  float64
	skew   float64
}

// descend appends steps along falling noise levels. In the variable x/√α, with h = log(σ/σ'), and with r the h
// of the step before over the h of this step, a step is
//
//	x ← e^{−2h} x + (1 − e^{−2h}) (D + (D − D')/(2r)) + σ' √(1 − e^{−2h}) z;
//	x ← e^{−h} x + (1 − e^{−h}) (D + (D − D')/(2r))  without noise.
func (p *path) descend(sigmas []float64) {
	for i, sigma := range sigmas[:len(sigmas)-1] {
		next := sigmas[i+1]
		from, to := level.At(sigma), level.At(next)
		h := math.Log(sigma / next)
		decay := 2 * h
		if p.ode {
			decay = h
		}
		weight := -math.Expm1(-decay)
		var previous float64
		if p.h > 0 {
			previous = weight * h / (2 * p.h)
		}
		step := Step{
			Level: from,
			A:     math.Exp(-decay) * to.SqrtAlpha / from.SqrtAlpha,
			B:     (weight + previous) * to.SqrtAlpha,
			C:     -previous * to.SqrtAlpha,
			Light: sigma <= p.light,
			Skew:  p.skewed(sigma),
		}
		if !p.ode {
			step.S = next * math.Sqrt(weight) * to.SqrtAlpha
			step.Spread = p.spread * weight * to.SqrtAlpha
		}
		p.steps = append(p.steps, step)
		p.sigma, p.h = next, h
	}
}

// ascend adds noise until the noise level is sigma. It costs no evaluation, because the noise is added by the
// step before.
func (p *path) ascend(sigma float64) {
	last := &p.steps[len(p.steps)-1]
	from, to := level.At(p.sigma), level.At(sigma)
	ratio := to.SqrtAlpha / from.SqrtAlpha
	added := to.SqrtAlpha * math.Sqrt(sigma*sigma-p.sigma*p.sigma)
	last.A, last.B, last.C = last.A*ratio, last.B*ratio, last.C*ratio
	last.S, last.Spread = math.Hypot(last.S*ratio, added), last.Spread*ratio
	p.sigma, p.h = sigma, 0
}

// finish appends the final estimate of x₀.
func (p *path) finish() {
	p.steps = append(p.steps, Step{Level: level.At(p.sigma), B: 1, Light: p.sigma <= p.light,
		Skew: p.skewed(p.sigma)})
}

// leastSkew is the least weight for which third cumulants are worth a Jacobian product.
const leastSkew = 0.1

// skewed returns the weight of third cumulants at a noise level. It is 0 in light steps, and where the weight
// would be below leastSkew.
func (p *path) skewed(sigma float64) float64 {
	if p.skew == 0 || sigma <= p.light {
		return 0
	}
	weight := 1 / (1 + math.Pow(sigma/p.skew, 2))
	if weight < leastSkew {
		return 0
	}
	return weight
}
