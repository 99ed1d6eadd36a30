package learn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
)

// proposalSD is the standard deviation of the scores of parameters in the draws that a network is trained on; see
// [Training.importance].
const proposalSD = 1.3

// proposed returns the simulator that the steps of a training draw from: the scores of parameters have the standard
// deviation proposalSD. A simulator without parameters is returned as it is.
func proposed(sim expfam.Simulator) expfam.Simulator {
	switch a := sim.(type) {
	case augmented:
		a.sd = proposalSD
		return a
	case concurrent:
		a.sd = proposalSD
		return a
	}
	return sim
}

// importance returns the weights of draws, (batch, 1), for the moments of x₀ | x_t that the network has. Few draws of a
// prior have an extreme length scale and an extreme standard deviation, and a network that learns from such draws has
// wrong posteriors there. The scores t of draws are therefore from a proposal q = N(0, τ²) in place of the prior
// p = N(0, 1). The weight is
//
//	(p(t)/q(t)) E_p[q(t)/p(t) | x_t],
//
// for each parameter, where the expectation is under the network's normal t | x_t, held fixed. The first factor makes
// the moments of x₀ | x_t under the prior the minimiser (importance sampling). The second depends on x_t alone, so it
// leaves the minimiser where it is, and lets a draw that x_t shows to be rare count as much as any other. It is bounded
// by mostWeight.
func (t Training) importance(scale Scale, x0, mean, variance *Node) *Node {
	d := len(scale.Mean)
	unit := 1 / scale.SD[d-1]
	scores := func(v *Node) *Node { return StopGradient(Slice(v, AxisRange(), AxisRange(d-t.scores, d))) }
	const k = 1 - 1/(proposalSD*proposalSD) // log q/p = k t²/2 up to a constant
	rest := OneMinus(MulScalar(MinScalar(MulScalar(scores(variance), unit*unit), 1), k))
	sum := func(v *Node) *Node { return ReduceAndKeep(v, ReduceSum, -1) }
	rare := sum(Sub(Div(Square(MulScalar(scores(mean), unit)), rest), MulScalar(Log(rest), 1/k)))
	rare = MinScalar(MulScalar(rare, k/2), math.Log(mostWeight))
	return Exp(Sub(rare, MulScalar(sum(Square(MulScalar(scores(x0), unit))), k/2)))
}
