package diffusion

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
)

// Drawer is a guidance that can draw x₀ given x_t and y, as steps of [CovarianceSteps] do.
type Drawer interface {
	Guidance
	// Draw returns x₀′ − E[x₀ | x_t] for a draw x₀′ of x₀ | x_t, y, of shape (batch, d). It
	// takes its randomness from [Point.Noise] and [Point.DataNoise].
	Draw(p *Point) *Node
}

// stepNoise holds the random numbers of a drawn step, and what is known of the square root of
// C = Cov(x₀ | x_t) and of the correlation R of x₀ | x_t. Without own and root, Lanczos steps
// make the root.
type stepNoise struct {
	z, e    *Node               // standard normal, (batch, d) and (batch, data)
	root    *Node               // R^½, (d, d), or nil
	own     func(z *Node) *Node // returns C^½ z, by a method of the prior; or nil
	lanczos int                 // number of Lanczos steps, 0 for usualLanczos
}

// usualLanczos is the default number of Lanczos steps. More of them change no score of images.
const usualLanczos = 3

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
		return Mul(sd, rootTimes(product, c.z, cmp.Or(c.lanczos, usualLanczos)))
	}
}

// DataNoise returns standard normal numbers of shape (batch, data), one for each datum.
func (p *Point) DataNoise() *Node { return p.noise.e }

// draws refuses drawn steps with a guidance that cannot draw x₀ with the covariance of its cells.
func (s Sampler) draws(steps []Step) error {
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
	// Root returns C^½ z for z of shape (batch, d), where C = Cov(x₀ | x_t) does not depend
	// on x_t.
	Root(z *Node, l expfam.LevelNodes) *Node
}
