package diffusion

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/level"
)

// Drawer is a guidance that can draw x₀ given x_t and y, as steps of [CovarianceSteps] do.
type Drawer interface {
	Guidance
	// Draw returns x₀′ − E[x₀ | x_t] for a draw x₀′ of x₀ | x_t, y, of shape (batch, d). It
	// takes its randomness from [Point.Noise] and [Point.DataNoise].
	Draw(p *Point) *Node
}

// stepNoise holds the random numbers of a drawn step, and what is known of the square root of C = Cov(x₀ | x_t) and of
// the correlation R of x₀ | x_t. Without own and root, Lanczos steps make the root.
type stepNoise struct {
	z, e *Node               // standard normal, (batch, d) and (batch, data)
	root *Node               // R^½, (d, d), or nil
	own  func(z *Node) *Node // returns C^½ z, by a method of the prior; or nil
}

// lanczosSteps is the number of Lanczos steps. More of them change no score of images.
const lanczosSteps = 3

// Noise returns x′ ~ N(0, Cov(x₀ | x_t)), of shape (batch, d). Every call returns the same x′.
func (p *Point) Noise() *Node {
	switch c := p.noise; {
	case c.root != nil:
		return Mul(Sqrt(p.Var), MatMul(c.z, c.root))
	case c.own != nil:
		return c.own(c.z)
	default:
		sd := StopGradient(Sqrt(p.Var))
		product := func(q *Node) *Node { return Div(p.Cov(Div(q, sd)), sd) }
		return Mul(sd, rootTimes(product, c.z, lanczosSteps))
	}
}

// DataNoise returns standard normal numbers of shape (batch, data), one for each datum.
func (p *Point) DataNoise() *Node { return p.noise.e }

// checkDrawnSteps refuses drawn steps with a guidance that cannot draw x₀ with the covariance of its cells.
func (s Sampler) checkDrawnSteps(steps []Step) error {
	if !drawn.in(steps) {
		return nil
	}
	if _, ok := s.Guidance.(Drawer); !ok {
		return fmt.Errorf("sample: %v draws x₀ given the data, which the guidance %v can't; use Quadrature, or a "+
			"method that moves with the mean, such as Restarts", s.Method, s.Guidance)
	}
	if q, ok := s.Guidance.(Quadrature); ok && q.Independent {
		return fmt.Errorf("sample: %v draws x₀ with the covariance of its cells, which %v leaves out; use "+
			"Quadrature without Independent, or a method that moves with the mean, such as Restarts", s.Method, q)
	}
	return nil
}

// sites are Gaussian observations that stand for the data. Datum k is an observation, with value
// r_k and precision W_k, of the deviation of what the datum sees from its mean under x₀ | x_t.
type sites struct {
	linearisation
	pull, root *Node // √W r and √W, (batch, data)
	steps      int   // of conjugate gradients
}

// move returns the shift δ of the mean of x₀ by sites. In a drawn step it returns the shift
// x₀′ − m of a draw: with x′ ~ N(0, C) and e ~ N(0, I),
//
//	(I + √W H C Hᵀ √W) u = √W (r − H x′) − e,  x₀′ − m = x′ + C Hᵀ √W u,
//
// x₀′ − m has the mean δ and the covariance C − C Hᵀ (H C Hᵀ + W⁻¹)⁻¹ H C.
func (p *Point) move(s sites) *Node {
	if p.noise == nil {
		return correlated(p, s.linearisation, s.pull, s.root, s.steps)
	}
	noise := p.Noise()
	s.pull = Sub(Sub(s.pull, Mul(s.root, s.to(noise))), p.DataNoise())
	if s.steps == 0 {
		return Add(noise, p.averaged(s))
	}
	return Add(noise, correlated(p, s.linearisation, s.pull, s.root, s.steps))
}

// averaged solves the system of [Point.move] for u and returns C Hᵀ √W u, for a [denseCovariance]. It takes the
// correlation of the cells averaged over x_t, and therefore no Jacobian product.
func (p *Point) averaged(s sites) *Node {
	root, sd := StopGradient(s.root), StopGradient(Sqrt(p.Var))
	rho := Reciprocal(OnePlus(Mul(s.variance, Square(root))))
	u := s.preconditioner(p, root, rho)(StopGradient(s.pull))
	return Mul(sd, MatMul(Mul(sd, s.from(Mul(root, u))), p.correlation))
}

// Rooted is a prior that multiplies by the square root of Cov(x₀ | x_t) without Jacobian products.
type Rooted interface {
	// Root returns C^½ z for z of shape (batch, d), where C = Cov(x₀ | x_t) does not depend on x_t.
	Root(z *Node, l level.Nodes) *Node
}

