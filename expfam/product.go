package expfam

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/level"
)

// Product returns the prior of independent parts. The cells of the first part come first, then the cells of the
// second part, and so on:
//
//	p(x₁, x₂, …) = p₁(x₁) p₂(x₂) …
//
// For example, the parts are the cells of a map and the coefficients of covariates, which operator.Design joins. The
// product is a [Simulator], [Coupled] or [Linear] if all parts are. Its Range is the range of noise levels that all
// parts serve. It has bounds if all parts are [Bounded] with the same bounds. It is [Joint]. The product is
// [Parametric] if some parts are. The other parts are Gaussian then.
func Product(parts ...Prior) Prior {
	p := productPrior(slices.Clone(parts))
	if slices.ContainsFunc(p, func(part Prior) bool { _, ok := part.(Parametric); return ok }) {
		return parametricProduct{drawnProduct{p}}
	}
	for _, part := range p {
		if _, draws := part.(Simulator); !draws {
			return p
		}
	}
	return drawnProduct{p}
}

type (
	productPrior []Prior
	drawnProduct struct{ productPrior } // of parts that are [Simulator]s
)

func (p productPrior) String() string {
	texts := make([]string, len(p))
	for i, part := range p {
		texts[i] = fmt.Sprint(part)
	}
	return "product(" + strings.Join(texts, ", ") + ")"
}

// Parts returns the priors that are multiplied, in the order of their cells.
func (p productPrior) Parts() []Prior { return slices.Clone(p) }

// Check refuses a product without parts, a part that is nil, and a part whose own Check refuses it.
func (p productPrior) Check() error {
	if len(p) == 0 {
		return errors.New("product: there are no parts; give at least one prior")
	}
	for i, part := range p {
		if part == nil {
			return fmt.Errorf("product: part %d is nil; give a prior", i)
		}
		if err := traits.Check(part); err != nil {
			return fmt.Errorf("product: part %d: %w", i, err)
		}
	}
	return nil
}

// Dim returns the number of cells of all parts together.
func (p productPrior) Dim() int {
	var d int
	for _, part := range p {
		d += part.Dim()
	}
	return d
}

// each calls visit with every part, its first cell, and the cell after its last.
func each(parts []Prior, visit func(part Prior, first, end int)) {
	first := 0
	for _, part := range parts {
		end := first + part.Dim()
		visit(part, first, end)
		first = end
	}
}

// Moments returns the moments of the parts side by side.
func (p productPrior) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	d := p.Dim()
	means, variances, rows := make([]*Node, 0, len(p)), make([]*Node, 0, len(p)), 1
	each(p, func(part Prior, first, end int) {
		m, v := part.Moments(columns(x, first, end, d), l)
		means, variances, rows = append(means, m), append(variances, v), max(rows, v.Shape().Dimensions[0])
	})
	for i, v := range variances {
		if v.Shape().Dimensions[0] < rows {
			variances[i] = BroadcastToDims(v, rows, v.Shape().Dimensions[1])
		}
	}
	return Concatenate(means, -1), Concatenate(variances, -1)
}

// columns returns the columns of x, (batch, d), from first up to end, without end. It defines the gradient, which has
// zeros in all other columns, because not every engine finds it by itself.
func columns(x *Node, first, end, d int) *Node {
	return sparse.Linear(x, func(x *Node) *Node {
		return Slice(x, AxisRange(), AxisRange(first, end))
	}, func(y *Node) *Node {
		zeros := func(n int) *Node { return Zeros(y.Graph(), shapes.Make(y.DType(), y.Shape().Dimensions[0], n)) }
		var parts []*Node
		if first > 0 {
			parts = append(parts, zeros(first))
		}
		parts = append(parts, y)
		if end < d {
			parts = append(parts, zeros(d-end))
		}
		return Concatenate(parts, -1)
	})
}

// Footprint returns the sum of the footprints of the parts.
func (p productPrior) Footprint() Footprint {
	var sum Footprint
	for _, part := range p {
		own := footprintOf(part)
		sum.Fixed, sum.Draw = sum.Fixed+own.Fixed, sum.Draw+own.Draw
	}
	return sum
}

// Range returns the noise levels at which the moments of all parts can be trusted. Parts that are not [Ranged] are
// trusted at every level.
func (p productPrior) Range() (low, high float64) {
	high = math.Inf(1)
	for _, part := range p {
		if r, ok := part.(Ranged); ok {
			from, to := r.Range()
			low, high = max(low, from), min(high, to)
		}
	}
	return low, high
}

// Bounds returns the bounds of the parts if all parts have the same bounds, and otherwise 0 and 0.
func (p productPrior) Bounds() (low, high float64) {
	for i, part := range p {
		b, ok := part.(Bounded)
		if !ok {
			return 0, 0
		}
		from, to := b.Bounds()
		if i == 0 {
			low, high = from, to
		}
		if from != low || to != high {
			return 0, 0
		}
	}
	return low, high
}

// Draw fills x with independent draws of the parts.
func (p drawnProduct) Draw(rng *rand.Rand, x []float64) {
	each(p.productPrior, func(part Prior, first, end int) { part.(Simulator).Draw(rng, x[first:end]) })
}

// Multiply returns K v if every part is [Linear]. The covariance K has a block for each part.
func (p productPrior) Multiply(v []float64) ([]float64, bool) {
	image, linear := make([]float64, 0, len(v)), true
	each(p, func(part Prior, first, end int) {
		l, ok := part.(Linear)
		if !ok || !linear {
			linear = false
			return
		}
		var block []float64
		block, linear = l.Multiply(v[first:end])
		image = append(image, block...)
	})
	return image, linear
}

// Coupling returns the largest coupling of the parts, because the correlation has a block for each part. It is 0 unless
// every part is [Coupled].
func (p productPrior) Coupling(sigma float64) float64 {
	largest := 1.0
	for _, part := range p {
		c, ok := part.(Coupled)
		if !ok {
			return 0
		}
		of := c.Coupling(sigma)
		if of == 0 {
			return 0
		}
		largest = max(largest, of)
	}
	return largest
}
