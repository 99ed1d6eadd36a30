package expfam

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/internal/kinds"
)

// Link is an inverse link θ = g⁻¹(x₀): elementwise, strictly monotone, with values in the family's parameter space.
//
// [ParseLink] and [MustLink] make one from a formula, [TableLink] from a Go function. Prefer a
// formula: together with the family it simplifies to a form that is accurate in float32.
//
// A link of yours may have two more methods. With Formula() (formula.Expr, bool), which returns g⁻¹ as a formula in the
// variable x, it is simplified, stored and differentiated like one of [ParseLink]. LaTeX() string returns g⁻¹(x) for
// display, without delimiters.
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

// Constants are the values of the named constants of a link. Names that its formula does not use are ignored.
type Constants map[string]float64

// ParseLink reads a link θ = g⁻¹(x) such as "exp(5+x)", "sigmoid(5*x)" or "1/exp(x)"; package formula documents what a
// formula may contain. Likelihood.Check checks that the link is monotone and fits the family.
//
// Constants may have names: "sigmoid(s*x)" with Constants{"s": 5} is the link sigmoid(5*x), and results are stored
// under that name. A diffusion.Live sampler changes s without compiling again.
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

// MustLink is [ParseLink] for text that is known to be right. It panics on errors.
func MustLink(text string, constants ...Constants) Link {
	link, err := ParseLink(text, constants...)
	if err != nil {
		panic(err)
	}
	return link
}

func init() { kinds.Register(&formulaLink{}, &tableLink{}) }

type formulaLink struct {
	expr   formula.Expr
	open   formula.Expr // expr with the constants by name
	values Constants
}

func (l *formulaLink) String() string            { return l.expr.String() }
func (l *formulaLink) LaTeX() string             { return l.expr.LaTeX() }
func (l *formulaLink) At(x float64) float64      { return l.expr.Eval(x) }
func (l *formulaLink) Inverse(x *g.Node) *g.Node { return l.expr.Graph(x) }

// Formula returns g⁻¹; see [Link].
func (l *formulaLink) Formula() (formula.Expr, bool) { return l.expr, true }

// linkText is how MarshalBinary writes a link.
type linkText struct {
	Formula string
	Values  Constants
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It is an error if the formula reads back as another.
func (l *formulaLink) MarshalBinary() ([]byte, error) {
	data, err := json.Marshal(linkText{l.open.String(), l.values})
	if err != nil {
		return nil, err
	}
	var again formulaLink
	if err = again.UnmarshalBinary(data); err == nil && again.String() != l.String() {
		err = fmt.Errorf("link %q: the formula reads back as %q", l, &again)
	}
	return data, err
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (l *formulaLink) UnmarshalBinary(data []byte) error {
	var text linkText
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("link: %w", err)
	}
	link, err := ParseLink(text.Formula, text.Values)
	if err == nil {
		*l = *link.(*formulaLink)
	}
	return err
}

// linkFormula returns the formula of a link, and false if the link has none.
func linkFormula(link Link) (formula.Expr, bool) {
	if f, ok := link.(interface{ Formula() (formula.Expr, bool) }); ok {
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

// InverseAt returns g(θ), the x at which the link has the value theta. It finds x by bisection, to the last
// bit. It is an error if the link never has that value. Where the link only rounds to theta, as exp(x) rounds to 0
// below −745, the result is one of the x that do.
func (t *Terms) InverseAt(theta float64) (float64, error) { return inverseAt(t.Link, theta) }

// inverseAt is [Terms.InverseAt] of a link.
func inverseAt(link Link, theta float64) (float64, error) {
	if math.IsNaN(theta) {
		return 0, fmt.Errorf("link %v: no x has theta = NaN", link)
	}
	low, high := -1.0, 1.0
	sign := 1.0
	if falls(link) {
		sign = -1
	}
	excess := func(x float64) float64 { return sign * (link.At(x) - theta) }
	for low > -1e12 && excess(low) > 0 {
		low *= 2
	}
	for high < 1e12 && excess(high) < 0 {
		high *= 2
	}
	if !(excess(low) <= 0 && excess(high) >= 0) {
		a, b := link.At(low), link.At(high)
		return 0, fmt.Errorf("link %v: no x has theta = %g; its values lie between %g and %g", link, theta,
			math.Min(a, b), math.Max(a, b))
	}
	for {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			return mid, nil
		}
		switch e := excess(mid); {
		case e == 0:
			return mid, nil
		case e < 0:
			low = mid
		default:
			high = mid
		}
	}
}

// falls reports whether the values of a link fall with x. Where a link rounds to the same number at −1 and 1, as
// sigmoid(2000−100x) rounds to 1, falls compares values further apart.
func falls(link Link) bool {
	for x := 1.0; x < 1e12; x *= 2 {
		if a, b := link.At(-x), link.At(x); a != b {
			return b < a
		}
	}
	return false
}

// ImpliedPrior returns θ = g⁻¹(x) of every x, and the prior density of θ there if x₀ ~ N(0, 1). The density
// follows from the change of variables p(θ) = φ(x) / |dθ/dx|.
func (l Likelihood) ImpliedPrior(x []float64) (theta, density []float64) {
	theta, density = make([]float64, len(x)), make([]float64, len(x))
	slope := make([]float64, len(x))
	linkSlopes(l.link(), x, theta, slope)
	for i, v := range x {
		density[i] = math.Exp(-v*v/2) / math.Sqrt(2*math.Pi) / math.Abs(slope[i])
	}
	return theta, density
}
