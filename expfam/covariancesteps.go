package expfam

import (
	"cmp"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/internal/loggrid"
)

// CovarianceSteps draws x₀′ from the Gaussian approximation of p(x₀ | x_t, y) that a
// guidance has, with its covariance,
//
//	x₀′ ~ N(m + δ, C − C (C + W⁻¹)⁻¹ C),  C = Cov(x₀ | x_t),
//
// and then x_s ~ q(x_s | x_t, x₀′); the last x₀′ is the draw. For a Gaussian posterior that
// is exact, however few and long the steps. Those of other methods move with the mean of
// x₀ | x_t, y, and what they get wrong is of the first order of their length. On the
// one-dimensional benchmark 8 evaluations are as good as the 30 of [Restarts].
//
// It is for priors near a Gaussian of unit scale, which a few long steps do not leave. Images
// are not: their posteriors are better by [Restarts].
//
// The covariance of up to 128 cells is that of the average x_t, which is measured once for
// a prior and takes no Jacobian product; it is exact where the prior is [Linear]. Of more
// cells C is known by products alone. Then C^½ comes from the prior, if that is [Rooted], or
// else from the steps of Lanczos, and the solve from those of [Quadrature].
type CovarianceSteps struct {
	// N is the number of evaluations of the networks. Default 8.
	N int
	// Lanczos is the number of Jacobian products for C^½, at most 8. Default 3 for more than
	// 128 cells, and none for fewer.
	Lanczos int
	// Start is the noise level, in units of x₀, at which draws of N(0, 1) enter the diffusion.
	// Default 40, or the top of the diffusion if that is lower.
	Start float64
	// The first two steps go to High and to Turn, from which the third returns to Back. From
	// there steps of equal ratios go down to Low, the level of the last draw. At high noise the
	// Gaussian approximation errs most; the return forgets some of that, which more steps down
	// do not. Default 2, 0.7, 1 and 0.06. With N below 5 there is no return.
	High, Turn, Back, Low float64
	VP                    VP
}

func (m CovarianceSteps) orDefault() CovarianceSteps {
	m.N, m.VP = cmp.Or(m.N, 8), m.VP.orDefault()
	m.Start = cmp.Or(m.Start, min(40, m.VP.Level(1).Sigma()))
	m.High, m.Turn, m.Back, m.Low = cmp.Or(m.High, 2), cmp.Or(m.Turn, 0.7), cmp.Or(m.Back, 1), cmp.Or(m.Low, 0.06)
	return m
}

// Steps evaluate the networks N times.
func (m CovarianceSteps) Steps() (steps []Step) {
	m = m.orDefault()
	sigmas := m.sigmas()
	for i, sigma := range sigmas {
		step := Step{Level: LevelAt(sigma), B: 1, Drawn: true, Lanczos: m.Lanczos}
		if i+1 < len(sigmas) {
			next := sigmas[i+1]
			to, kept := LevelAt(next), next*next/(sigma*sigma)
			if kept > 1 { // a return forgets x_t
				kept = 0
			}
			step.A = kept * to.SqrtAlpha / step.Level.SqrtAlpha
			step.B = (1 - kept) * to.SqrtAlpha
			step.S = next * math.Sqrt(1-kept) * to.SqrtAlpha
		}
		steps = append(steps, step)
	}
	return steps
}

// returns reports whether there are steps enough for a return.
func (m CovarianceSteps) returns() bool { return m.N >= 5 }

// sigmas are the noise levels.
func (m CovarianceSteps) sigmas() []float64 {
	switch {
	case m.N == 1:
		return []float64{m.Start}
	case m.N == 2:
		return []float64{m.Start, m.Low}
	case !m.returns():
		return append([]float64{m.Start}, loggrid.Of(m.High, m.Low, m.N-2)...)
	}
	return append([]float64{m.Start, m.High, m.Turn}, loggrid.Of(m.Back, m.Low, m.N-4)...)
}

// Check implements [Checker].
func (m CovarianceSteps) Check() error {
	m = m.orDefault()
	if err := m.VP.Check(); err != nil {
		return err
	}
	if m.N < 1 || m.Lanczos < 0 || m.Lanczos > mostLanczos {
		return fmt.Errorf("sample: %v: N must be at least 1, or 0 for 8, and Lanczos from 0 to %d", m, mostLanczos)
	}
	if top := m.VP.Level(1).Sigma(); !(0 < m.Low && m.Low < m.High && m.High < m.Start && m.Start <= top) {
		return fmt.Errorf("sample: %v: Low must be above 0, High between Low and Start, and Start at most the diffusion's top, %.3g", m, top)
	}
	if m.returns() && !(m.Low < m.Turn && m.Turn < m.High && m.Turn < m.Back && m.Back < m.Start) {
		return fmt.Errorf("sample: %v: Turn must be between Low and High, and Back between Turn and Start", m)
	}
	return nil
}

// Refine ends where data are as precise as the last noise level, with steps of the same
// length, and where they surprise the prior at a fifth of that: the sites of a guidance, which
// know the prior's cell and its own datum alone, are wrong until the noise is low.
func (m CovarianceSteps) Refine(d Demand) Method {
	m = m.orDefault()
	low := min(m.Low, endings*d.End)
	if d.Misfit > surprising {
		low = min(low, max(0.2*m.Low, d.End))
	}
	if m.returns() && low < m.Low {
		length := math.Log(m.Back/m.Low) / float64(m.N-4)
		m.N += int(math.Ceil(math.Log(m.Low/low) / length))
		m.Low = low
	}
	return m
}

func (m CovarianceSteps) String() string {
	m = m.orDefault()
	return fmt.Sprintf("covariance-steps(n=%d, lanczos=%d, start=%g, high=%g, turn=%g, back=%g, low=%g, %v)",
		m.N, m.Lanczos, m.Start, m.High, m.Turn, m.Back, m.Low, m.VP)
}
