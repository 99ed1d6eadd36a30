package learn

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/nn"
)

// Adam divides the mean of the gradients by the root of the mean of their squares, entry by entry (Kingma & Ba 2015).
// It is the default.
type Adam struct{}

// The constants of Adam: the decays of its two moments, and ε.
const (
	adamFirst   = 0.9
	adamSecond  = 0.999
	adamEpsilon = 1e-8
)

func (Adam) String() string { return "adam" }

// Scalars returns the learning rate over the bias correction of the first moment, and the bias correction of the
// second moment.
func (Adam) Scalars(i int, rate float64) []float32 {
	n := float64(i + 1)
	return []float32{
		float32(rate / (1 - math.Pow(adamFirst, n))),
		float32(1 / (1 - math.Pow(adamSecond, n))),
	}
}

// Move returns the step of Adam and its moments.
func (Adam) Move(d Descent) (move, first, second *Node) {
	first = Add(MulScalar(d.First, adamFirst), MulScalar(d.Gradient, 1-adamFirst))
	second = Add(MulScalar(d.Second, adamSecond), MulScalar(Square(d.Gradient), 1-adamSecond))
	move = Div(Mul(first, d.Scalar(0)), AddScalar(Sqrt(Mul(second, d.Scalar(1))), adamEpsilon))
	return move, first, second
}

// Optimizer says how gradients move the weights. [Adam] and [Muon] are optimizers.
type Optimizer interface {
	// String returns a text that determines the optimizer.
	String() string
	// Scalars returns the numbers of a step that depend on its index i, which begins at 0, and on the learning rate of
	// this step alone. There are equally many in every step.
	Scalars(i int, rate float64) []float32
	// Move returns on the graph what is subtracted from the weights, and the two moments after the step.
	Move(s Descent) (move, first, second *Node)
}

// Descent is what an [Optimizer] sees of a step. All vectors have one entry for each entry of the parameters, in the
// order of the parameters.
type Descent struct {
	Params   []nn.Param
	Weights  *Node // before the step
	Gradient *Node // of norm 1 at most
	// First and Second are two vectors that the optimizer keeps from step to step. They begin at 0.
	First, Second *Node
	scalars       *Node
}

// Scalar returns the i-th number of [Optimizer.Scalars], of shape (1,).
func (d Descent) Scalar(i int) *Node { return Slice(d.scalars, AxisRange(i, i+1)) }
