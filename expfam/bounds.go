package expfam

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// inBounds clips an estimate of x₀ to the bounds of the prior. In a product without bounds of its own, it clips each
// part that has bounds.
func inBounds(prior Prior, estimate *Node) *Node {
	if b, ok := prior.(Bounded); ok {
		if low, high := b.Bounds(); low < high {
			return ClipScalar(estimate, low, high)
		}
	}
	product, ok := prior.(interface{ Parts() []Prior })
	if !ok || !slices.ContainsFunc(product.Parts(), func(p Prior) bool { _, ok := p.(Bounded); return ok }) {
		return estimate
	}
	var kept []*Node
	each(product.Parts(), func(part Prior, first, end int) {
		kept = append(kept, inBounds(part, Slice(estimate, AxisRange(), AxisRange(first, end))))
	})
	return Concatenate(kept, -1)
}
