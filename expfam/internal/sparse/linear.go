package sparse

import . "github.com/gomlx/gomlx/core/graph"

// Linear is forward(x), a linear map from (batch, d) to (batch, n) whose gradient is its
// adjoint, back. Engines have no fast gradient of what forward does, and some have none.
func Linear(x *Node, forward, back func(*Node) *Node) *Node {
	still := StopGradient(x)
	// A zero that depends on x in the eyes of the gradient: what comes to the sum of both
	// is kept, and goes on to x by back.
	var kept *Node
	zero := IdentityWithCustomGradient(Sub(x, still), func(_, _ *Node) *Node { return Linear(kept, back, forward) })
	y := Add(StopGradient(forward(still)), ReduceAndKeep(zero, ReduceSum, -1))
	return IdentityWithCustomGradient(y, func(_, v *Node) *Node {
		kept = v
		return v
	})
}
