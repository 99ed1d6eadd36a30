package expfam

import (
	"fmt"
	"math"
)

// Multistep is SDE-DPM-Solver++(2M) (Lu et al. 2022) on a log-SNR grid,
// ending with the estimate of x₀. It evaluates the networks N times.
type Multistep struct {
	N  int // default 25
	VP VP
}

// Steps are N − 1 stochastic steps and the final estimate.
func (m Multistep) Steps() []Step {
	if m.N == 0 {
		m.N = 25
	}
	var p path
	p.descend(m.VP.Sigmas(m.N - 1))
	p.finish()
	return p.steps
}

func (m Multistep) String() string {
	if m.N == 0 {
		m.N = 25
	}
	return fmt.Sprintf("multistep(n=%d, %v)", m.N, m.VP)
}

func (m Multistep) check() error {
	if m.N != 0 && m.N < 2 {
		return fmt.Errorf("sample: %v has N = %d; use at least 2, or 0 for 25", m, m.N)
	}
	return m.VP.check()
}

// path strings second-order steps together.
type path struct {
	steps []Step
	sigma float64 // where the last step ended
	half  float64 // its h; 0 if there is no estimate D' to use
}

// descend appends steps along falling noise levels. In the variable x/√α, with
// h = log(σ/σ') and r the h of the step before divided by this one's:
//
//	x ← e^{−2h} x + (1 − e^{−2h}) (D + (D − D')/(2r)) + σ' √(1 − e^{−2h}) z.
func (p *path) descend(sigmas []float64) {
	for i, sigma := range sigmas[:len(sigmas)-1] {
		next := sigmas[i+1]
		from, to := LevelAt(sigma), LevelAt(next)
		h := math.Log(sigma / next)
		weight := -math.Expm1(-2 * h)
		var previous float64
		if p.half > 0 {
			previous = weight * h / (2 * p.half)
		}
		p.steps = append(p.steps, Step{
			Level: from,
			A:     math.Exp(-2*h) * to.SqrtAlpha / from.SqrtAlpha,
			B:     (weight + previous) * to.SqrtAlpha,
			C:     -previous * to.SqrtAlpha,
			S:     next * math.Sqrt(weight) * to.SqrtAlpha,
		})
		p.sigma, p.half = next, h
	}
}

// ascend adds noise until the level is sigma. It costs no evaluation: the noise
// joins that of the step before.
func (p *path) ascend(sigma float64) {
	last := &p.steps[len(p.steps)-1]
	from, to := LevelAt(p.sigma), LevelAt(sigma)
	ratio := to.SqrtAlpha / from.SqrtAlpha
	added := to.SqrtAlpha * math.Sqrt(sigma*sigma-p.sigma*p.sigma)
	last.A, last.B, last.C = last.A*ratio, last.B*ratio, last.C*ratio
	last.S = math.Hypot(last.S*ratio, added)
	p.sigma, p.half = sigma, 0
}

// finish appends the final estimate of x₀.
func (p *path) finish() {
	p.steps = append(p.steps, Step{Level: LevelAt(p.sigma), B: 1})
}
