package learn

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
)

// scalars returns the numbers of a step that depend on nothing but its index: those of the optimizer, and the decay of
// the average. The decay is smaller at the first steps, so that the average forgets the initial weights.
func (r *trainer) scalars() *tensors.Tensor {
	i := float64(r.next + 1)
	all := r.Optimizer.Scalars(r.next, r.rate(r.next))
	return tensors.FromValue(append(all, float32(min(r.Average, (1+i)/(10+i)))))
}

// stepGraph returns the graph function of one step on a batch, from (state, scalars, data) to (state, loss).
func (r *trainer) stepGraph(params []nn.Param) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		g, loss := r.gradient(params, args[stWeights], args[states+1:])
		return append(r.update(params, args[:states], args[states], g), loss)
	}
}

// gradient returns the gradient of the loss on a batch, as a flat vector, and the loss.
func (r *trainer) gradient(params []nn.Param, weights *Node, data []*Node) (g, loss *Node) {
	w := nn.Unpack(weights, params)
	loss = r.lossGraph(w, data)
	leaves := make([]*Node, len(params))
	for i, p := range params {
		leaves[i] = w[p.Name]
	}
	gradients := Gradient(loss, leaves...)
	for i, g := range gradients {
		gradients[i] = Reshape(g, g.Shape().Size())
	}
	return Concatenate(gradients, 0), loss
}

// longest is the largest norm of a gradient that moves the weights.
const longest = 1.0

// update returns the state after a step of the optimizer along the gradient g. The gradient is scaled down if its norm
// is larger than longest.
func (r *trainer) update(params []nn.Param, state []*Node, scalars, g *Node) []*Node {
	norm := Sqrt(ReduceAllSum(Square(g)))
	g = Mul(g, Div(Scalar(g.Graph(), dtypes.Float32, longest), MaxScalar(norm, longest)))

	d := Descent{Params: params, Weights: state[stWeights], Gradient: g, First: state[stFirst], Second: state[stSecond],
		scalars: scalars}
	move, first, second := r.Optimizer.Move(d)
	weights := Sub(d.Weights, move)
	decay := d.Scalar(scalars.Shape().Dim(0) - 1)
	average := Add(weights, Mul(Sub(state[stAverage], weights), decay))
	return []*Node{weights, average, first, second}
}

// lossGraph returns the objective on data (x₀, z, σ).
func (r *trainer) lossGraph(w nn.Weights, data []*Node) *Node {
	x0, z, sigma := data[0], data[1], data[2]
	sqrtAlpha := Reciprocal(Sqrt(OnePlus(Square(sigma))))
	l := level.Nodes{SqrtAlpha: sqrtAlpha, V: Square(Mul(sigma, sqrtAlpha))}
	x := Mul(sqrtAlpha, Add(x0, Mul(sigma, z)))
	return r.objective(w, x0, x, l)
}
