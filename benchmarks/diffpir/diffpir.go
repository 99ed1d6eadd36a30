// Package diffpir is DiffPIR (Zhu et al. 2023, CVPR workshops), a sampler to compare with: the scheme [DiffPIR] and the
// guidance [Proximal].
package diffpir

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/level"
)

// DiffPIR is the sampling scheme of that name (Zhu et al. 2023, algorithm 1). D is the guided estimate of x₀, and ε =
// (x/√α − D)/σ is the noise that x then contains. A share Zeta of the noise of the next x is new:
//
//	x ← √α′ (D + σ′ (√(1 − Zeta) ε + √Zeta z)).
//
// Use it with the guidance [Proximal], the other half of DiffPIR. It evaluates the network N times.
type DiffPIR struct {
	N    int     // default 100
	Zeta float64 // in (0, 1]. Default 0.3
	// Start is the noise level, in units of x₀, at which the trajectory begins. Default 40, or
	// the top of the diffusion if that is lower.
	Start float64
	VP    level.VP
}

func (m DiffPIR) orDefault() DiffPIR {
	m.N, m.Zeta, m.VP = cmp.Or(m.N, 100), cmp.Or(m.Zeta, 0.3), m.VP.Defaults()
	m.Start = cmp.Or(m.Start, min(40, m.VP.Level(1).Sigma()))
	return m
}

// Steps returns N − 1 steps down and the final estimate.
func (m DiffPIR) Steps() []diffusion.Step {
	m = m.orDefault()
	sigmas := floats.LogSpan(make([]float64, m.N), m.Start, m.VP.Level(m.VP.Epsilon).Sigma())
	var steps []diffusion.Step
	for i, sigma := range sigmas[:len(sigmas)-1] {
		from, to := level.At(sigma), level.At(sigmas[i+1])
		kept := math.Sqrt(1-m.Zeta) * sigmas[i+1] / sigma
		steps = append(steps, diffusion.Step{Level: from, A: kept * to.SqrtAlpha / from.SqrtAlpha,
			B: (1 - kept) * to.SqrtAlpha, S: math.Sqrt(m.Zeta) * sigmas[i+1] * to.SqrtAlpha})
	}
	return append(steps, diffusion.Step{Level: level.At(sigmas[len(sigmas)-1]), B: 1})
}

// Check implements [expfam.Checker].
func (m DiffPIR) Check() error {
	m = m.orDefault()
	top, end := m.VP.Level(1).Sigma(), m.VP.Level(m.VP.Epsilon).Sigma()
	if !(m.Zeta > 0 && m.Zeta <= 1) || !(m.Start > end && m.Start <= top) {
		return fmt.Errorf("diffpir: %v: Zeta must lie in (0, 1], and Start between the end of the diffusion, %.3g, "+
			"and its top, %.3g", m, end, top)
	}
	if m.N < 2 {
		return fmt.Errorf("diffpir: %v; use at least 2 evaluations, or 0 for 100", m)
	}
	return m.VP.Check()
}

func (m DiffPIR) String() string {
	m = m.orDefault()
	return fmt.Sprintf("diffpir(n=%d, zeta=%g, start=%g, %v)", m.N, m.Zeta, m.Start, m.VP)
}
