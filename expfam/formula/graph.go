package formula

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// build returns the graph node of n at v. Constants stay scalars. memo has the graph nodes by the
// keys of the nodes; named constants must be in it.
func build(n node, v *Node, memo map[string]*Node) *Node {
	if out, ok := memo[n.key()]; ok {
		return out
	}
	var out *Node
	switch n := n.(type) {
	case num:
		out = Scalar(v.Graph(), v.DType(), float64(n))
	case variable:
		out = v
	case symbol:
		panic(unknown(n))
	case *sum:
		out = buildSum(n, v, memo)
	case *product:
		out = buildProduct(n, v, memo)
	case *call:
		out = n.fn.graph(build(n.arg, v, memo))
	}
	memo[n.key()] = out
	return out
}

func buildSum(n *sum, v *Node, memo map[string]*Node) *Node {
	var out *Node
	for _, t := range n.terms {
		b := build(t.n, v, memo)
		switch {
		case out == nil && t.coef == 1:
			out = b
		case out == nil && t.coef == -1:
			out = Neg(b)
		case out == nil:
			out = MulScalar(b, t.coef)
		case t.coef == 1:
			out = Add(out, b)
		case t.coef == -1:
			out = Sub(out, b)
		default:
			out = Add(out, MulScalar(b, t.coef))
		}
	}
	if n.c != 0 {
		out = AddScalar(out, n.c)
	}
	return out
}

// buildProduct divides once, by the product of all factors with a negative power.
func buildProduct(n *product, v *Node, memo map[string]*Node) *Node {
	var over, under *Node
	times := func(a, b *Node) *Node {
		if a == nil {
			return b
		}
		return Mul(a, b)
	}
	for _, f := range n.factors {
		p := graphPower(build(f.base, v, memo), math.Abs(f.power))
		if f.power < 0 {
			under = times(under, p)
		} else {
			over = times(over, p)
		}
	}
	switch {
	case under == nil:
		return over
	case over == nil:
		return Inverse(under)
	}
	return Div(over, under)
}

// graphPower returns x^p for p > 0. For small integers p it squares repeatedly, because Pow of
// the engines has no gradient at negative x.
func graphPower(x *Node, p float64) *Node {
	switch {
	case p == 1:
		return x
	case p == 0.5:
		return Sqrt(x)
	case isInteger(p) && p <= 64:
		half := graphPower(Square(x), math.Floor(max(p, 2)/2))
		if isEvenInteger(p) {
			return half
		}
		return Mul(x, half)
	case isInteger(p) && isEvenInteger(p):
		return Exp(MulScalar(Log(Abs(offZero(x))), p))
	case isInteger(p):
		return Mul(Sign(x), Exp(MulScalar(Log(Abs(offZero(x))), p)))
	case p < 1:
		return Exp(MulScalar(Log(x), p))
	}
	return Mul(graphPower(x, math.Floor(p)), graphPower(offZero(x), p-math.Floor(p)))
}

// offZero returns x, and in place of 0 a number that is nearly 0, because the gradients of roots and logarithms are
// infinite at 0, and those of a power above 1 are 0 times these.
func offZero(x *Node) *Node {
	return Where(Equal(x, ZerosLike(x)), MulScalar(OnesLike(x), 1e-36), x)
}
