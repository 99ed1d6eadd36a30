package learn

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// sight is how data look at the cells through a linear operator, η = H x₀ + offset.
type sight struct {
	text             string
	h, back, squared *sparse.Matrix // H, Hᵀ and the squares of H's weights
	squaredBack      *sparse.Matrix
	offset           []float64
}

// sightOf is the sight of a likelihood, nil where every datum looks at its own cell.
func sightOf(terms *expfam.Terms, cells int) (*sight, error) {
	if terms.Sets() > 1 {
		return nil, fmt.Errorf("an inference network serves one data set, and this likelihood has %d; guide by Quadrature", terms.Sets())
	}
	if terms.Operator == nil {
		return nil, nil
	}
	if _, sum := terms.Operator.(expfam.SumOf); sum {
		return nil, fmt.Errorf("the theta of %v is no function of one linear combination of cells, which an inference network needs; guide by Quadrature", terms.Operator)
	}
	forward, err := terms.Forward(cells)
	if err != nil {
		return nil, err
	}
	s := &sight{h: sparse.New(forward.Data(), cells, forward.Row)}
	if s.offset, err = forward.Look(make([]float64, cells)); err != nil {
		return nil, err
	}
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

// name tells operators apart, by their weights; "" without one.
func (s *sight) name() string {
	if s == nil {
		return ""
	}
	return s.text
}

// eta is H x + offset, (batch, n), with a gradient.
func (s *sight) eta(x *Node) *Node {
	offset := Const(x.Graph(), tensors.FromFlatDataAndDimensions(s.offset, 1, len(s.offset)))
	return Add(s.times(x), ConvertDType(offset, x.DType()))
}

func (s *sight) times(x *Node) *Node { return sparse.Linear(x, s.h.Apply, s.back.Apply) }

// infer is the conjugate prior of every datum; see [Inference].
func (s *sight) infer(net nn.Network, w nn.Weights, scale Scale, coordinate func(x *Node) *Node, x *Node, l expfam.LevelNodes) (loc, logConc *Node) {
	estimate, s0, in := precondition(scale, x, l)
	center := s.eta(ConvertDType(Const(x.Graph(), [][]float64{scale.Mean}), x.DType()))
	center = Identity(StopGradient(center))
	slope := Gradient(ReduceAllSum(coordinate(center)), center)[0]
	slope = MaxScalar(Abs(StopGradient(slope)), 1e-3)
	variance := s.squared.Apply(Square(s0)) // (1, n) or (batch, n)
	out := net.Apply(w, in, heads)
	loc = Add(coordinate(s.eta(estimate)), Mul(slope, s.times(Mul(s0, out[0]))))
	shared := sparse.Linear(Mul(Square(s0), ClipScalar(out[1], -mostRowClip, mostRowClip)), s.squared.Apply, s.squaredBack.Apply)
	logConc = Sub(Div(shared, variance), Log(Mul(variance, Square(slope))))
	return loc, logConc
}

// mostRowClip bounds the log of the ratio of a datum's variance to that of independent cells.
// Thirty equal cells have a ratio of 30, and differences of cells that differ by a thousandth
// of their variance one of 1/1000.
const mostRowClip = 8
