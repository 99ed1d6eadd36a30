// Package graphcheck checks what a prior or a guidance of a user's own puts into a graph. The library's own kinds pass
// the same checks. Without them a wrong shape ends in an operation of the library that names neither, or broadcasts in
// silence. [Fingerprint] says what a graph computes.
package graphcheck

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// Moments returns the mean and the variance that the function moments makes for x of shape (batch, d). It panics with
// an error that names the prior if a node is nil, has the wrong shape or a type other than x's, or if the prior itself
// panics.
func Moments(prior any, x *graph.Node, moments func() (mean, variance *graph.Node)) (mean, variance *graph.Node) {
	defer named(prior, "Moments")
	mean, variance = moments()
	must("mean", mean, x, false)
	must("variance", variance, x, true)
	return mean, variance
}

// Shift returns the shift that a guidance makes for x of shape (batch, d), with the checks of [Moments].
func Shift(guidance any, x *graph.Node, shift func() *graph.Node) *graph.Node {
	defer named(guidance, "Shift")
	delta := shift()
	must("shift", delta, x, false)
	return delta
}

// named gives a panic the name of its cause, as an error: engines catch no other panic, and then wait for a graph that
// nobody finishes.
func named(kind any, method string) {
	if reason := recover(); reason != nil {
		if err, ok := reason.(error); ok {
			panic(fmt.Errorf("%s of %v: %w", method, kind, err))
		}
		panic(fmt.Errorf("%s of %v: %v", method, kind, reason))
	}
}

// must panics unless a node has the shape and the type of x. One row for all draws may do.
func must(name string, node, x *graph.Node, row bool) {
	switch {
	case node == nil:
		panic(fmt.Errorf("the %s is nil; return a node of shape %v", name, x.Shape()))
	case node.DType() != x.DType():
		panic(fmt.Errorf("the %s has the type %v, and x has %v; make constants with graph.ConstAs(x, …)", name,
			node.DType(), x.DType()))
	}
	want := x.Shape().Dimensions
	got := node.Shape().Dimensions
	if len(got) == 2 && got[1] == want[1] && (got[0] == want[0] || row && got[0] == 1) {
		return
	}
	also := ""
	if row {
		also = fmt.Sprintf(" or [1 %d]", want[1])
	}
	panic(fmt.Errorf("the %s has the shape %v; it must be %v%s", name, got, want, also))
}
