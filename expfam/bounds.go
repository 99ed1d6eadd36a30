package expfam

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// InBounds clips an estimate of the mean of x₀ to the bounds of the prior. In a product without bounds of its own, it
// clips each part that has bounds.
func InBounds(prior Prior, estimate *Node) *Node {
	if low, high := meanBounds(prior); low < high {
		return ClipScalar(estimate, low, high)
	}
	if !bounded(prior) {
		return estimate
	}
	var kept []*Node
	each(prior.(Joint).Parts(), func(part Prior, first, end int) {
		kept = append(kept, InBounds(part, Slice(estimate, AxisRange(), AxisRange(first, end))))
	})
	return Concatenate(kept, -1)
}

// bounded reports whether a prior or one of its parts has bounds.
func bounded(prior Prior) bool {
	if low, high := meanBounds(prior); low < high {
		return true
	}
	product, ok := prior.(Joint)
	return ok && slices.ContainsFunc(product.Parts(), bounded)
}

// meanBounds returns the bounds of the mean in all cells, and 0 and 0 if there are none.
func meanBounds(prior Prior) (low, high float64) {
	if p, ok := nuggetOf(prior); ok {
		return p.meanBounds()
	}
	if p, ok := prior.(Bounded); ok {
		return p.Bounds()
	}
	return 0, 0
}
