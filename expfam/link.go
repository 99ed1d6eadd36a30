package expfam

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Link is an inverse link θ = g⁻¹(x₀), elementwise, strictly monotone and
// into the family's parameter space.
//
// [ParseLink] and [MustLink] make one from a formula, [FuncLink] from a graph
// function.
type Link interface {
	// String is the formula, or the name given to a function. It is part
	// of the key under which results are stored.
	String() string
	// Inverse is g⁻¹ on the graph: any shape, elementwise.
	Inverse(x *Node) *Node
	// At is g⁻¹ in float64.
	At(x float64) float64
}
