package operator

import (
	"cmp"
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
)

// Scale multiplies each datum of an operator by a factor: By Each_k (H x)_k. An offset of the
// operator is multiplied too. The factor may be the exposure or the sensitivity of each detector.
type Scale struct {
	Of   expfam.RowOperator
	By   float64   // default 1
	Each []float64 // one number for each datum, default 1
}

// factor returns the factor of datum k.
func (o Scale) factor(k int) float64 {
	f := cmp.Or(o.By, 1)
	if o.Each != nil {
		f *= o.Each[k]
	}
	return f
}

func (o Scale) String() string {
	text := fmt.Sprint(o.Of)
	if o.By != 0 && o.By != 1 {
		text = fmt.Sprintf("%g times %s", o.By, text)
	}
	if o.Each != nil {
		text += " times numbers of its data"
	}
	return text
}

// Check refuses a wrong operator, and a factor that is 0 or not finite.
func (o Scale) Check() error {
	if err := checkParts("a scale", []expfam.RowOperator{o.Of}); err != nil {
		return err
	}
	data, _ := o.Of.Dims()
	if o.Each != nil && len(o.Each) != data {
		return fmt.Errorf("operator: a scale of %d numbers for the %d data of %v; give one for each datum", len(o.Each),
			data, o.Of)
	}
	for k := range data {
		if f := o.factor(k); f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("operator: datum %d of %v is multiplied by %g; factors must be finite and not 0", k, o.Of,
				f)
		}
	}
	return refuseMissingCode(o.Each, func(k int) string { return fmt.Sprintf("the factor of datum %d", k) })
}

// Dims implements [expfam.Operator].
func (o Scale) Dims() (data, cells int) {
	mustCheck(o)
	return o.Of.Dims()
}

// Apply implements [expfam.Operator].
func (o Scale) Apply(x *g.Node) *g.Node {
	mustCheck(o)
	return o.scaled(o.Of.Apply(x))
}

// Adjoint implements [expfam.Operator].
func (o Scale) Adjoint(y *g.Node) *g.Node {
	mustCheck(o)
	return o.Of.Adjoint(o.scaled(y))
}

// scaled multiplies the columns of y, which are data, by their factors.
func (o Scale) scaled(y *g.Node) *g.Node {
	if o.Each == nil {
		return g.MulScalar(y, o.factor(0))
	}
	factors := make([]float64, len(o.Each))
	for k := range factors {
		factors[k] = o.factor(k)
	}
	return g.Mul(y, g.ConstAs(y, [][]float64{factors}))
}

// Row implements [expfam.RowOperator].
func (o Scale) Row(k int, visit func(cell int, weight float64)) {
	f := o.factor(k)
	o.Of.Row(k, func(cell int, weight float64) { visit(cell, f*weight) })
}

// Offset implements [expfam.OffsetOperator]. Nil means 0.
func (o Scale) Offset() []float64 {
	mustCheck(o)
	own := offsetOf(o.Of)
	if own == nil {
		return nil
	}
	offset := make([]float64, len(own))
	for k, v := range own {
		offset[k] = o.factor(k) * v
	}
	return offset
}

// Fingerprint returns a hash of all weights and of the offset, for keys of stored results.
func (o Scale) Fingerprint() string { return fingerprint(o) }
