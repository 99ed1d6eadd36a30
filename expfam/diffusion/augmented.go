package diffusion

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
)

// Augmented is a prior of a field and of its unknown parameters, such as a prior that learn.Train made of a simulator
// with parameters. The last cells are the parameters: the cell of a parameter is its score ([law.At]) times a small
// scale. The cells before them are the field. Its observations have no terms for the parameters, and operators look at
// the field alone.
//
// The scale is small because E[t | x₀] may be an even function of x₀, as for the score t of a length scale. The score
// and the field are then uncorrelated in strong noise, where a linear shift would decide the score without the data. A
// cell of small scale is decided last, when x_t shows the field.
type Augmented interface {
	expfam.Prior
	// Augmented returns the parameters, none if the prior has no parameters after all, and the scale of their cells.
	Augmented() (parameters []law.Parameter, scale float64)
}

// augmentedPrior returns the parameters that a prior has besides the field, and the scale of their cells.
func augmentedPrior(prior expfam.Prior) (parameters []law.Parameter, scale float64) {
	if a, ok := prior.(Augmented); ok {
		return a.Augmented()
	}
	return nil, 0
}

// augmented reports whether a prior has parameters besides the field. Drawn steps hardly learn them: they take
// Cov(x₀ | x_t) for the same at every x_t, and the covariance of a parameter with the field has either sign.
func augmented(prior expfam.Prior) bool {
	parameters, _ := augmentedPrior(prior)
	return len(parameters) > 0
}

// augmentedRestarts is the default method of an [Augmented] prior for data of single cells. Parameters are decided at
// low noise, by small modes of the field, so the steps are shorter than usual. The return goes to a high noise level,
// because the guidance is accurate there too; see [Quadrature.pseudodata].
var augmentedRestarts = Restarts{First: 12, Count: 1, High: 2, Each: 16, Last: 8}

// augmented draws the field and the parameters of an [Augmented] prior. Data look at the field alone.
func (s Sampler) augmented(ctx context.Context, prior expfam.Prior, like expfam.Likelihood,
	obs expfam.Observations) (*expfam.Posterior, error) {
	parameters, scale := augmentedPrior(prior)
	field := prior.Dim() - len(parameters)
	whole, terms, err := beside(like, obs, field, len(parameters))
	if err != nil {
		return nil, err
	}
	post, failure := s.sample(ctx, prior, whole, terms)
	if post == nil {
		return nil, failure
	}
	draws, _ := post.Dims()
	own := &expfam.Posterior{X: mat.DenseCopyOf(post.X.Slice(0, draws, 0, field)), Likelihood: like, Info: post.Info,
		Stats: post.Stats}
	if own.Likelihood, _, err = joint.AtMedians(like, obs, post.Parameters); err != nil {
		return nil, err
	}
	own.Info.Missing = obs.Blanks()
	for k, p := range parameters {
		values := make([]float64, draws)
		for i := range values {
			values[i] = law.At(p.Law, post.X.At(i, field+k)/scale)
		}
		own.AddParameter(p, values)
	}
	own.Parameters = append(own.Parameters, post.Parameters...)
	return own, failure
}

// beside returns a likelihood and observations of a field for cells of which so many more at the end have no data.
func beside(like expfam.Likelihood, obs expfam.Observations, field, more int) (expfam.Likelihood, expfam.Observations,
	error) {
	parts := like.Parts()
	if len(parts) == 1 && parts[0].Operator == nil {
		if len(obs) != field {
			return like, nil, fmt.Errorf("sample: %d cells observed and %d in the field of the prior, whose "+
				"parameters have no data; give one term a cell, zero where it is missing", len(obs), field)
		}
		return like, append(obs[:field:field], make(expfam.Observations, more)...), nil
	}
	for i, part := range parts {
		switch op := part.Operator.(type) {
		case nil:
			parts[i].Operator = leading{nil, field, more}
		case expfam.SumOf:
			if err := expfam.CheckPrior(op.Operator); err != nil {
				return like, nil, err
			}
			parts[i].Operator = expfam.SumOf{Operator: leading{op.Operator, field, more}}
		default:
			if err := expfam.CheckPrior(op); err != nil {
				return like, nil, err
			}
			parts[i].Operator = leading{op, field, more}
		}
	}
	return expfam.Together(parts...), obs, nil
}

// leading is an operator on the first cells, of which so many more follow. A nil operator is the identity.
type leading struct {
	of          expfam.Operator
	cells, more int
}

func (l leading) String() string {
	if l.of == nil {
		return fmt.Sprintf("first %d of %d cells", l.cells, l.cells+l.more)
	}
	return fmt.Sprintf("%v, of the first %d of %d cells", l.of, l.cells, l.cells+l.more)
}

// Dims implements [expfam.Operator].
func (l leading) Dims() (data, cells int) {
	if l.of == nil {
		return l.cells, l.cells + l.more
	}
	data, cells = l.of.Dims()
	return data, cells + l.more
}

// take returns the first cells of x.
func (l leading) take(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(0, l.cells)) }

// put returns x with zeros for the cells that follow.
func (l leading) put(x *Node) *Node {
	zeros := BroadcastToDims(ScalarZero(x.Graph(), x.DType()), x.Shape().Dimensions[0], l.more)
	return Concatenate([]*Node{x, zeros}, -1)
}

// Apply implements [expfam.Operator].
func (l leading) Apply(x *Node) *Node {
	x = sparse.Linear(x, l.take, l.put)
	if l.of == nil {
		return x
	}
	return l.of.Apply(x)
}

// Adjoint implements [expfam.Operator].
func (l leading) Adjoint(y *Node) *Node {
	if l.of != nil {
		y = l.of.Adjoint(y)
	}
	return sparse.Linear(y, l.put, l.take)
}

// Offset implements [expfam.OffsetOperator].
func (l leading) Offset() []float64 {
	if o, ok := l.of.(expfam.OffsetOperator); ok {
		return o.Offset()
	}
	data, _ := l.Dims()
	return make([]float64, data)
}

// RowNames implements [expfam.Named].
func (l leading) RowNames() []string {
	if n, ok := l.of.(expfam.Named); ok {
		return n.RowNames()
	}
	return nil
}
