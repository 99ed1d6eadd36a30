package expfam

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// inBounds is [traits.InBounds].
func inBounds(prior any, estimate *Node) *Node {
	if low, high := meanBounds(prior); low < high {
		return ClipScalar(estimate, low, high)
	}
	if !bounded(prior) {
		return estimate
	}
	var kept []*Node
	each(prior.(Joint).Parts(), func(part Prior, first, end int) {
		kept = append(kept, inBounds(part, Slice(estimate, AxisRange(), AxisRange(first, end))))
	})
	return Concatenate(kept, -1)
}

// bounded reports whether a prior or one of its parts has bounds.
func bounded(prior any) bool {
	if low, high := meanBounds(prior); low < high {
		return true
	}
	product, ok := prior.(Joint)
	return ok && slices.ContainsFunc(product.Parts(), func(part Prior) bool { return bounded(part) })
}

// meanBounds returns the bounds of the mean in all cells, and 0 and 0 if there are none.
func meanBounds(prior any) (low, high float64) {
	if p, ok := nuggetOf(prior); ok {
		return p.meanBounds()
	}
	if p, ok := prior.(Bounded); ok {
		return p.Bounds()
	}
	return 0, 0
}
