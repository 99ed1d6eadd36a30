package diffusion

import (
	"errors"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// Inferrer is an inference network (section 3.3 of the paper): it emits the conjugate prior that approximates p(θ |
// x_t). Both results are network coordinates, of shape (batch, d) or broadcastable to it, or (batch, n) for the n data
// of an operator. An Inferrer does not depend on data: exposures, trials and replicates enter with the update.
type Inferrer interface {
	String() string
	Infer(x *Node, l level.Nodes) (loc, logConc *Node)
}

// InferrerFor is an [Inferrer] that serves only some likelihoods, such as a network that
// was trained for one. A guidance asks it for the inferrer of its likelihood.
type InferrerFor interface {
	Inferrer
	// For returns the inferrer for a likelihood. Its error says why there is none, and what to do.
	For(terms *expfam.Terms) (Inferrer, error)
}

// Evidence is the paper's evidence trick: p(θⱼ | x_t) is replaced by a
// conjugate prior q, and p(y | x_t) by the closed-form evidence of y under it,
//
//	log p(y | x_t) ≈ Σⱼ A(νⱼ + Tⱼ, τⱼ + Nⱼ) − A(νⱼ, τⱼ) + log h(yⱼ)
//
// (the paper's App. E prints h for log h). It treats the cells of x₀ | x_t as independent, so at high noise it counts
// the data of coupled cells several times. Methods that forget the high-noise part of their path, by correctors or
// restarts, repair most of this error. [Tempered] and [Corrected] avoid it.
//
// Restarts cannot repair the error for high Poisson rates. A cell whose rate is below its count T pulls with a force of
// up to T, and all coupled cells together overshoot. A cell whose rate is above its count pulls back with a force of at
// most α, which moves x₀ by one unit in a step. The benchmark with θ = exp(5+x) took 200 draws from each of 39 data
// sets. Some draws ended 44 to 1026 sd too high, and three ended at infinite rates.
type Evidence struct {
	// Inference emits q. Default: the q closest in Kullback–Leibler divergence to the normal approximation of x₀ⱼ | x_t
	// by the prior's own moments. The approximation is exact for Gaussian priors. Data that look through an operator
	// need a network that was trained for the operator. It emits a q for every datum.
	Inference Inferrer
}

func (e Evidence) String() string { return "evidence(" + inferrerName(e.Inference) + ")" }

// Shift returns the shift of the sum of the log-evidences of all cells, or of all data with an operator.
func (e Evidence) Shift(p *Point) *Node {
	loc, logConc := conjugate(p, e.Inference)
	return p.Shifted(p.Terms.Family.Conjugate().LogEvidence(loc, logConc, p.Stat, p.Size))
}

func inferrerName(i Inferrer) string {
	if i == nil {
		return "moments"
	}
	return i.String()
}

// conjugate returns q of every cell at the point, or of every datum of an operator, of shape (batch, data).
func conjugate(p *Point, i Inferrer) (loc, logConc *Node) {
	if _, general := p.Terms.Family.(expfam.General); general {
		panic(fmt.Errorf("the evidence of %v under a conjugate has no closed form; guide by Quadrature",
			p.Terms.Family))
	}
	p.throughForward = true
	switch n, ok := i.(InferrerFor); {
	case i == nil && p.forward != nil:
		panic(errors.New("the evidence of data that look through an operator needs an inference network that was " +
			"trained for it; give Evidence one of learn.TrainInference, or guide by Quadrature"))
	case i == nil:
		return p.Terms.Project(p.Mean, p.Var)
	case ok:
		own, err := n.For(p.Terms)
		if err != nil {
			panic(err)
		}
		i = own
	}
	return i.Infer(p.X, p.Level)
}

// evidenceSlopes returns the gradient and the information −∂² of each cell's log-evidence. Derivatives are
// with respect to the mean mⱼ of x₀ⱼ | x_t, through the location of q.
func evidenceSlopes(p *Point, i Inferrer) (slope, information *Node) {
	if p.forward != nil {
		p.throughForward = true // refused in these words
		panic(errors.New("this guidance takes data of single cells; guide data that look through an operator by " +
			"Quadrature, or by Evidence with an inference network of learn.TrainInference"))
	}
	mean := Identity(StopGradient(p.Mean))
	loc, logConc := conjugate(p, i)
	slope, information = p.Terms.Family.Conjugate().Derivatives(
		StopGradient(loc), StopGradient(logConc), p.Stat, p.Size)
	rate := Gradient(ReduceAllSum(p.Terms.Coordinate()(mean)), mean)[0]
	return Mul(slope, rate), Mul(information, Square(rate))
}
