package decide

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// Value is what a survey is to lower: [Variance], [Entropy] or the loss of a decision, [LossOf]. A value of one's own
// is a type with these methods.
type Value interface {
	String() string
	// Risk returns a function of weights of the draws, (batch, draws), where each row sums to 1. It returns one number
	// for each row: the risk of one who believes the draws with these weights. The function must not keep or change its
	// argument.
	Risk(post *expfam.Posterior) (func(weights *mat.Dense) []float64, error)
}

// Variance is the sum over cells of the variances of θⱼ, or over the quantities that Through looks at, such as
// districts. Weighted draws have the variance
//
//	Σₛ wₛ (θₛ − θ̄)²/(1 − Σₛ wₛ²),
//
// which has no bias if the weights are independent of θ. A survey therefore lowers the variance of a cell that it says
// nothing about by 0 on average.
type Variance struct {
	Through expfam.RowOperator // nil: all cells
	Weights []float64          // of the cells or quantities in the sum; nil: 1
}

func (Variance) String() string { return "variance" }

// Risk implements [Value].
func (v Variance) Risk(post *expfam.Posterior) (func(*mat.Dense) []float64, error) {
	x, err := targets(post, v.Through)
	if err != nil {
		return nil, err
	}
	draws, cells := x.Dims()
	if v.Weights != nil && len(v.Weights) != cells {
		return nil, fmt.Errorf("decide: variance: %d weights for %d quantities; give one for each", len(v.Weights),
			cells)
	}
	centred := mat.NewDense(draws, cells, nil)
	mean := (&expfam.Draws{X: x}).Mean()
	square := make([]float64, draws)
	for i := range draws {
		row := centred.RawRowView(i)
		floats.SubTo(row, x.RawRowView(i), mean)
		for j := range row {
			if v.Weights != nil {
				if !(v.Weights[j] >= 0) {
					return nil, fmt.Errorf("decide: variance: weight %d is %g; it must be at least 0", j, v.Weights[j])
				}
				row[j] *= math.Sqrt(v.Weights[j])
			}
			square[i] += row[j] * row[j]
		}
	}
	inner := centred // |Wᵀ X|² is computed over cells, or over draws by the Gram matrix if these are fewer
	if cells > draws {
		inner = mat.NewDense(draws, draws, nil)
		inner.Mul(centred, centred.T())
	}
	return func(w *mat.Dense) []float64 {
		var means mat.Dense
		means.Mul(w, inner)
		out := make([]float64, w.RawMatrix().Rows)
		for m := range out {
			row, mean := w.RawRowView(m), means.RawRowView(m)
			other := mean
			if cells > draws {
				other = row
			}
			out[m] = (floats.Dot(row, square) - floats.Dot(mean, other)) / max(1-floats.Dot(row, row), 1e-9)
		}
		return out
	}, nil
}

// targets returns θ of all cells, or of what an operator looks at.
func targets(post *expfam.Posterior, through expfam.RowOperator) (*mat.Dense, error) {
	if post == nil || post.X == nil {
		return nil, errors.New("decide: there are no draws; give a posterior")
	}
	if through == nil {
		return post.Theta().X, nil
	}
	seen, err := post.Through(through)
	if err != nil {
		return nil, err
	}
	return seen.X, nil
}

// Entropy is the entropy of the whole field in nats. The survey lowers it by the mutual information of the new data and
// the field,
//
//	I = E log p(y | x₀) − E log p(y),
//
// which is found from the weights wₛ ∝ p(y | x₀ₛ) as E Σₛ wₛ log(S wₛ).
type Entropy struct{}

func (Entropy) String() string { return "entropy (nats)" }

// Risk implements [Value].
func (Entropy) Risk(*expfam.Posterior) (func(*mat.Dense) []float64, error) {
	return func(w *mat.Dense) []float64 {
		out := make([]float64, w.RawMatrix().Rows)
		for m := range out {
			for _, v := range w.RawRowView(m) {
				if v > 0 {
					out[m] -= v * math.Log(v)
				}
			}
		}
		return out
	}, nil
}

// LossOf is the expected loss of the best choice of a [Problem]. What a survey lowers it by is the expected value of
// sample information (Raiffa & Schlaifer 1961).
type LossOf struct {
	Problem Problem
	Through expfam.RowOperator // makes districts of cells; nil: each cell is a district
}

func (LossOf) String() string { return "expected loss" }

// Risk implements [Value].
func (v LossOf) Risk(post *expfam.Posterior) (func(*mat.Dense) []float64, error) {
	x, err := targets(post, v.Through)
	if err != nil {
		return nil, err
	}
	t, err := v.Problem.read(&expfam.Draws{X: x})
	if err != nil {
		return nil, err
	}
	return func(w *mat.Dense) []float64 {
		var gains mat.Dense
		gains.Mul(w, t.save)
		out := make([]float64, w.RawMatrix().Rows)
		for m := range out {
			_, saved := v.Problem.best(gains.RawRowView(m), t.costs)
			out[m] = floats.Dot(w.RawRowView(m), t.leave) - saved
		}
		return out
	}, nil
}
