// Package special has log Γ and related functions as graph functions. They stay accurate in float32 where the textbook
// formulas cancel: in differences of log Γ at concentrations up to 1e7, and in log1p(w)−w and eᵈ−1−d near zero.
//
// Every function is elementwise. Its operands have one shape (scalars excepted) and one dtype, float32 or float64. It
// uses only operations that all GoMLX engines have, gradients included. Values and gradients are finite for finite
// input: arguments that must be positive are taken as at least 1e-9 (float32) or 1e-60 (float64), and exponents as at
// most 60 (float32) or 600 (float64).
//
// Derivatives are closed forms, attached by [WithGradient]: LogGamma differentiates to Digamma and Digamma to Trigamma,
// never through the series and branches that evaluate them.
package special

import (
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
)

// precision holds the limits and the numbers of terms that a dtype needs.
type precision struct {
	double          bool
	tiny            float64 // least positive argument
	exp             float64 // greatest exponent
	far             float64 // argument of log Γ from which its asymptotic series is used
	bernoulli, zeta int     // number of terms of this series, and of the Taylor series about 2
	atanh, expSmall int     // number of terms of log1p(w), and of expm1(d)−d, near zero
}

// precisionOf returns the precision for the dtype of x.
func precisionOf(x *g.Node) precision {
	if x.DType() == dtypes.Float64 {
		return precision{double: true, tiny: 1e-60, exp: 600, far: 10, bernoulli: 9, zeta: 27, atanh: 14, expSmall: 17}
	}
	return precision{tiny: 1e-9, exp: 60, far: 3, bernoulli: 6, zeta: 13, atanh: 7, expSmall: 10}
}

// Partial is the derivative of a value with respect to one of its inputs. At
// is called only when a gradient is asked for.
type Partial struct {
	X  *g.Node
	At func() *g.Node
}

// WithGradient returns value with the given derivatives in place of those of its graph. The result equals value exactly
// and differentiates to Σ partial.At() d(partial.X). Value and all X must have the same shape. The partials are
// ordinary nodes, so higher derivatives are the derivatives of the partials.
func WithGradient(value *g.Node, partials ...Partial) *g.Node {
	y := g.StopGradient(value)
	for _, p := range partials {
		// A zero that carries the gradient: adding it changes no bit of y.
		carrier := g.IdentityWithCustomGradient(p.X, func(_, v *g.Node) *g.Node { return g.Mul(v, p.At()) })
		y = g.Add(y, g.Sub(carrier, g.StopGradient(p.X)))
	}
	return y
}

// sum returns term(from) + … + term(end−1).
func sum(from, end int, term func(k float64) *g.Node) *g.Node {
	total := term(float64(from))
	for k := from + 1; k < end; k++ {
		total = g.Add(total, term(float64(k)))
	}
	return total
}

// polynomial returns Σ c[k] x^k by Horner's rule.
func polynomial(x *g.Node, c []float64) *g.Node {
	y := g.Scalar(x.Graph(), x.DType(), c[len(c)-1])
	for k := len(c) - 2; k >= 0; k-- {
		y = g.AddScalar(g.Mul(y, x), c[k])
	}
	return y
}

// less returns x < bound.
func less(x *g.Node, bound float64) *g.Node {
	return g.LessThan(x, g.Scalar(x.Graph(), x.DType(), bound))
}

// constant returns a scalar of the dtype of like.
func constant(like *g.Node, value float64) *g.Node {
	return g.Scalar(like.Graph(), like.DType(), value)
}
