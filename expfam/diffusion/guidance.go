package diffusion

import (
	"errors"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// Guidance approximates the likelihood score ∇ log p(y | x_t), and with it the posterior mean of x₀ given x_t and y.
// The guidance is added to the score of the prior, so every sampler works with every guidance.
//
// A guidance computes the shift δ = E[x₀ | x_t, y] − E[x₀ | x_t], in units of x₀. The
// shift is (v/√α) ∇ log p(y | x_t), and is of order one at every noise level.
//
// A guidance of your own builds a graph, as an [expfam.Prior] does. Its usual ingredients are the slope and the
// information of each cell's log-likelihood, by p.Terms.Graph(p.Mean, p.Stat, p.Size), and products with C by
// [Point.Cov]. Data that look through an operator are refused, unless the guidance looks through it by
// [Point.Forward], or calls the Shift of a guidance of this package that does, such as [Quadrature].
type Guidance interface {
	// String names the guidance with its options. Keys of stored results contain it, and what Shift computes.
	String() string
	// Shift returns δ, of shape (batch, d).
	Shift(p *Point) *Node
}

// Point is everything that a guidance knows at one noise level.
type Point struct {
	// X is x_t, (batch, d).
	X *Node
	// Level is the noise level of X, the same for all draws.
	Level level.Nodes
	// Mean and Var are the means and the variances of the cells of x₀ | x_t under the prior. Mean has the
	// shape (batch, d), and Var (batch, d) or (1, d).
	Mean, Var *Node
	// Stat and Size are the observations of the cells, (1, d) or (batch, d). Both are 0 in a missing cell.
	Stat, Size *Node
	// Terms is the likelihood: its family and link, and the log-likelihood of a cell as
	// a function of x₀ with its derivatives.
	Terms *expfam.Terms

	forward *expfam.Forward // how the data look at the cells, nil if each datum looks at its own cell
	// covariance tells what is known of Cov(x₀ | x_t) without Jacobian products. What of it is in a table is in the
	// next three: the correlation of x₀ | x_t of all pairs of cells, (d, d), the spread of every datum, (1, data), see
	// [varianceRatio], and the correlation of all pairs of data, (data, data). Each may be nil.
	covariance                        covarianceModel
	correlation, varianceRatio, pairs *Node
	cosines                           *cosines // the correlations of the cells by lag, nil if they do not precondition
	wide                              bool     // the prior is wide or data are precise: more steps

	denoiser *denoiser  // see [Quadrature.pseudodata]; nil if the prior has no parameters
	imputed  *Node      // see imputation.go; nil in steps that take no imputed values
	noise    *stepNoise // the randomness of a drawn step, nil in other steps
	skew     *Node      // the weight of third cumulants, nil in steps without them
	variance *Node      // Var with its gradient in x_t, in steps with third cumulants

	throughForward bool // the guidance has looked through forward

	coupling *Node // see Coupling; nil if the prior is not [expfam.Coupled]
	coupled  bool  // the guidance has asked for coupling
	products int   // Jacobian products so far
	rest     *Node // variance of x₀ given x_t and the cell's own datum, nil if the guidance does not know it
}

// remaining returns the variance of x₀ given x_t and the cell's own datum. If the guidance does not know
// this variance, it returns the variance given x_t alone.
func (p *Point) remaining() *Node {
	if p.rest == nil {
		return p.Var
	}
	return StopGradient(p.rest)
}

// Forward returns how the data look at the cells. It is nil if each datum looks at its own cell.
func (p *Point) Forward() *expfam.Forward {
	p.throughForward = true
	return p.forward
}

// Coupling returns the largest eigenvalue of the correlation of x₀ | x_t, of shape (1, 1). It panics if the
// prior is not [expfam.Coupled].
func (p *Point) Coupling() *Node {
	if p.coupling == nil {
		panic(errors.New("the prior does not know how its cells are coupled; use a guidance that does not ask, " +
			"such as Corrected"))
	}
	p.coupled = true
	return p.coupling
}

// SetCoupling sets what [Point.Coupling] returns, for a point that is made outside of a sampler, such as in the test
// of a guidance.
func (p *Point) SetCoupling(kappa *Node) { p.coupling = kappa }

// own returns what the data see of x₀ | x_t if each datum looks at its own cell.
func (p *Point) own() linearisation {
	id := func(u *Node) *Node { return u }
	return linearisation{mean: p.Mean, variance: p.Var, to: id, from: id, back: id}
}

// Cov multiplies u, of shape (batch, d), by the covariance of x₀ given x_t: Cov(x₀ | x_t)
// u = (v/√α) (dm/dx_t)ᵀ u. It is one vector-Jacobian product of the prior's mean.
func (p *Point) Cov(u *Node) *Node {
	return Mul(p.Pull(ReduceAllSum(Mul(p.Mean, StopGradient(u)))), p.gain())
}

// Shifted turns a log-evidence that depends on x_t into its shift (v/√α) ∇ Σ value. The value may have any shape.
func (p *Point) Shifted(value *Node) *Node {
	return Mul(p.Pull(ReduceAllSum(value)), p.gain())
}

// through returns the shift of a function of the data at the Tweedie mean. The function sees the mean of each cell.
// Where data look through an operator, it sees η_k at the mean, or log θ_k for a sum of intensities.
func (p *Point) through(value func(datum *Point) *Node) *Node {
	if p.forward == nil {
		return p.Shifted(value(p))
	}
	var pull *Node
	for _, s := range p.graphParts() {
		v := s.at(StopGradient(p.Mean))
		leaf := Identity(StopGradient(v.eta))
		datum := &Point{Mean: leaf, Stat: s.part(p.Stat), Size: s.part(p.Size), Terms: s.Terms}
		pull = addTo(pull, v.from(Gradient(ReduceAllSum(value(datum)), leaf)[0]))
	}
	return p.Cov(pull)
}

// Pull returns the gradient of a scalar with respect to x_t. It takes one Jacobian product.
func (p *Point) Pull(value *Node) *Node {
	p.products++
	return Gradient(value, p.X)[0]
}

func (p *Point) gain() *Node { return Div(p.Level.V, p.Level.SqrtAlpha) }

// Unguided is the guidance that ignores the data: it samples the prior.
type Unguided struct{}

func (Unguided) String() string { return "unguided" }

// Shift returns 0.
func (Unguided) Shift(p *Point) *Node { return ZerosLike(p.X) }

// Draw returns x₀′ − E[x₀ | x_t] for a draw x₀′ of x₀ | x_t.
func (Unguided) Draw(p *Point) *Node { return p.Noise() }
