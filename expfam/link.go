package expfam

import (
	"fmt"
	"maps"
	"slices"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

// Link is an inverse link θ = g⁻¹(x₀): elementwise, strictly monotone, with values in the
// family's parameter space.
//
// [ParseLink] and [MustLink] make one from a formula, [TableLink] from a Go function. Prefer a
// formula: together with the family it simplifies to a form that is accurate in float32.
type Link interface {
	// String returns the formula, or the name of a Go function. It is part of the key of stored results.
	String() string
	// Inverse applies g⁻¹ on the graph to each element of x, which may have any shape.
	Inverse(x *g.Node) *g.Node
	// At returns g⁻¹(x) in float64.
	At(x float64) float64
}

// The links of most lessons.
var (
	IdentityLink = MustLink("x")
	ExpLink      = MustLink("exp(x)")
	SigmoidLink  = MustLink("sigmoid(x)")
)

// Constants are the values of the named constants of a link. Names that its
// formula does not use are ignored.
type Constants map[string]float64

// ParseLink reads a link θ = g⁻¹(x) such as "exp(5+x)", "sigmoid(5*x)" or "1/exp(x)";
// package formula says what a formula may contain. Likelihood.Check checks that the link
// is monotone and fits the family.
//
// Constants may have names: "sigmoid(s*x)" with Constants{"s": 5} is the link
// sigmoid(5*x), and results are stored under that name. A diffusion.Live sampler changes s
// without compiling again.
func ParseLink(text string, constants ...Constants) (Link, error) {
	values := make(Constants)
	for _, c := range constants {
		maps.Copy(values, c)
	}
	open, err := formula.Parse(text, "x", slices.Sorted(maps.Keys(values))...)
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	e, err := open.Bind(values)
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	if _, slope, ok := e.Affine(); ok && slope == 0 {
		return nil, fmt.Errorf("link %q: it does not depend on x; write a formula of x such as exp(5+x)", text)
	}
	return &formulaLink{e, open, values}, nil
}

// MustLink is [ParseLink] for text that is known to be right. It panics on
// errors.
func MustLink(text string, constants ...Constants) Link {
	link, err := ParseLink(text, constants...)
	if err != nil {
		panic(err)
	}
	return link
}

type formulaLink struct {
	expr   formula.Expr
	open   formula.Expr // expr with the constants by name
	values Constants
}

func (l *formulaLink) String() string            { return l.expr.String() }
func (l *formulaLink) LaTeX() string             { return l.expr.LaTeX() }
func (l *formulaLink) At(x float64) float64      { return l.expr.Eval(x) }
func (l *formulaLink) Inverse(x *g.Node) *g.Node { return l.expr.Graph(x) }

// Formula implements [FormulaLink].
func (l *formulaLink) Formula() (formula.Expr, bool) { return l.expr, true }

// FormulaLink is a link that is a formula in x. A link of yours with the method Formula
// is simplified, stored and differentiated like a link of [ParseLink].
type FormulaLink interface {
	Link
	// Formula returns g⁻¹ as a formula in the variable x, and false if this link has none.
	Formula() (formula.Expr, bool)
}

// Typeset is a link with a formula for display.
type Typeset interface {
	// LaTeX returns g⁻¹(x) without delimiters.
	LaTeX() string
}

// linkFormula returns the formula of a link, and false if the link has none.
func linkFormula(link Link) (formula.Expr, bool) {
	if f, ok := link.(FormulaLink); ok {
		return f.Formula()
	}
	return formula.Expr{}, false
}

// ThetaSlopes writes θ = g⁻¹(x) and dθ/dx of every x into theta and slope, which have the length of x. Slopes of a link
// that is no formula are differences of eighth order.
func (t *Terms) ThetaSlopes(x, theta, slope []float64) { linkSlopes(t.Link, x, theta, slope) }

// linkSlopes is [Terms.ThetaSlopes] of a link.
func linkSlopes(link Link, x, theta, slope []float64) {
	e, ok := linkFormula(link)
	if ok {
		e = e.Derivative()
	}
	for i, v := range x {
		if theta[i] = link.At(v); ok {
			slope[i] = e.Eval(v)
			continue
		}
		const h = 0.04
		slope[i] = 0
		for k, w := range firstDifference {
			by := float64(k+1) * h
			slope[i] += w * (link.At(v+by) - link.At(v-by)) / h
		}
	}
}