// CovarianceSteps is a method that draws x₀′ in every step, instead of moving with the mean of x₀ | x_t, y. It draws
// from the Gaussian approximation of a guidance, with its covariance:
//
//	x₀′ ~ N(m + δ, C − C (C + W⁻¹)⁻¹ C),  C = Cov(x₀ | x_t).
//
// The next x is x_s ~ q(x_s | x_t, x₀′), and the last x₀′ is the draw. For a Gaussian posterior this is exact, for any
// number of steps. Methods that move with the mean have an error of first order in the length of a step. On the
// one-dimensional benchmark 8 evaluations are as accurate as the 30 of [Restarts].
//
// It is the default for priors of up to 128 cells that are close to a Gaussian; see [Sampler]. Priors of images are not
// close to a Gaussian, and [ImageRestarts] are more accurate under them.
//
// For up to 128 cells, C has the variances at x_t and correlations that are averaged over x_t. These are measured once
// for a prior, so a step needs no Jacobian products. If the prior is [expfam.Linear], C is exact. For more cells, C is
// only known by its products with vectors. C^½ then comes from the prior if it is [Rooted], and otherwise from Lanczos
// steps. The system in C + W⁻¹ is then solved by the conjugate gradients of [Quadrature].
type CovarianceSteps struct {
	// N is the number of evaluations of the networks. Default 8.
	N int
	// The first two steps go down to high and to turn, and the third returns to back. From there steps of equal ratios
	// go down to low, the level of the last draw. The Gaussian approximation is least accurate at high noise, and the
	// return forgets part of that error. Default 2, 0.7, 1 and 0.06. With N below 5 there is no return.
	high, turn, back, low float64
	// returns is the number of further returns. They begin at low, and go up to levels of equal
	// ratios from turn down to twice low. The steps down from there are as long as the steps
	// down from back, and do not count among the N. Default none; see Refine.
	returns int
}

func (m CovarianceSteps) orDefault() CovarianceSteps {
	m.N = cmp.Or(m.N, 8)
	m.high, m.turn, m.back, m.low = cmp.Or(m.high, 2), cmp.Or(m.turn, 0.7), cmp.Or(m.back, 1), cmp.Or(m.low, 0.06)
	return m
}

// Steps returns N steps, or more with returns. Each step evaluates the networks once.
func (m CovarianceSteps) Steps() (steps []Step) {
	m = m.orDefault()
	sigmas := m.sigmas()
	for i, sigma := range sigmas {
		step := Step{Level: level.At(sigma), B: 1, Drawn: true}
		if i+1 < len(sigmas) {
			next := sigmas[i+1]
			to, kept := level.At(next), next*next/(sigma*sigma)
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

// turns reports whether the trajectory returns from turn to back, which takes at least 5 steps.
func (m CovarianceSteps) turns() bool { return m.N >= 5 }

// sigmas returns the noise levels of all steps, in units of x₀.
func (m CovarianceSteps) sigmas() []float64 {
	switch {
	case m.N == 1:
		return []float64{startLevel}
	case m.N == 2:
		return []float64{startLevel, m.low}
	case !m.turns():
		return append([]float64{startLevel}, level.Between(m.high, m.low, m.N-2)...)
	}
	all := append([]float64{startLevel, m.high, m.turn}, level.Between(m.back, m.low, m.N-4)...)
	length := math.Log(m.back/m.low) / float64(m.N-4)
	for i := range m.returns {
		from := m.turn * math.Pow(2*m.low/m.turn, float64(i)/float64(max(m.returns-1, 1)))
		const rounding = 1e-9
		all = append(all, level.Between(from, m.low, max(1, int(math.Ceil(math.Log(from/m.low)/length-rounding))))...)
	}
	return all
}

// Check implements [expfam.Checker].
func (m CovarianceSteps) Check() error {
	if m = m.orDefault(); m.N < 1 {
		return fmt.Errorf("sample: %v: N must be at least 1, or 0 for 8", m)
	}
	return nil
}

// Refine lowers low to endings times d.End, the standard deviation to which the data determine a cell, where low is
// above that. The steps keep their length. Where the data contradict the prior, it also lowers low to a fifth, but not
// below d.End, halves the length of the steps and takes at least six returns. The reason is that a site of the guidance
// knows only the prior of its own cell and its own datum, and is wrong until the noise is low.
//
// Where the data are faint, they tell of levels of many cells, of which a return to usual noise forgets little. The
// first steps are then higher, and there are two more. Of 0 to 5 events in 30 cells, means under the learned prior of
// the benchmark are then .14 in place of .23 posterior standard deviations off.
func (m CovarianceSteps) Refine(d Demand) Method {
	m = m.orDefault()
	if d.Faint && m.turns() {
		m.N, m.high, m.turn, m.back = m.N+2, max(m.high, 6), max(m.turn, 2), max(m.back, 3)
	}
	low := min(m.low, endings*d.End)
	if d.Misfit > surprising {
		low = min(low, max(0.2*m.low, d.End))
		if m.turns() {
			m.N, m.returns = 2*m.N-4, max(m.returns, 6)
		}
	}
	if m.turns() && low < m.low {
		length := math.Log(m.back/m.low) / float64(m.N-4)
		m.N += int(math.Ceil(math.Log(m.low/low) / length))
		m.low = low
	}
	return m
}

func (m CovarianceSteps) String() string {
	m = m.orDefault()
	returns := ""
	if m.returns > 0 {
		returns = fmt.Sprintf(", returns=%d", m.returns)
	}
	return fmt.Sprintf("covariance-steps(n=%d, lanczos=0, start=%d, high=%g, turn=%g, back=%g, low=%g%s, %v)",
		m.N, startLevel, m.high, m.turn, m.back, m.low, returns, level.VP{}.Defaults())
}
