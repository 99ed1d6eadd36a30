package formula

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/special"
)

// Where a function below chooses between two forms, the form that is not used gets a harmless
// argument, so that no gradient is 0·∞.

func graphLogit(u *Node) *Node { return Sub(Log(u), special.Log1p(Neg(u))) }

// tail is the argument from which [graphTail] gives Φ(−u) in float32. Below it 1 − erf has lost
// only a digit: its error is 7e-8.
const tail = 2

// graphTail returns mills(u), for u above tail in float32 and above 0 in float64. In float32 it
// is a continued fraction of 24 terms. Near 0 no number of terms gives the accuracy of float64.
func graphTail(u *Node) *Node {
	if u.DType() == dtypes.Float64 {
		return Div(Scalar(u.Graph(), u.DType(), math.Sqrt(2/math.Pi)), special.Erfcx(MulScalar(u, math.Sqrt2/2)))
	}
	r := u
	for k := 24; k > 0; k-- {
		r = Add(u, Div(Scalar(u.Graph(), u.DType(), float64(k)), r))
	}
	return r
}

// split evaluates inner below tail (below 0 in float64), and outer elsewhere.
func split(u *Node, inner, outer func(u *Node) *Node) *Node {
	from := float64(tail)
	if u.DType() == dtypes.Float64 {
		from = 0
	}
	t := MulScalar(OnesLike(u), from)
	in := LessThan(u, t)
	return Where(in, inner(Where(in, u, ZerosLike(u))), outer(Where(in, t, u)))
}

// upperTail returns Φ(−u).
func upperTail(u *Node) *Node {
	return MulScalar(OneMinus(special.Erf(MulScalar(u, math.Sqrt2/2))), 0.5)
}

// logDensity returns log φ(u).
func logDensity(u *Node) *Node {
	return AddScalar(MulScalar(Square(u), -0.5), -0.5*math.Log(2*math.Pi))
}

func graphNormcdf(u *Node) *Node {
	return split(Neg(u), upperTail, func(z *Node) *Node { return Div(Exp(logDensity(z)), graphTail(z)) })
}

// graphLognormcdf returns log Φ(u), as log1p(−Φ(−u)) for u > 0.
func graphLognormcdf(u *Node) *Node {
	up := GreaterThan(u, ZerosLike(u))
	above := special.Log1p(Neg(graphNormcdf(Neg(Where(up, u, ZerosLike(u))))))
	below := split(Neg(Where(up, ZerosLike(u), u)),
		func(z *Node) *Node { return Log(upperTail(z)) },
		func(z *Node) *Node { return Sub(logDensity(z), Log(graphTail(z))) })
	return Where(up, above, below)
}

func graphMills(u *Node) *Node {
	return split(u, func(z *Node) *Node { return Div(Exp(logDensity(z)), upperTail(z)) }, graphTail)
}

// graphLog1mexp follows the host function log1mexp.
func graphLog1mexp(u *Node) *Node {
	near := LessThan(u, MulScalar(OnesLike(u), math.Ln2))
	small := Log(Neg(special.Expm1(Neg(Where(near, u, OnesLike(u))))))
	return Where(near, small, special.Log1p(Neg(Exp(Neg(Where(near, OnesLike(u), u))))))
}
