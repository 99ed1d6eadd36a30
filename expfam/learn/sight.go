package learn

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// sight is a linear operator through which the data depend on the cells, η = H x₀ + offset. A nil sight means
// that every datum depends on its own cell.
type sight struct {
	text             string         // names the operator, with a hash of its weights
	h, back, squared *sparse.Matrix // H, Hᵀ and H with squared weights
	squaredBack      *sparse.Matrix // transpose of squared
	offset           []float64
}

// sightOf returns the sight of a likelihood. It is nil without an operator, and for an operator that is the
// identity without offset. Several data sets and sums of intensities are errors.
func sightOf(terms *expfam.Terms, cells int) (*sight, error) {
	if terms.Sets() > 1 {
		return nil, fmt.Errorf("an inference network serves one data set, and this likelihood has %d; guide by "+
			"Quadrature", terms.Sets())
	}
	if terms.Operator == nil {
		return nil, nil
	}
	if _, sum := terms.Operator.(expfam.SumOf); sum {
		return nil, fmt.Errorf("the theta of %v is no function of one linear combination of cells, which an "+
			"inference network needs; guide by Quadrature", terms.Operator)
	}
	forward, err := terms.Forward(cells)
	if err != nil {
		return nil, err
	}
	s := &sight{h: sparse.New(forward.Data(), cells, forward.Row), offset: forward.Look(make([]float64, cells))}
	moved := false
	for _, o := range s.offset {
		moved = moved || o != 0
	}
	if s.h.Identity() && !moved {
		return nil, nil
	}
	s.back, s.squared = s.h.Transpose(), s.h.Squared()
	s.squaredBack = s.squared.Transpose()
	key := store.Key(s.h.Start, s.h.Cell, s.h.Weight, s.offset)
	s.text = fmt.Sprintf(", seen through %v (%s)", terms.Operator, key[:8])
	return s, nil
}

// name returns a text that tells operators apart by their weights, or "" without an operator.
func (s *sight) name() string {
	if s == nil {
		return ""
	}
	return s.text
}

// eta returns H x + offset, (batch, n), with a gradient.
func (s *sight) eta(x *Node) *Node {
	offset := Const(x.Graph(), tensors.FromFlatDataAndDimensions(s.offset, 1, len(s.offset)))
	return Add(s.times(x), ConvertDType(offset, x.DType()))
}

// times returns H x, (batch, n), with a gradient.
func (s *sight) times(x *Node) *Node { return sparse.Linear(x, s.h.Apply, s.back.Apply) }

// infer returns the conjugate prior of every datum; see [Inference] for the formula.
func (s *sight) infer(net nn.Network, w nn.Weights, scale Scale, coordinate func(x *Node) *Node, x *Node,
	l level.Nodes) (loc, logConc *Node) {
	estimate, s0, in := precondition(scale, x, l)
	center := s.eta(ConvertDType(Const(x.Graph(), [][]float64{scale.Mean}), x.DType()))
	center = Identity(StopGradient(center))
	slope := Gradient(ReduceAllSum(coordinate(center)), center)[0]
	slope = MaxScalar(Abs(StopGradient(slope)), 1e-3)
	variance := s.squared.Apply(Square(s0)) // (1, n) or (batch, n)
	out := net.Apply(w, in, heads)
	loc = Add(coordinate(s.eta(estimate)), Mul(slope, s.times(Mul(s0, out[0]))))
	shared := sparse.Linear(Mul(Square(s0), ClipScalar(out[1], -mostRowClip, mostRowClip)), s.squared.Apply,
		s.squaredBack.Apply)
	logConc = Sub(Div(shared, variance), Log(Mul(variance, Square(slope))))
	return loc, logConc
}

// mostRowClip bounds F₂, and with it the logarithm of the ratio between the variance of a datum and its variance
// if the cells were independent. The ratio is 30 for the sum of thirty equal cells, and 1/1000 for the
// difference of cells that differ by a thousandth of their variance.
const mostRowClip = 8
