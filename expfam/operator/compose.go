package operator

import (
	"fmt"
	"strings"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
)

// Compose is a product of operators: {A, B} is A B, which applies first B and then A. If B has
// an offset, A is also applied to the offset.
type Compose []expfam.RowOperator

func (o Compose) String() string { return names(o, " after ") }

// names joins the names of the parts.
func names(parts []expfam.RowOperator, between string) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = fmt.Sprint(p)
	}
	return "(" + strings.Join(texts, between) + ")"
}

// checkParts returns the error of the first wrong part, or an error if there are no parts.
func checkParts(what string, parts []expfam.RowOperator) error {
	if len(parts) == 0 {
		return fmt.Errorf("operator: %s of no operators; give at least one", what)
	}
	for i, p := range parts {
		if p == nil {
			return fmt.Errorf("operator: part %d of %s is nil; give an operator", i, what)
		}
		if err := traits.Check(p); err != nil {
			return fmt.Errorf("operator: part %d of %s: %s", i, what, strings.TrimPrefix(err.Error(), "operator: "))
		}
	}
	return nil
}

// Check refuses a wrong part, and a part whose data are not as many as the cells of the part before it.
func (o Compose) Check() error {
	if err := checkParts("a composition", o); err != nil {
		return err
	}
	for i := 1; i < len(o); i++ {
		_, cells := o[i-1].Dims()
		if data, _ := o[i].Dims(); data != cells {
			return fmt.Errorf("operator: part %d of a composition, %v, looks at %d cells, and part %d, %v, has %d "+
				"data; they must be as many", i-1, o[i-1], cells, i, o[i], data)
		}
	}
	return nil
}

// Dims implements [expfam.Operator].
func (o Compose) Dims() (data, cells int) {
	mustCheck(o)
	data, _ = o[0].Dims()
	_, cells = o[len(o)-1].Dims()
	return data, cells
}

// mustCheck panics with the error of Check, if there is one.
func mustCheck(c expfam.Checker) {
	if err := c.Check(); err != nil {
		panic(err)
	}
}

// Apply implements [expfam.Operator].
func (o Compose) Apply(x *g.Node) *g.Node {
	mustCheck(o)
	for i := len(o) - 1; i >= 0; i-- {
		x = o[i].Apply(x)
	}
	return x
}

// Adjoint implements [expfam.Operator].
func (o Compose) Adjoint(y *g.Node) *g.Node {
	mustCheck(o)
	for _, part := range o {
		y = part.Adjoint(y)
	}
	return y
}

// Row implements [expfam.RowOperator].
func (o Compose) Row(k int, visit func(cell int, weight float64)) {
	if len(o) == 1 {
		o[0].Row(k, visit)
		return
	}
	_, cells := o[len(o)-1].Dims()
	sums, seen := make([]float64, cells), make([]bool, cells)
	var order []int
	o[0].Row(k, func(between int, w float64) {
		o[1:].Row(between, func(j int, v float64) {
			if !seen[j] {
				seen[j] = true
				order = append(order, j)
			}
			sums[j] += w * v
		})
	})
	for _, j := range order {
		if sums[j] != 0 {
			visit(j, sums[j])
		}
	}
}

// Offset implements [expfam.OffsetOperator]. Nil means 0.
func (o Compose) Offset() []float64 {
	mustCheck(o)
	var offset []float64
	for i := len(o) - 1; i >= 0; i-- {
		own := offsetOf(o[i])
		if offset != nil {
			data, _ := o[i].Dims()
			sum := make([]float64, data)
			for k := range sum {
				o[i].Row(k, func(j int, w float64) { sum[k] += w * offset[j] })
				if own != nil {
					sum[k] += own[k]
				}
			}
			own = sum
		}
		offset = own
	}
	return offset
}

// Fingerprint returns a hash of all weights and of the offset, for keys of stored results.
func (o Compose) Fingerprint() string { return fingerprint(o) }
