package operator

import (
	"fmt"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// Blocks is the sum of operators, each of which has cells of its own:
//
//	{A, B} is [A B],  η = A x₁ + B x₂  with x₀ = (x₁, x₂).
//
// [expfam.Product] is a prior for such cells.
type Blocks []expfam.RowOperator

// Design returns H = [I Z], for cells x₁ with covariates: η = x₁ + Z β. Z has a row for each cell and a column for each
// coefficient. A column of ones is an intercept. The prior is expfam.Product(cells, coefficients).
func Design(z mat.Matrix) Blocks {
	cells := 0
	if z != nil {
		cells, _ = z.Dims()
	}
	return Blocks{&Select{Cells: cells}, &Dense{Matrix: z}}
}

func (o Blocks) String() string { return names(o, " plus ") }

// Check refuses a wrong part, and parts with different numbers of data.
func (o Blocks) Check() error {
	if err := checkParts("blocks", o); err != nil {
		return err
	}
	want, _ := o[0].Dims()
	for i, part := range o {
		if data, _ := part.Dims(); data != want {
			return fmt.Errorf("operator: part %d of blocks, %v, has %d data, and part 0, %v, has %d; all must have "+
				"as many", i, part, data, o[0], want)
		}
	}
	return nil
}

// Dims implements [expfam.Operator].
func (o Blocks) Dims() (data, cells int) {
	mustCheck(o)
	for _, part := range o {
		at, own := part.Dims()
		data, cells = at, cells+own
	}
	return data, cells
}

// Addends returns the number of blocks, whose cells have no meaning for the data but in their sum.
func (o Blocks) Addends() int { return len(o) }

// Apply implements [expfam.Operator].
func (o Blocks) Apply(x *g.Node) *g.Node {
	mustCheck(o)
	return sparse.Linear(x, o.apply, o.adjoint)
}

// Adjoint implements [expfam.Operator].
func (o Blocks) Adjoint(y *g.Node) *g.Node {
	mustCheck(o)
	return sparse.Linear(y, o.adjoint, o.apply)
}

func (o Blocks) apply(x *g.Node) *g.Node {
	return added(o, x, expfam.RowOperator.Apply, func(_, cells int) int { return cells })
}

func (o Blocks) adjoint(y *g.Node) *g.Node { return beside(o, y, expfam.RowOperator.Adjoint) }

// Row implements [expfam.RowOperator].
func (o Blocks) Row(k int, visit func(cell int, weight float64)) {
	first := 0
	for _, part := range o {
		part.Row(k, func(cell int, weight float64) { visit(first+cell, weight) })
		_, cells := part.Dims()
		first += cells
	}
}

// Offset implements [expfam.OffsetOperator]: it returns the sum of the offsets of the parts. Nil means 0.
func (o Blocks) Offset() []float64 {
	mustCheck(o)
	var sum []float64
	for _, part := range o {
		for k, v := range offsetOf(part) {
			if sum == nil {
				data, _ := part.Dims()
				sum = make([]float64, data)
			}
			sum[k] += v
		}
	}
	return sum
}

// Fingerprint returns a hash of all weights and of the offset, for keys of stored results.
func (o Blocks) Fingerprint() string { return fingerprint(o) }
