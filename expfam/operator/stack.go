package operator

import (
	"fmt"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// Stack joins the data of several operators on the same cells, one operator after the other:
//
//	{A, B} is ⎡A⎤
//	          ⎣B⎦.
//
// expfam.Together joins data of different families.
type Stack []expfam.RowOperator

func (o Stack) String() string { return names(o, " and ") }

// Check refuses a wrong part, and parts with different numbers of cells.
func (o Stack) Check() error {
	if err := checkParts("a stack", o); err != nil {
		return err
	}
	_, want := o[0].Dims()
	for i, part := range o {
		if _, cells := part.Dims(); cells != want {
			return fmt.Errorf("operator: part %d of a stack, %v, looks at %d cells, and part 0, %v, at %d; all "+
				"must look at the same", i, part, cells, o[0], want)
		}
	}
	return nil
}

// Dims implements [expfam.Operator].
func (o Stack) Dims() (data, cells int) {
	mustCheck(o)
	for _, part := range o {
		own, at := part.Dims()
		data, cells = data+own, at
	}
	return data, cells
}

// Apply implements [expfam.Operator].
func (o Stack) Apply(x *g.Node) *g.Node {
	mustCheck(o)
	return sparse.Linear(x, o.apply, o.adjoint)
}

// Adjoint implements [expfam.Operator].
func (o Stack) Adjoint(y *g.Node) *g.Node {
	mustCheck(o)
	return sparse.Linear(y, o.adjoint, o.apply)
}

func (o Stack) apply(x *g.Node) *g.Node { return beside(o, x, expfam.RowOperator.Apply) }

func (o Stack) adjoint(y *g.Node) *g.Node {
	return added(o, y, expfam.RowOperator.Adjoint, func(data, _ int) int { return data })
}

// beside joins what each part makes of x.
func beside(parts []expfam.RowOperator, x *g.Node, of func(expfam.RowOperator, *g.Node) *g.Node) *g.Node {
	all := make([]*g.Node, len(parts))
	for i, part := range parts {
		all[i] = of(part, x)
	}
	return g.Concatenate(all, -1)
}

// added sums what each part makes of its own columns of x, whose number is that of its data or of its cells.
func added(parts []expfam.RowOperator, x *g.Node, of func(expfam.RowOperator, *g.Node) *g.Node,
	own func(data, cells int) int) *g.Node {
	var sum *g.Node
	first := 0
	for _, part := range parts {
		width := own(part.Dims())
		y := of(part, columns(x, first, first+width))
		if first += width; sum == nil {
			sum = y
		} else {
			sum = g.Add(sum, y)
		}
	}
	return sum
}

// columns returns the columns of x from first up to but not including end.
func columns(x *g.Node, first, end int) *g.Node {
	return g.Slice(x, g.AxisRange(), g.AxisRange(first, end))
}

// Row implements [expfam.RowOperator].
func (o Stack) Row(k int, visit func(cell int, weight float64)) {
	for _, part := range o {
		data, _ := part.Dims()
		if k < data {
			part.Row(k, visit)
			return
		}
		k -= data
	}
}

// Offset implements [expfam.OffsetOperator]. Nil means 0.
func (o Stack) Offset() []float64 {
	mustCheck(o)
	var all []float64
	some := false
	for _, part := range o {
		data, _ := part.Dims()
		own := offsetOf(part)
		some = some || own != nil
		if own == nil {
			own = make([]float64, data)
		}
		all = append(all, own...)
	}
	if !some {
		return nil
	}
	return all
}

// Fingerprint returns a hash of all weights and of the offset, for keys of stored results.
func (o Stack) Fingerprint() string { return fingerprint(o) }
