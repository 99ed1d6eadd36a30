package expfam

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/expfam/internal/traits"
)

// ForwardPart is the forward model of one data set: η = H x₀ + Offset, or for a sum of intensities
// θ = H f(x₀) + Offset with the link f of Sum.
type ForwardPart struct {
	// Terms gives the log-likelihood of a datum as a function of η_k, or of log θ_k for a sum of intensities.
	Terms *Terms
	// Sum is the likelihood whose link makes the intensity of a cell. It is nil if the operator
	// does not sum intensities.
	Sum      *Terms
	Operator Operator // nil: datum k looks at cell k
	// H has the weights, Squared has their squares, and SquaredBack is the transpose of
	// Squared. All three are nil without an operator.
	H, Squared, SquaredBack *sparse.Matrix
	Offset                  []float64 // nil is 0
	First, Rows             int       // number of the first datum, and number of data
}

// bind binds one likelihood to a number of cells. It leaves out an operator that is the identity without an offset.
func (t *Terms) bind(cells int) (ForwardPart, error) {
	if t.Operator == nil {
		return ForwardPart{Terms: t, Rows: cells}, nil
	}
	op := t.Operator
	s := ForwardPart{Terms: t, Operator: op}
	if err := checkOperator(op); err != nil {
		return s, err
	}
	if sum, ok := op.(SumOf); ok {
		op, s.Sum = sum.Operator, t
		if err := t.summable(); err != nil {
			return s, err
		}
		var err error
		if s.Terms, err = (Likelihood{Family: t.Family, Link: ExpLink}).Terms(); err != nil {
			return s, err
		}
	}
	rows, cols := op.Dims()
	if cols != cells {
		return s, fmt.Errorf("the operator %v looks at %d cells, and the prior has %d", op, cols, cells)
	}
	if rows < 1 {
		return s, fmt.Errorf("the operator %v has %d data; it needs at least 1", op, rows)
	}
	var err error
	if s.H, err = matrixOf(op); err != nil {
		return s, err
	}
	if o, ok := op.(OffsetOperator); ok {
		s.Offset = o.Offset()
	}
	s.Rows = rows
	if err := s.check(op); err != nil {
		return s, err
	}
	if s.Offset == nil && s.H.Identity() { // a sum has one intensity here, which t's own link gives
		return ForwardPart{Terms: t, Rows: rows}, nil
	}
	s.Squared = s.H.Squared()
	s.SquaredBack = s.Squared.Transpose()
	return s, nil
}

// checkOperator returns the error of an operator that is a [Checker], or whose intensities are summed. It is called
// before other methods, because those of a wrong operator may panic.
func checkOperator(op Operator) error {
	if sum, ok := op.(*SumOf); ok && sum != nil {
		op = *sum
	}
	if sum, ok := op.(SumOf); ok {
		if sum.Operator == nil {
			return errors.New("a sum of intensities has no operator; give SumOf one of package operator")
		}
		op = sum.Operator
	}
	return traits.Check(op)
}

// summable returns an error unless θ may be any positive number.
func (t *Terms) summable() error {
	if t.own != nil || t.natural.Low != 0 || !math.IsInf(t.natural.High, 1) {
		return fmt.Errorf("the theta of %v lies in %s; a sum of intensities needs a family whose theta is any "+
			"positive number, such as Poisson", t.Family, interval(t.natural))
	}
	return nil
}

// check refuses an offset of another length or with impossible values, a datum that looks at no cell,
// and negative weights in a sum of intensities.
func (s ForwardPart) check(op Operator) error {
	if s.Offset != nil && len(s.Offset) != s.Rows {
		return fmt.Errorf("the operator %v has %d data and an offset of %d", op, s.Rows, len(s.Offset))
	}
	for k := range s.Rows {
		if s.Offset != nil {
			if o := s.Offset[k]; math.IsNaN(o) || math.IsInf(o, 0) || s.Sum != nil && o < 0 {
				return fmt.Errorf("datum %d of the operator %v has the offset %g; it must be finite, and not "+
					"negative where intensities are summed", k, op, o)
			}
		}
		if s.H.Start[k] == s.H.Start[k+1] {
			return fmt.Errorf("datum %d of the operator %v looks at no cell; leave it out", k, op)
		}
		for i := s.H.Start[k]; i < s.H.Start[k+1]; i++ {
			if w := s.H.Weight[i]; s.Sum != nil && w < 0 {
				return fmt.Errorf("datum %d of the operator %v has the weight %g at cell %d; weights must not be "+
					"negative where intensities are summed", k, op, w, s.H.Cell[i])
			}
		}
	}
	return nil
}

// row calls visit with each cell of datum k of this data set and its weight.
func (s ForwardPart) row(k int, visit func(cell int, weight float64)) {
	if s.Operator == nil {
		visit(k, 1)
	} else {
		s.H.Row(k, visit)
	}
}

// Places writes η of every datum at x into eta, or log θ for a sum of intensities. For a sum it
// returns the slopes f′(xⱼ) of the link f in all cells.
func (s ForwardPart) Places(x, eta []float64) (slopes []float64) {
	if s.Operator == nil {
		copy(eta, x)
		return nil
	}
	from := x
	if s.Sum != nil {
		from, slopes = make([]float64, len(x)), make([]float64, len(x))
		s.Sum.ThetaSlopes(x, from, slopes)
	}
	s.H.MulVec(eta, from)
	for k := range eta {
		if s.Offset != nil {
			eta[k] += s.Offset[k]
		}
		if s.Sum != nil {
			eta[k] = math.Log(eta[k])
		}
	}
	return slopes
}

// Pull adds to slope the gradient in x of a function whose gradient in η, or in log θ for a sum of
// intensities, is given. eta and slopes come from [ForwardPart.Places].
func (s ForwardPart) Pull(slope, gradient, eta, slopes []float64) {
	if s.Operator == nil {
		for j, v := range gradient {
			slope[j] += v
		}
		return
	}
	if s.Sum != nil {
		gradient = slices.Clone(gradient)
		for k := range gradient {
			gradient[k] /= math.Exp(eta[k])
		}
	}
	part := make([]float64, len(slope))
	s.H.MulTransVec(part, gradient)
	for j, v := range part {
		if slopes != nil {
			v *= slopes[j]
		}
		slope[j] += v
	}
}
