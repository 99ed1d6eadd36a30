package expfam

import (
	"math"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/special"
)

// gammaStepsGraph returns log Γ(a+t) − log Γ(a) − t log(unit), ψ(a+t) − ψ(a) and ψ′(a+t) − ψ′(a) on the
// graph. It evaluates Stirling's series at z = a+4, and goes from there down to a by the product
// P = a(a+1)(a+2)(a+3) with (log P)′ = P′/P. The three results share almost all of their work, which is
// most of what guidance costs beside a network. P is computed over z⁴, and so does not overflow. If unit is
// of the size of a, the logarithm stays small.
func gammaStepsGraph(a, t *g.Node, unit float64) (ratio, digamma, trigamma *g.Node) {
	// z = a+4, x = 1/z, p = P/z⁴, first = (log P)′, second = −(log P)″
	type part struct{ z, x, p, first, second *g.Node }
	at := func(a *g.Node) part {
		z := g.AddScalar(a, 4.0)
		x := g.Reciprocal(z)
		square := g.Square(x)
		w := g.Mul(g.Mul(a, x), g.Mul(g.AddScalar(a, 3.0), x)) // a(a+3)/z²
		p := g.Mul(w, g.Add(w, g.MulScalar(square, 2.0)))
		slope := g.Mul(g.AddScalar(g.MulScalar(a, 2.0), 3.0), x) // (2a+3)/z
		inner := g.MulScalar(g.Add(w, square), 2.0)              // P′ = slope·inner·z³
		first := g.Mul(x, g.Div(g.Mul(slope, inner), p))
		curvature := g.MulScalar(g.Add(inner, g.Square(slope)), 2.0) // P″/z²
		return part{z, x, p, first, g.Sub(g.Square(first), g.Mul(square, g.Div(curvature, p)))}
	}
	series := func(x *g.Node, c ...float64) *g.Node { // c₀ + c₁x² + …
		square, sum := g.Square(x), g.MulScalar(g.OnesLike(x), c[len(c)-1])
		for k := len(c) - 2; k >= 0; k-- {
			sum = g.AddScalar(g.Mul(sum, square), c[k])
		}
		return sum
	}
	low, high := at(a), at(g.Add(a, t))
	step := special.Log1p(g.Mul(t, low.x)) // log((a+t+4)/(a+4))
	difference := func(f func(x *g.Node) *g.Node) *g.Node { return g.Sub(f(high.x), f(low.x)) }
	ratio = g.Add(g.Mul(g.AddScalar(high.z, -4.5), step),
		g.Mul(t, g.AddScalar(g.Log(g.MulScalar(low.z, 1/unit)), -1.0)))
	ratio = g.Sub(g.Add(ratio, difference(func(x *g.Node) *g.Node {
		return g.Mul(x,
			series(x, 1./12, -1./360, 1./1260))
	})),
		g.Log(g.Div(high.p, low.p)))
	digamma = g.Add(g.Add(step, g.Sub(low.first, high.first)), difference(func(x *g.Node) *g.Node {
		return g.Neg(g.Add(g.MulScalar(x, 0.5), g.Mul(g.Square(x), series(x, 1./12, -1./120, 1./252))))
	}))
	trigamma = g.Add(g.Sub(high.second, low.second), difference(func(x *g.Node) *g.Node {
		return g.Mul(g.Square(x), g.AddScalar(g.Mul(x, series(x, 1./6, -1./30, 1./42, -1./30)), 0.5))
	}))
	return ratio, digamma, g.Sub(trigamma, g.Mul(t, g.Mul(low.x, high.x)))
}

// gammaSteps returns log Γ(a+t) − log Γ(a) − t log a, ψ(a+t) − ψ(a) and ψ′(a+t) − ψ′(a) on the host, for
// a > 0 and t ≥ 0, without cancellation at large a. On the graph the first result is
// [special.LogGammaRatio].
func gammaSteps(a, t float64) (ratio, digamma, trigamma float64) {
	if t == 0 {
		return 0, 0, 0
	}
	start := a
	for ; a < 16; a++ {
		ratio -= math.Log1p(t / a)
		digamma += t / a / (a + t)
		trigamma -= t / a / (a + t) * (1/a + 1/(a+t))
	}
	// Stirling's series R(z) = 1/(12 z) − …. At z = 16 the first term left out is 1e-13.
	b, w := a+t, t/a
	ratio += a*(math.Log1p(w)-w) + (t-0.5)*math.Log1p(w) + t*(math.Log(a)-math.Log(start))
	x, y := 1/a, 1/b
	stirling := func(z float64) float64 { return z * (1./12 - z*z*(1./360-z*z*(1./1260-z*z/1680))) }
	ratio += stirling(y) - stirling(x)
	psi := func(z float64) float64 { return -z/2 - z*z*(1./12-z*z*(1./120-z*z*(1./252-z*z/240))) }
	digamma += math.Log1p(w) + psi(y) - psi(x)
	psi1 := func(z float64) float64 { return z*z/2 + z*z*z*(1./6-z*z*(1./30-z*z*(1./42-z*z/30))) }
	trigamma += -t*x*y + psi1(y) - psi1(x)
	return ratio, digamma, trigamma
}
