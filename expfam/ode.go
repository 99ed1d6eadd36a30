package expfam

import (
	"fmt"
	"math"
)

// ODE is DPM-Solver++(2M) (Lu et al. 2022): the probability-flow ODE in second
// order on a log-SNR grid, ending with the estimate of x₀. Only the first x_t is
// random. It evaluates the networks N times.
//
// It shows what noise is for: a stochastic scheme such as [Multistep] forgets the
// errors of the guidance at high noise, this one keeps them. With a guidance
// that leaves out correlations between cells its posteriors are far too narrow.
type ODE struct {
	N  int // default 25
	VP VP
}

// Steps are N − 1 deterministic steps and the final estimate. In the variable
// x/√α, with h = log(σ/σ') and r the h of the step before divided by this one's:
//
//	x ← e^{−h} x + (1 − e^{−h}) (D + (D − D')/(2r)).
func (m ODE) Steps() []Step {
	if m.N == 0 {
		m.N = 25
	}
	var steps []Step
	var half float64
	sigmas := m.VP.Sigmas(m.N - 1)
	for i, sigma := range sigmas[:m.N-1] {
		from, to := LevelAt(sigma), LevelAt(sigmas[i+1])
		h := math.Log(sigma / sigmas[i+1])
		weight := -math.Expm1(-h)
		var previous float64
		if half > 0 {
			previous = weight * h / (2 * half)
		}
		half = h
		steps = append(steps, Step{
			Level: from,
			A:     math.Exp(-h) * to.SqrtAlpha / from.SqrtAlpha,
			B:     (weight + previous) * to.SqrtAlpha,
			C:     -previous * to.SqrtAlpha,
		})
	}
	return append(steps, Step{Level: LevelAt(sigmas[m.N-1]), B: 1})
}

func (m ODE) String() string {
	if m.N == 0 {
		m.N = 25
	}
	return fmt.Sprintf("ode(n=%d, %v)", m.N, m.VP)
}

func (m ODE) check() error {
	if m.N != 0 && m.N < 2 {
		return fmt.Errorf("sample: %v has N = %d; use at least 2, or 0 for 25", m, m.N)
	}
	return m.VP.check()
}
