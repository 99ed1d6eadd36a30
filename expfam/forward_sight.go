package expfam

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// sight says how the data of one likelihood look at the cells.
type sight struct {
	// terms gives the log-likelihood of a datum as a function of η_k, or of log θ_k for a sum of
	// intensities.
	terms *Terms
	// sum is the likelihood whose link makes the intensity of a cell. It is nil if the operator
	// does not sum intensities.
	sum *Terms
	op  Operator // nil: datum k looks at cell k
	// h is H, squared has the squares of the weights of H, and squaredBack is the transpose of
	// squared. All three are nil without an operator.
	h, squared, squaredBack *sparse.Matrix
	offset                  []float64 // nil is 0
	first, rows             int       // number of the first datum, and number of data
}

// sight binds one likelihood to a number of cells. It leaves out an operator that is the identity
// without an offset.
func (t *Terms) sight(cells int) (sight, error) {
	if t.Operator == nil {
		return sight{terms: t, rows: cells}, nil
	}
	op := t.Operator
	s := sight{terms: t, op: op}
	if err := checkOperator(op); err != nil {
		return s, err
	}
	if sum, ok := op.(SumOf); ok {
		op, s.sum = sum.Operator, t
		if err := t.summable(); err != nil {
			return s, err
		}
		var err error
		if s.terms, err = (Likelihood{Family: t.Family, Link: ExpLink}).Terms(); err != nil {
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
	if s.h, err = matrixOf(op); err != nil {
		return s, err
	}
	if o, ok := op.(OffsetOperator); ok {
		s.offset = o.Offset()
	}
	s.rows = rows
	if err := s.check(op); err != nil {
		return s, err
	}
	if s.offset == nil && s.h.Identity() { // a sum has one intensity here, which t's own link gives
		return sight{terms: t, rows: rows}, nil
	}
	s.squared = s.h.Squared()
	s.squaredBack = s.squared.Transpose()
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
	return CheckPrior(op)
}

// summable returns an error unless θ may be any positive number.
func (t *Terms) summable() error {
	if t.own != nil || t.natural.Low != 0 || !math.IsInf(t.natural.High, 1) {
		return fmt.Errorf("the theta of %v lies in %s; a sum of intensities needs a family whose theta is any positive number, such as Poisson", t.Family, interval(t.natural))
	}
	return nil
}

// check refuses an offset of another length or with impossible values, a datum that looks at no cell,
// and negative weights in a sum of intensities.
func (s sight) check(op Operator) error {
	if len(s.offset) > 0 && len(s.offset) != s.rows {
		return fmt.Errorf("the operator %v has %d data and an offset of %d", op, s.rows, len(s.offset))
	}
	for k := range s.rows {
		if s.offset != nil {
			if o := s.offset[k]; math.IsNaN(o) || math.IsInf(o, 0) || s.sum != nil && o < 0 {
				return fmt.Errorf("datum %d of the operator %v has the offset %g; it must be finite, and not negative where intensities are summed", k, op, o)
			}
		}
		if s.h.Start[k] == s.h.Start[k+1] {
			return fmt.Errorf("datum %d of the operator %v looks at no cell; leave it out", k, op)
		}
		for i := s.h.Start[k]; i < s.h.Start[k+1]; i++ {
			if w := s.h.Weight[i]; s.sum != nil && w < 0 {
				return fmt.Errorf("datum %d of the operator %v has the weight %g at cell %d; weights must not be negative where intensities are summed", k, op, w, s.h.Cell[i])
			}
		}
	}
	return nil
}

// places writes η of every datum at x into eta, or log θ for a sum of intensities. For a sum it
// returns the slopes f′(xⱼ) of the link f in all cells.
func (s sight) places(x, eta []float64) (slopes []float64, err error) {
	if s.op == nil {
		copy(eta, x)
		return nil, nil
	}
	from := x
	if s.sum != nil {
		from, slopes = make([]float64, len(x)), make([]float64, len(x))
		if err := linkSlopes(s.sum.Link, x, from, slopes); err != nil {
			return nil, err
		}
	}
	s.h.MulVec(eta, from)
	for k := range eta {
		if s.offset != nil {
			eta[k] += s.offset[k]
		}
		if s.sum != nil {
			eta[k] = math.Log(eta[k])
		}
	}
	return slopes, nil
}

// pull adds to slope the gradient in x of a function whose gradient in η, or in log θ for a sum of
// intensities, is given. eta and slopes come from [sight.places].
func (s sight) pull(slope, gradient, eta, slopes []float64) {
	if s.op == nil {
		for j, v := range gradient {
			slope[j] += v
		}
		return
	}
	if s.sum != nil {
		gradient = slices.Clone(gradient)
		for k := range gradient {
			gradient[k] /= math.Exp(eta[k])
		}
	}
	part := make([]float64, len(slope))
	s.h.MulTransVec(part, gradient)
	for j, v := range part {
		if slopes != nil {
			v *= slopes[j]
		}
		slope[j] += v
	}
}
