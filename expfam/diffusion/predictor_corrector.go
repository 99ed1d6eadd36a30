package diffusion

import (
	"cmp"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/level"
)

// PredictorCorrector is the sampler of Song et al. 2021 (Algorithms 1, 3 and 5). At each of N equally spaced times it
// takes an Euler–Maruyama step of the reverse SDE, then a Langevin step. [Paper] has the paper's settings (App. E).
// The paper's clip leaves noise in every draw: of standard deviation 0.085 without data, and of 0.12 under counts of
// rate exp(5+x), whose posterior is narrower in most cells. By default there is no clip.
type PredictorCorrector struct {
	N    int     // noise scales. Default 1000
	SNR  float64 // of the corrector. Default 0.1
	Clip float64 // bound on each entry of the total score. Default none
	VP   level.VP
}

// Paper is the sampler as the paper describes it: 1000 noise scales, r = 0.1, scores clipped to [−10, 10].
var Paper = PredictorCorrector{N: 1000, SNR: 0.1, Clip: 10}

func (m PredictorCorrector) orDefault() PredictorCorrector {
	m.N = cmp.Or(m.N, 1000)
	m.SNR = cmp.Or(m.SNR, 0.1)
	m.VP = m.VP.Defaults()
	return m
}

// Steps returns the predictors and their correctors. They evaluate the networks 2N − 1 times,
// because no corrector follows the last predictor.
func (m PredictorCorrector) Steps() []Step {
	m = m.orDefault()
	eps := m.VP.Epsilon
	dt := (1 - eps) / float64(m.N)
	var steps []Step
	for i := range m.N {
		t := 1 - float64(i)*dt
		level, beta := m.VP.Level(t), m.VP.Beta(t)
		// x ← x + β (x/2 + score) dt + √(β dt) z, score = (√α D − x)/v.
		steps = append(steps, Step{
			Level: level,
			A:     1 + beta*dt/2 - beta*dt/level.V,
			B:     beta * dt * level.SqrtAlpha / level.V,
			S:     math.Sqrt(beta * dt),
			Clip:  m.Clip,
		})
		if i < m.N-1 {
			steps = append(steps, Step{Level: m.VP.Level(t - dt), SNR: m.SNR, Clip: m.Clip})
		}
	}
	return steps
}

// Check implements [expfam.Checker].
func (m PredictorCorrector) Check() error {
	m = m.orDefault()
	if m.N < 1 || !(m.SNR > 0) || !(m.Clip >= 0) {
		return fmt.Errorf("sample: %v: N and SNR must be positive, and the clip not negative", m)
	}
	return m.VP.Check()
}

func (m PredictorCorrector) String() string {
	m = m.orDefault()
	return fmt.Sprintf("pc(n=%d, snr=%g, clip=%g, correctors=1, %v)", m.N, m.SNR, m.Clip, m.VP)
}
