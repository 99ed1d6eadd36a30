package expfam

import (
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

// Link is an inverse link θ = g⁻¹(x₀), elementwise, strictly monotone and
// into the family's parameter space.
//
// [ParseLink] and [MustLink] make one from a formula, [FuncLink] from a graph
// function. A formula is the better one where there is a choice: composed with
// the family it simplifies to a form that is safe in float32.
type Link interface {
	// String is the formula, or the name given to a function. It is part
	// of the key under which results are stored.
	String() string
	// Inverse is g⁻¹ on the graph: any shape, elementwise.
	Inverse(x *g.Node) *g.Node
	// At is g⁻¹ in float64.
	At(x float64) float64
}

// The links of most lessons.
var (
	Identity = MustLink("x")
	Exp      = MustLink("exp(x)")
	Sigmoid  = MustLink("sigmoid(x)")
)

// ParseLink reads a link θ = g⁻¹(x) such as "exp(5+x)", "sigmoid(5*x)" or
// "1/exp(x)"; package formula says what a formula may contain. That it is
// monotone and fits a family is checked by [Likelihood.Check].
func ParseLink(text string) (Link, error) {
	e, err := formula.Parse(text, "x")
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	if _, slope, ok := e.Affine(); ok && slope == 0 {
		return nil, fmt.Errorf("link %s: it does not depend on x; write a formula of x such as exp(5+x)", text)
	}
	return &formulaLink{e}, nil
}

// MustLink is [ParseLink] for text that is known to be right. It panics on
// errors.
func MustLink(text string) Link {
	link, err := ParseLink(text)
	if err != nil {
		panic(err)
	}
	return link
}

type formulaLink struct{ expr formula.Expr }

func (l *formulaLink) String() string            { return l.expr.String() }
func (l *formulaLink) LaTeX() string             { return l.expr.LaTeX() }
func (l *formulaLink) At(x float64) float64      { return l.expr.Eval(x) }
func (l *formulaLink) Inverse(x *g.Node) *g.Node { return l.expr.Graph(x) }

// Formula is the formula of a link, if it has one.
func (l *formulaLink) Formula() (formula.Expr, bool) { return l.expr, true }

// LinkFormula is the formula of a link in x, if the link was made from one or
// has a method Formula() (formula.Expr, bool) of its own.
func LinkFormula(link Link) (formula.Expr, bool) {
	if f, ok := link.(interface{ Formula() (formula.Expr, bool) }); ok {
		return f.Formula()
	}
	return formula.Expr{}, false
}

// InverseAt is g(θ), the x at which the link has the value theta, by bisection
// to the last bit.
func InverseAt(link Link, theta float64) (float64, error) {
	if math.IsNaN(theta) {
		return 0, fmt.Errorf("link %v: no x has theta = NaN", link)
	}
	low, high := -1.0, 1.0
	rising := link.At(high) > link.At(low)
	below := func(x float64) bool { return (link.At(x) < theta) == rising && link.At(x) != theta }
	for ; !below(low) && link.At(low) != theta && low > -1e12; low *= 2 {
	}
	for ; below(high) && high < 1e12; high *= 2 {
	}
	if a, b := link.At(low), link.At(high); !(math.Min(a, b) <= theta && theta <= math.Max(a, b)) {
		return 0, fmt.Errorf("link %v: no x has theta = %g; its values lie between %g and %g", link, theta, math.Min(a, b), math.Max(a, b))
	}
	for {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			return mid, nil
		}
		if link.At(mid) == theta {
			return mid, nil
		}
		if below(mid) {
			low = mid
		} else {
			high = mid
		}
	}
}
