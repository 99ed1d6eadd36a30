package learn

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/nn"
)

// The constants of Adam: the decays of its two moments, and ε.
const (
	adamFirst   = 0.9
	adamSecond  = 0.999
	adamEpsilon = 1e-8
)

// scalars returns the numbers of a step that depend on nothing but its index: the learning rate over the bias
// correction of the first moment, the bias correction of the second moment, and the decay of the average. The
// decay is smaller at the first steps, so that the average forgets the initial weights.
func (r *trainer) scalars() *tensors.Tensor {
	i := float64(r.next + 1)
	return tensors.FromValue([]float32{
		float32(r.rate(r.next) / (1 - math.Pow(adamFirst, i))),
		float32(1 / (1 - math.Pow(adamSecond, i))),
		float32(min(r.Average, (1+i)/(10+i))),
	})
}

// stepGraph returns the graph function of one step of Adam on a batch, from (state, scalars, data) to (state,
// loss).
func (r *trainer) stepGraph(params []nn.Param) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		g, loss := r.gradient(params, args[stWeights], args[states+1:])
		return append(r.adam(args[:states], args[states], g), loss)
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

// adam returns the state after a step of Adam along the gradient g. The gradient is scaled down if its norm is
// larger than Norm.
func (r *trainer) adam(state []*Node, scalars, g *Node) []*Node {
	weights, average, first, second := state[stWeights], state[stAverage], state[stFirst], state[stSecond]
	scalar := func(i int) *Node { return Slice(scalars, AxisRange(i, i+1)) }
	norm := Sqrt(ReduceAllSum(Square(g)))
	g = Mul(g, Div(Scalar(g.Graph(), dtypes.Float32, r.Norm), MaxScalar(norm, r.Norm)))

	first = Add(MulScalar(first, adamFirst), MulScalar(g, 1-adamFirst))
	second = Add(MulScalar(second, adamSecond), MulScalar(Square(g), 1-adamSecond))
	move := Div(Mul(first, scalar(0)), AddScalar(Sqrt(Mul(second, scalar(1))), adamEpsilon))
	weights = Sub(weights, move)
	average = Add(weights, Mul(Sub(average, weights), scalar(2)))
	return []*Node{weights, average, first, second}
}

// lossGraph returns the objective on data (x₀, z, σ).
func (r *trainer) lossGraph(w nn.Weights, data []*Node) *Node {
	x0, z, sigma := data[0], data[1], data[2]
	sqrtAlpha := Reciprocal(Sqrt(OnePlus(Square(sigma))))
	l := expfam.LevelNodes{SqrtAlpha: sqrtAlpha, V: Square(Mul(sigma, sqrtAlpha))}
	x := Mul(sqrtAlpha, Add(x0, Mul(sigma, z)))
	return r.objective(w, x0, x, l)
}
