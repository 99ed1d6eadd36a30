// Package formula has expressions in one variable. They are parsed from text, simplified, differentiated, evaluated in
// float64, compiled to GoMLX graph operations and rendered as LaTeX.
//
// The simplifier exists for float32. A likelihood composed with a link, such as logit(θ)
// and −log(1−θ) at θ = sigmoid(5x), overflows or cancels for moderate x if it is computed
// as written. Simplified, these become 5x and softplus(5x). Simplifying may extend the domain
// (exp(log(x)) becomes x), but it never changes a value that the original has.
package formula

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/gomlx/gomlx/core/graph"
)

// Expr is an expression in one variable, immutable and safe for concurrent use. The zero value is not valid.
type Expr struct{ *compiled }

type compiled struct {
	n        node
	variable string
	eval     evaluation
	fed      map[string]*graph.Node // named constants as nodes
}

// wrap returns the expression with node n.
func wrap(n node, variable string) Expr {
	return Expr{&compiled{n: n, variable: variable, eval: new(compiler).compile(n)}}
}

// with returns e with the constants that were fed to the operands.
func (e Expr) with(operands ...Expr) Expr {
	for _, o := range operands {
		if e.fed == nil {
			e.fed = o.fed
		} else if o.fed != nil {
			e.fed = maps.Clone(e.fed)
			maps.Copy(e.fed, o.fed)
		}
	}
	return e
}

// MustParse is [Parse] for text that is known to be valid, such as a constant of the program. The variable is the
// single name that occurs in the text, or "x" if no name does. It panics on errors.
func MustParse(text string) Expr {
	n, variable, err := parse(text, "", nil)
	if err != nil {
		panic(err)
	}
	variable = cmp.Or(variable, "x")
	return wrap(n, variable)
}

// Parse reads an expression. It may have numbers, pi, the variable, + − * / ^ (or **), parentheses, the functions that
// [Functions] lists and named constants. For any other text the error names the column and says what is allowed.
// Constants get their values from [Expr.Bind] or [Expr.Feed].
func Parse(text, variable string, constants ...string) (Expr, error) {
	usable := func(name string) bool { return isName(name) && functions[name] == nil && name != "pi" }
	if !usable(variable) {
		return Expr{}, fmt.Errorf("formula: %q cannot be the name of a variable; use a name such as x or theta",
			variable)
	}
	for _, c := range constants {
		if !usable(c) || c == variable || c == "x" {
			return Expr{}, fmt.Errorf("formula: %q cannot be the name of a constant; use a name such as s or c", c)
		}
	}
	n, _, err := parse(text, variable, constants)
	if err != nil {
		return Expr{}, err
	}
	return wrap(n, variable), nil
}

// Eval returns the value at v in float64, NaN outside of the domain.
func (e Expr) Eval(v float64) float64 { return e.eval(v, nil) }

// String returns the canonical text. Two expressions with equal texts are equal. The text
// parses back to an expression with the same values, whose own text may differ where a number
// multiplies a sum: -(x-2)/sqrt(x) parses back as (2-x)/sqrt(x).
func (e Expr) String() string {
	if e.compiled == nil {
		return ""
	}
	return text(e.n, e.variable)
}

// MarshalText returns the text of String, for JSON and for hashing.
func (e Expr) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// LaTeX renders the expression as mathematics, without delimiters, with numbers rounded to six digits.
func (e Expr) LaTeX() string { return latex(e.n, e.variable) }

// Graph applies the expression elementwise to v, which may have any shape and float type. It uses only operations that
// every engine has, with their gradients. Common subexpressions are computed once.
func (e Expr) Graph(v *graph.Node) *graph.Node { return GraphAll(v, e)[0] }

// GraphAll applies several expressions to the same v, for example a function and its
// derivatives. Common subexpressions are computed once.
func GraphAll(v *graph.Node, exprs ...Expr) []*graph.Node {
	memo := make(map[string]*graph.Node)
	for _, e := range exprs {
		maps.Copy(memo, e.fed)
	}
	out := make([]*graph.Node, len(exprs))
	for i, e := range exprs {
		out[i] = build(e.n, v, memo)
		if out[i].Rank() < v.Rank() { // a constant
			out[i] = graph.BroadcastToShape(out[i], v.Shape())
		}
	}
	return out
}

// Derivative returns the derivative with respect to the variable, simplified.
func (e Expr) Derivative() Expr { return wrap(derive(e.n, make(map[string]node)), e.variable).with(e) }

// Substitute returns the composition e(inner(·)), simplified. It is an expression in the variable of inner.
func (e Expr) Substitute(inner Expr) Expr {
	leaf := func(n node) node {
		if _, ok := n.(variable); ok {
			return inner.n
		}
		return n
	}
	return wrap(substitute(e.n, leaf, make(map[string]node)), inner.variable).with(e, inner)
}

// Affine returns the coefficients if the expression is intercept + slope·v. Otherwise ok is false.
func (e Expr) Affine() (intercept, slope float64, ok bool) {
	switch n := e.n.(type) {
	case num:
		return float64(n), 0, true
	case variable:
		return 0, 1, true
	case *sum:
		if _, isVar := n.terms[0].n.(variable); isVar && len(n.terms) == 1 {
			return n.c, n.terms[0].coef, true
		}
	}
	return 0, 0, false
}
