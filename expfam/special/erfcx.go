package special

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
)

// Erfcx is the scaled complementary error function e^{x²} erfc(x) for x ≥ 0. A negative x is taken as 0. Erfcx falls
// from 1 at x = 0, is about 1/(x√π) at large x, and neither underflows nor overflows. It gives the tails of the normal
// distribution: Φ(−z) = e^{−z²/2} Erfcx(z/√2)/2. It differentiates to 2x Erfcx(x) − 2/√π.
//
// (1+2x) Erfcx(x) is a Chebyshev series in (x−4)/(x+4), which maps [0, ∞) to
// [−1, 1) (compare Shepherd and Laframboise 1981). With 25 terms the error is 2e-16.
func Erfcx(x *g.Node) *g.Node {
	u := g.MaxScalar(x, 0.0)
	y := g.Div(g.AddScalar(u, -4.0), g.AddScalar(u, 4.0))
	value := g.Div(chebyshev(y, erfcxSeries), g.AddScalar(g.MulScalar(u, 2.0), 1.0))
	return WithGradient(value, Partial{x, func() *g.Node { return erfcxSlope(u) }})
}

// erfcxSlope returns the derivative of Erfcx at u ≥ 0. The two terms of 2u Erfcx(u) − 2/√π cancel at large u: they
// leave 1/(2u²) of their size. There the derivative is its asymptotic series −1/(√π u²) Σ (−1)ⁿ (2n+1)!!/(2u²)ⁿ. At
// u = 16 five terms are exact to 1e-8, and at u = 1000 the first term that is left out is 1e-27.
func erfcxSlope(u *g.Node) *g.Node {
	from := 16.0 // in float32 the difference has 4 digits left
	if u.DType() == dtypes.Float64 {
		from = 1000 // in float64 the difference has 9 digits left
	}
	near := less(u, from)
	edge := constant(u, from)
	small, large := g.Where(near, u, edge), g.Where(near, edge, u)
	inverse := g.Reciprocal(large)
	series := polynomial(g.MulScalar(g.Square(inverse), 0.5), []float64{1, -3, 15, -105, 945})
	return g.Where(near, g.AddScalar(g.MulScalar(g.Mul(small, Erfcx(small)), 2.0), -2/math.SqrtPi),
		g.MulScalar(g.Mul(g.Mul(inverse, inverse), series), -1/math.SqrtPi))
}

// Erf is the error function. In float64, which ONNX Runtime does not support, it is
// computed as 1 − e^{−x²} Erfcx(x), and near 0 by its Taylor series.
func Erf(x *g.Node) *g.Node {
	if x.DType() != dtypes.Float64 {
		return g.Erf(x)
	}
	const near = 0.5
	small, far := clip(x, -near, near), g.Abs(x)
	taylor := g.Mul(small, polynomial(g.Square(small), erfSeries))
	tail := g.OneMinus(g.Mul(g.Exp(g.Neg(g.Square(g.MinScalar(far, 6.0)))), Erfcx(far)))
	value := g.Where(less(far, near), taylor, g.Where(less(x, 0), g.Neg(tail), tail))
	return WithGradient(value, Partial{x, func() *g.Node {
		return g.MulScalar(g.Exp(g.Neg(g.Square(x))), 2/math.SqrtPi)
	}})
}

// erfSeries holds the Taylor coefficients 2/√π (−1)ᵏ/(k! (2k+1)). At x = 1/2 the first term that is left out is 1e-18.
var erfSeries = func() []float64 {
	c := make([]float64, 13)
	factor := 2 / math.SqrtPi
	for k := range c {
		c[k] = factor / float64(2*k+1)
		factor /= -float64(k + 1)
	}
	return c
}()

// chebyshev returns Σ c[k] T_k(y) by Clenshaw's recurrence.
func chebyshev(y *g.Node, c []float64) *g.Node {
	twice := g.MulScalar(y, 2.0)
	b1, b2 := constant(y, c[len(c)-1]), constant(y, 0)
	for k := len(c) - 2; k > 0; k-- {
		b1, b2 = g.AddScalar(g.Sub(g.Mul(twice, b1), b2), c[k]), b1
	}
	return g.AddScalar(g.Sub(g.Mul(y, b1), b2), c[0])
}

// erfcxSeries holds the Chebyshev coefficients of (1+2x) e^{x²} erfc(x). testdata/erfcx.py computes them by the
// discrete cosine transform at 200 Chebyshev points, in 60 digits.
var erfcxSeries = []float64{
	1.1774832005374486986,
	-0.0072607966203019004784,
	-0.081265123236184997858,
	0.060092128041222249997,
	-0.028753935580276660271,
	0.010595663363472860014,
	-0.0031369272945542642383,
	0.00074564943725361840431,
	-0.00013696965030100540682,
	0.000017183861600300937111,
	-7.1583646234503468898e-7,
	-2.4261399442449532304e-7,
	5.5765709395703561108e-8,
	-2.1057869513809522389e-9,
	-1.1717889351884980712e-9,
	1.909835517245650344e-10,
	1.4088717642086956991e-11,
	-6.9011083204812337758e-12,
	9.1679583641475034051e-14,
	2.1454508286665918433e-13,
	-1.471657502522889675e-14,
	-6.6686751164519560542e-15,
	7.5045985367366245738e-16,
	2.2200930352422306214e-16,
	-3.1704896133560059962e-17,
}
