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
