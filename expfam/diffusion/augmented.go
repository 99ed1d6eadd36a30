package diffusion

import (
	"context"
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
)

// Augmented is a prior of a field and of its unknown parameters, such as a prior that learn.Train made of a simulator
// with parameters. The last cells are the parameters: the cell of a parameter is its score ([law.At]) times a small
// scale. The cells before them are the field. Its observations have no terms for the parameters, and operators look at
// the field alone. The last cells of the field may lie ahead of the data, as the weeks of a forecast do: no datum looks
// at them, and such a cell is its score under the mean and the standard deviation of the prior, times the same scale.
//
// The scale is small because E[t | x₀] may be an even function of x₀, as for the score t of a length scale. The score
// and the field are then uncorrelated in strong noise, where a linear shift would decide the score without the data. A
// cell of small scale is decided last, when x_t shows the field.
type Augmented interface {
	expfam.Prior
	// Augmented returns the parameters, none if the prior has no parameters after all, the mean and the standard
	// deviation of each cell ahead of the data, and the scale of the cells of both.
	Augmented() (parameters []law.Parameter, ahead []law.Normal, scale float64)
}

// augmentation is what a prior has in its last cells, after those that data look at.
type augmentation struct {
	parameters []law.Parameter
	ahead      []law.Normal // in the cells before the parameters
	data       int          // number of cells that data may look at
	scale      float64
}

// augmentationOf returns the augmentation of a prior. A prior that is not [Augmented] has none.
func augmentationOf(prior expfam.Prior) (a augmentation) {
	if p, ok := prior.(Augmented); ok {
		a.parameters, a.ahead, a.scale = p.Augmented()
		a.data = prior.Dim() - a.extraCells()
	}
	return a
}

// extraCells returns the number of cells after those that data may look at.
func (a augmentation) extraCells() int { return len(a.ahead) + len(a.parameters) }

// augmented reports whether a prior has parameters besides the field. Drawn steps hardly learn them: they take
// Cov(x₀ | x_t) for the same at every x_t, and the covariance of a parameter with the field has either sign.
func augmented(prior expfam.Prior) bool {
	return len(augmentationOf(prior).parameters) > 0
}

// augmentedRestarts is the default method of an [Augmented] prior for data of single cells. Parameters are decided at
// low noise, by small modes of the field, so the steps are shorter than usual. The return goes to a high noise level,
// because the guidance is accurate there too; see [Quadrature.pseudodata].
var augmentedRestarts = Restarts{First: 12, Count: 1, High: 2, Each: 16, Last: 8}

// augmented draws the field and the parameters of an [Augmented] prior. Data look at the field alone.
func (s Sampler) augmented(ctx context.Context, prior expfam.Prior, like expfam.Likelihood,
	obs expfam.Observations) (*expfam.Posterior, error) {
	a := augmentationOf(prior)
	whole, terms, err := a.beside(like, obs)
	if err != nil {
		return nil, err
	}
	post, failure := s.sample(ctx, prior, whole, terms)
	if post == nil {
		return nil, failure
	}
	draws, _ := post.Dims()
	field := a.data + len(a.ahead)
	own := &expfam.Posterior{X: mat.DenseCopyOf(post.X.Slice(0, draws, 0, field)), Likelihood: like, Info: post.Info,
		Stats: post.Stats}
	for k, l := range a.ahead {
		for i := range draws {
			own.X.Set(i, a.data+k, l.Mean+l.SD*post.X.At(i, a.data+k)/a.scale)
		}
	}
	if own.Likelihood, _, err = joint.AtMedians(like, obs, post.Parameters); err != nil {
		return nil, err
	}
	own.Info.Missing = obs.Blanks()
	for k, p := range a.parameters {
		values := make([]float64, draws)
		for i := range values {
			values[i] = law.At(p.Law, post.X.At(i, field+k)/a.scale)
		}
		own.AddParameter(p, values)
	}
	own.Parameters = append(own.Parameters, post.Parameters...)
	return own, failure
}

// beside returns a likelihood and observations of a field for all cells of the prior, of which the last have no data.
func (a augmentation) beside(like expfam.Likelihood, obs expfam.Observations) (expfam.Likelihood, expfam.Observations,
	error) {
	field, more := a.data, a.extraCells()
	parts := like.Parts()
	if len(parts) == 1 && parts[0].Operator == nil {
		if all := field + len(a.ahead); len(obs) != all {
			return like, nil, fmt.Errorf("sample: %d cells observed and %d in the field of the prior, whose "+
				"parameters have no data; give one term a cell, zero where it is missing", len(obs), all)
		}
		if j := slices.Index(obs.Missing()[field:], false); j >= 0 {
			return like, nil, fmt.Errorf("sample: cell %d has a datum, and the prior was trained with its last %d "+
				"cells ahead of the data; train with a smaller Ahead", field+j, len(a.ahead))
		}
		return like, append(obs[:field:field], make(expfam.Observations, more)...), nil
	}
	for i, part := range parts {
		op, sum := part.Operator, false
		if s, ok := op.(expfam.SumOf); ok {
			op, sum = s.Operator, true
		}
		if op != nil {
			if err := traits.Check(op); err != nil {
				return like, nil, err
			}
			if _, cells := op.Dims(); cells != field {
				return like, nil, fmt.Errorf("sample: %v looks at %d cells, and %d cells of the prior's field may "+
					"have data; give an operator on these", op, cells, field)
			}
		}
		if parts[i].Operator = (leading{op, field, more}); sum {
			parts[i].Operator = expfam.SumOf{Operator: parts[i].Operator}
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

// Apply implements [expfam.Operator].
func (l leading) Apply(x *Node) *Node {
	x = sparse.First(x, l.cells)
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
	return sparse.Padded(y, l.more)
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
