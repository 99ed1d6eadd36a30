package formula

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// Constants lists the named constants that have no value, in alphabetical order.
func (e Expr) Constants() []string {
	names := make(map[string]bool)
	substitute(e.n, func(n node) node {
		if s, ok := n.(symbol); ok {
			names[string(s)] = true
		}
		return n
	}, make(map[string]node))
	return slices.Sorted(maps.Keys(names))
}

// Bind replaces named constants by numbers and simplifies. The result is the same as if the
// formula had been parsed with these numbers. Names that do not occur are ignored. It is an
// error if the result is undefined, as x/s is at s = 0.
func (e Expr) Bind(values map[string]float64) (Expr, error) {
	n := substitute(e.n, func(n node) node {
		if s, ok := n.(symbol); ok {
			if v, known := values[string(s)]; known {
				return num(v)
			}
		}
		return n
	}, make(map[string]node))
	if !finite(n) {
		return Expr{}, fmt.Errorf("formula: %s is undefined or too large for constants %v; give them other values", e,
			values)
	}
	return wrap(n, e.variable).with(e), nil
}

// Feed gives named constants the values of scalar nodes of a graph, for [Expr.Graph] of the
// expression and of expressions derived from it. A compiled graph then serves all values of the
// constants. Simplifications that hold only for some values are not made.
func (e Expr) Feed(values map[string]*graph.Node) Expr {
	fed := wrap(e.n, e.variable)
	fed.fed = maps.Clone(values)
	return fed.with(e)
}

// unknown returns the message for a constant without a value.
func unknown(s symbol) string {
	return fmt.Sprintf("formula: the constant %s has no value; give it one by Bind", string(s))
}
