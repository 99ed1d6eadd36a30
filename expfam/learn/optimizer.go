package learn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/nn"
)

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
