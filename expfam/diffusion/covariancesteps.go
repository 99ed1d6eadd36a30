package diffusion

import (
	"cmp"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/loggrid"
)

// CovarianceSteps is a method that draws x₀′ in every step, instead of moving with the
// mean of x₀ | x_t, y. It draws from the Gaussian approximation of a guidance, with its
// covariance:
//
//	x₀′ ~ N(m + δ, C − C (C + W⁻¹)⁻¹ C),  C = Cov(x₀ | x_t).
//
// The next x is x_s ~ q(x_s | x_t, x₀′), and the last x₀′ is the draw. For a Gaussian
// posterior this is exact, for any number of steps. Methods that move with the mean have an
// error of first order in the length of a step. On the one-dimensional benchmark 8
// evaluations are as accurate as the 30 of [Restarts].
//
// It is the default for priors of up to 128 cells that are close to a Gaussian; see
// [Sampler]. Priors of images are not close to a Gaussian, and [ImageRestarts] are more accurate
// under them.
//
// For up to 128 cells, C has the variances at x_t and correlations that are averaged over x_t.
// These are measured once for a prior, so a step needs no Jacobian products. If the prior is
// [expfam.Linear], C is exact. For more cells, C is only known by its products with vectors. C^½ then
// comes from the prior if it is [expfam.Rooted], and otherwise from Lanczos steps. The system in
// C + W⁻¹ is then solved by the conjugate gradients of [Quadrature].
type CovarianceSteps struct {
	// N is the number of evaluations of the networks. Default 8.
	N int
	// Lanczos is the number of Jacobian products for C^½, at most 8. Default 3 for more than
	// 128 cells, and none for fewer.
	Lanczos int
	// Start is the noise level, in units of x₀, at which draws of N(0, 1) enter the diffusion.
	// Default 40, or the top of the diffusion if that is lower.
	Start float64
	// The first two steps go down to High and to Turn, and the third returns to Back. From
	// there steps of equal ratios go down to Low, the level of the last draw. The Gaussian
	// approximation is least accurate at high noise, and the return forgets part of that error.
	// Default 2, 0.7, 1 and 0.06. With N below 5 there is no return.
	High, Turn, Back, Low float64
	// Returns is the number of further returns. They begin at Low, and go up to levels of equal
	// ratios from Turn down to twice Low. The steps down from there are as long as the steps
	// down from Back, and do not count among the N. Default none; see Refine.
	Returns int
	VP      expfam.VP
}

func (m CovarianceSteps) orDefault() CovarianceSteps {
	m.N, m.VP = cmp.Or(m.N, 8), m.VP.Defaults()
	m.Start = cmp.Or(m.Start, min(40, m.VP.Level(1).Sigma()))
	m.High, m.Turn, m.Back, m.Low = cmp.Or(m.High, 2), cmp.Or(m.Turn, 0.7), cmp.Or(m.Back, 1), cmp.Or(m.Low, 0.06)
	return m
}

// Steps returns N steps, or more with Returns. Each step evaluates the networks once.
func (m CovarianceSteps) Steps() (steps []Step) {
	m = m.orDefault()
	sigmas := m.sigmas()
	for i, sigma := range sigmas {
		step := Step{Level: expfam.LevelAt(sigma), B: 1, Drawn: true, Lanczos: m.Lanczos}
		if i+1 < len(sigmas) {
			next := sigmas[i+1]
			to, kept := expfam.LevelAt(next), next*next/(sigma*sigma)
			if kept > 1 { // a return to higher noise forgets x_t
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

// returns reports whether the trajectory returns from Turn to Back, which takes at least 5 steps.
func (m CovarianceSteps) returns() bool { return m.N >= 5 }

// sigmas returns the noise levels of all steps, in units of x₀.
func (m CovarianceSteps) sigmas() []float64 {
	switch {
	case m.N == 1:
		return []float64{m.Start}
	case m.N == 2:
		return []float64{m.Start, m.Low}
	case !m.returns():
		return append([]float64{m.Start}, loggrid.Of(m.High, m.Low, m.N-2)...)
	}
	all := append([]float64{m.Start, m.High, m.Turn}, loggrid.Of(m.Back, m.Low, m.N-4)...)
	length := math.Log(m.Back/m.Low) / float64(m.N-4)
	for i := range m.Returns {
		from := m.Turn * math.Pow(2*m.Low/m.Turn, float64(i)/float64(max(m.Returns-1, 1)))
		const rounding = 1e-9
		all = append(all, loggrid.Of(from, m.Low, max(1, int(math.Ceil(math.Log(from/m.Low)/length-rounding))))...)
	}
	return all
}

// Check implements [expfam.Checker].
func (m CovarianceSteps) Check() error {
	m = m.orDefault()
	if err := m.VP.Check(); err != nil {
		return err
	}
	if m.N < 1 || m.Lanczos < 0 || m.Lanczos > mostLanczos {
		return fmt.Errorf("sample: %v: N must be at least 1, or 0 for 8, and Lanczos from 0 to %d", m, mostLanczos)
	}
	if m.Returns < 0 || m.Returns > 0 && !m.returns() {
		return fmt.Errorf("sample: %v: Returns must not be negative, and needs N of at least 5", m)
	}
	if top := m.VP.Level(1).Sigma(); !(0 < m.Low && m.Low < m.High && m.High < m.Start && m.Start <= top) {
		return fmt.Errorf("sample: %v: Low must be above 0, High between Low and Start, and Start at most the "+
			"diffusion's top, %.3g", m, top)
	}
	if m.returns() && !(m.Low < m.Turn && m.Turn < m.High && m.Turn < m.Back && m.Back < m.Start) {
		return fmt.Errorf("sample: %v: Turn must be between Low and High, and Back between Turn and Start", m)
	}
	return nil
}

// Refine lowers Low to endings times d.End, the standard deviation to which the data determine a
// cell, where Low is above that. The steps keep their length. Where the data contradict the prior, it also lowers Low
// to a fifth, but not below d.End, halves the length of the steps and takes at least six returns. The reason is that a
// site of the guidance knows only the prior of its own cell and its own datum, and is wrong
// until the noise is low.
func (m CovarianceSteps) Refine(d Demand) Method {
	m = m.orDefault()
	low := min(m.Low, endings*d.End)
	if d.Misfit > surprising {
		low = min(low, max(0.2*m.Low, d.End))
		if m.returns() {
			m.N, m.Returns = 2*m.N-4, max(m.Returns, 6)
		}
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
	returns := ""
	if m.Returns > 0 {
		returns = fmt.Sprintf(", returns=%d", m.Returns)
	}
	return fmt.Sprintf("covariance-steps(n=%d, lanczos=%d, start=%g, high=%g, turn=%g, back=%g, low=%g%s, %v)",
		m.N, m.Lanczos, m.Start, m.High, m.Turn, m.Back, m.Low, returns, m.VP)
}
