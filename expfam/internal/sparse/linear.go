package sparse

import . "github.com/gomlx/gomlx/core/graph"

// Linear returns forward(x), a linear map from (batch, d) to (batch, n). Its gradient is computed by the adjoint map,
// back. Engines have no fast gradient of the operations in forward, and some engines have no gradient of them.
func Linear(x *Node, forward, back func(*Node) *Node) *Node {
	still := StopGradient(x)
	// zero has the value 0, but the gradient sees that it depends on x. The gradient first reaches the sum y, where
	// it is kept. It then reaches zero, which passes back(kept) on to x.
	var kept *Node
	zero := IdentityWithCustomGradient(Sub(x, still), func(_, _ *Node) *Node { return Linear(kept, back, forward) })
	y := Add(StopGradient(forward(still)), ReduceAndKeep(zero, ReduceSum, -1))
	return IdentityWithCustomGradient(y, func(_, v *Node) *Node {
		kept = v
		return v
	})
}

// First returns the first cells of x, (batch, d). Engines have no gradient of a slice.
func First(x *Node, cells int) *Node { return Linear(x, first(cells), padded(x.Shape().Dim(1)-cells)) }

// Padded returns x with so many cells of 0 after it.
func Padded(x *Node, more int) *Node { return Linear(x, padded(more), first(x.Shape().Dim(1))) }

func first(cells int) func(*Node) *Node {
	return func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(0, cells)) }
}

func padded(more int) func(*Node) *Node {
	return func(x *Node) *Node {
		zeros := BroadcastToDims(ScalarZero(x.Graph(), x.DType()), x.Shape().Dim(0), more)
		return Concatenate([]*Node{x, zeros}, 1)
	}
}
