package operator

import (
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
)

// Offset adds a constant to each datum of an operator: (H x)_k + By + Each_k. The constant
// may be the logarithm of an exposure, or with [expfam.SumOf] the counts of a background.
type Offset struct {
	Of   expfam.RowOperator
	By   float64
	Each []float64 // one number for each datum, default 0
}

func (o Offset) String() string {
	text := fmt.Sprint(o.Of)
	if o.By != 0 {
		text = fmt.Sprintf("%s plus %g", text, o.By)
	}
	if o.Each != nil {
		text += " plus numbers of its data"
	}
	return text
}

// Check refuses a wrong operator, and an offset that is not finite.
func (o Offset) Check() error {
	if err := checkParts("an offset", []expfam.RowOperator{o.Of}); err != nil {
		return err
	}
	data, _ := o.Of.Dims()
	if o.Each != nil && len(o.Each) != data {
		return fmt.Errorf("operator: an offset of %d numbers for the %d data of %v; give one for each datum",
			len(o.Each), data, o.Of)
	}
	for k, v := range o.offset(data) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("operator: datum %d of %v has the offset %g; offsets must be finite", k, o.Of, v)
		}
	}
	return refuseMissingCode(o.Each, func(k int) string { return fmt.Sprintf("the offset of datum %d", k) })
}

// offset returns the whole offset of each datum, with the offset of the operator itself.
func (o Offset) offset(data int) []float64 {
	sum, own := make([]float64, data), offsetOf(o.Of)
	for k := range sum {
		sum[k] = o.By
		if o.Each != nil {
			sum[k] += o.Each[k]
		}
		if own != nil {
			sum[k] += own[k]
		}
	}
	return sum
}

// Dims implements [expfam.Operator].
func (o Offset) Dims() (data, cells int) {
	mustCheck(o)
	return o.Of.Dims()
}

// Apply implements [expfam.Operator], without the offset.
func (o Offset) Apply(x *g.Node) *g.Node {
	mustCheck(o)
	return o.Of.Apply(x)
}

// Adjoint implements [expfam.Operator].
func (o Offset) Adjoint(y *g.Node) *g.Node {
	mustCheck(o)
	return o.Of.Adjoint(y)
}

// Row implements [expfam.RowOperator].
func (o Offset) Row(k int, visit func(cell int, weight float64)) { o.Of.Row(k, visit) }

// Offset implements [expfam.OffsetOperator].
func (o Offset) Offset() []float64 {
	mustCheck(o)
	data, _ := o.Of.Dims()
	return o.offset(data)
}

// Fingerprint returns a hash of all weights and of the offset, for keys of stored results.
func (o Offset) Fingerprint() string { return fingerprint(o) }
