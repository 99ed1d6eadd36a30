package special

import (
	"math"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mathext"
)

// LogGamma is log Γ(x), x > 0. It differentiates to [Digamma].
func LogGamma(x *g.Node) *g.Node { return polygamma(-1, x) }

// Digamma is ψ(x) = d log Γ(x)/dx, x > 0. It differentiates to [Trigamma].
func Digamma(x *g.Node) *g.Node { return polygamma(0, x) }

// Trigamma is ψ′(x), x > 0. It differentiates to ψ″.
func Trigamma(x *g.Node) *g.Node { return polygamma(1, x) }

// LogGammaStirling is log Γ(a) − a log a + a = −½ log a + ½ log 2π + 1/(12a) − … for
// a > 0, without cancellation at large a. It differentiates to [DigammaMinusLog].
func LogGammaStirling(a *g.Node) *g.Node { return stirling(0, a) }

// DigammaMinusLog is ψ(a) − log a for a > 0. It is negative, and about −1/(2a) at large a. It
// differentiates to [TrigammaMinusInverse].
func DigammaMinusLog(a *g.Node) *g.Node { return stirling(1, a) }

// TrigammaMinusInverse is ψ′(a) − 1/a for a > 0. It is positive, and about 1/(2a²) at large a.
func TrigammaMinusInverse(a *g.Node) *g.Node { return stirling(2, a) }

// polygamma returns ψ⁽ᵐ⁾(x), and log Γ(x) for m = −1. Below 3 it uses the Taylor series of log Γ about 2 with the
// recurrence, above 3 the asymptotic series [Abramowitz & Stegun 6.1.33, 6.1.41, 6.4.11].
func polygamma(m int, x *g.Node) *g.Node {
	p := positive(x)
	value := g.Where(less(p, 3), gammaNear(m, p), gammaFar(m, p))
	return WithGradient(value, Partial{x, func() *g.Node { return polygamma(m+1, x) }})
}

// positive clips x to the range of positive arguments.
func positive(x *g.Node) *g.Node {
	p := precisionOf(x)
	// Above 1e30, products with log Γ overflow in float32.
	if p.double {
		return clip(x, p.tiny, 1e200)
	}
	return clip(x, p.tiny, 1e30)
}

// gammaNear returns ψ⁽ᵐ⁾ on (0, 3). It evaluates the series about 2 on [1.5, 2.5], and the recurrence leads there from
// other x. The roots of log Γ at 1 and 2 are therefore exact.
func gammaNear(m int, x *g.Node) *g.Node {
	below := func(bound float64, yes, no *g.Node) *g.Node { return g.Where(less(x, bound), yes, no) }
	shift := below(0.5, constant(x, 2), below(1.5, constant(x, 1), below(2.5, constant(x, 0), constant(x, -1))))
	z := clip(g.Add(g.AddScalar(x, -2.0), shift), -0.5, 0.5)
	series := polynomial(z, zetaSeries(m, precisionOf(x).zeta))

	one, up, down := g.OnesLike(x), g.AddScalar(x, 1.0), g.AddScalar(x, -1.0)
	if m == -1 {
		ratio := below(0.5, g.Mul(x, up), below(1.5, x, below(2.5, one, g.Reciprocal(g.MaxScalar(down, 0.5)))))
		return g.Sub(series, g.Log(ratio))
	}
	power := func(u *g.Node) *g.Node { return g.Reciprocal(integerPower(u, m+1)) }
	sum := below(0.5, g.Add(power(x), power(up)),
		below(1.5, power(x), below(2.5, g.ZerosLike(x), g.Neg(power(g.MaxScalar(down, 0.5))))))
	return g.Sub(series, g.MulScalar(sum, alternate(m)*factorial(m)))
}

// gammaFar returns ψ⁽ᵐ⁾ on [3, ∞).
func gammaFar(m int, x *g.Node) *g.Node {
	x = g.MaxScalar(x, 3.0)
	p := precisionOf(x)
	if !p.double {
		return asymptotic(m, x)
	}
	// In float64 the series is accurate from 10 on. Seven steps of the recurrence lead from [3, 10) to there.
	shifted := less(x, p.far)
	value := asymptotic(m, g.Where(shifted, g.AddScalar(x, 7.0), x))
	u := g.MinScalar(x, p.far)
	var step *g.Node
	if m == -1 {
		step = u
		for j := 1; j < 7; j++ {
			step = g.Mul(step, g.AddScalar(u, float64(j)))
		}
		step = g.Log(step)
	} else {
		step = sum(0, 7, func(j float64) *g.Node { return g.Reciprocal(integerPower(g.AddScalar(u, j), m+1)) })
		step = g.MulScalar(step, alternate(m)*factorial(m))
	}
	return g.Sub(value, g.Where(shifted, step, g.ZerosLike(step)))
}

// asymptotic returns ψ⁽ᵐ⁾(x) by its asymptotic series in 1/x.
func asymptotic(m int, x *g.Node) *g.Node {
	switch m {
	case -1:
		main := g.Mul(g.AddScalar(x, -0.5), g.AddScalar(g.Log(x), -1.0))
		return g.AddScalar(g.Add(main, bernoulliSeries(0, x)), halfLog2Pi-0.5)
	case 0:
		return g.Add(g.Log(x), stirlingFar(1, x))
	}
	lead := g.MulScalar(g.Reciprocal(integerPower(x, m)), -alternate(m)*factorial(m-1))
	return g.Add(lead, stirlingFar(m+1, x))
}

// stirling returns the j-th derivative of log Γ(a) − a log a + a.
func stirling(j int, a *g.Node) *g.Node {
	x := positive(a)
	p := precisionOf(x)
	u := g.MinScalar(x, p.far)
	near := g.StopGradient(polygamma(j-1, u))
	switch j {
	case 0:
		near = g.Sub(near, g.Mul(u, g.AddScalar(g.Log(u), -1.0)))
	case 1:
		near = g.Sub(near, g.Log(u))
	default:
		near = g.Add(near, g.MulScalar(g.Reciprocal(integerPower(u, j-1)), alternate(j-1)*factorial(j-2)))
	}
	value := g.Where(less(x, p.far), near, stirlingFar(j, g.MaxScalar(x, p.far)))
	return WithGradient(value, Partial{a, func() *g.Node { return stirling(j+1, a) }})
}

// halfLog2Pi is ½ log 2π.
const halfLog2Pi = 0.91893853320467274178032973640561763986139747363778

// stirlingFar returns the j-th derivative of the asymptotic series −½ log x + ½ log 2π + Σ B₂ₖ/(2k(2k−1)x²ᵏ⁻¹).
func stirlingFar(j int, x *g.Node) *g.Node {
	series := bernoulliSeries(j, x)
	if j == 0 {
		return g.AddScalar(g.Sub(series, g.MulScalar(g.Log(x), 0.5)), halfLog2Pi)
	}
	return g.Add(series, g.MulScalar(g.Reciprocal(integerPower(x, j)), 0.5*alternate(j)*factorial(j-1)))
}

// bernoulliSeries returns the j-th derivative of Σₖ B₂ₖ/(2k(2k−1)) x^−(2k−1).
func bernoulliSeries(j int, x *g.Node) *g.Node {
	c := make([]float64, precisionOf(x).bernoulli)
	for i := range c {
		k := i + 1
		c[i] = alternate(j) * bernoulli[i] / float64(2*k*(2*k-1))
		for l := range j {
			c[i] *= float64(2*k - 1 + l)
		}
	}
	y := g.Reciprocal(x)
	return g.Mul(integerPower(y, j+1), polynomial(g.Square(y), c))
}

// bernoulli holds the Bernoulli numbers B₂, B₄, …, B₁₈.
var bernoulli = [...]float64{
	1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510, 43867. / 798,
}

// zetaSeries returns the Taylor coefficients in z of the (m+1)-th derivative of
//
//	log Γ(2+z) = (1−γ)z + Σ_{k≥2} (−1)ᵏ (ζ(k)−1) zᵏ/k.
func zetaSeries(m, terms int) []float64 {
	c := make([]float64, terms+1)
	c[1] = 1 - eulerGamma
	for k := 2; k <= terms; k++ {
		c[k] = alternate(k) * mathext.Zeta(float64(k), 2) / float64(k)
	}
	for range m + 1 {
		for k := range len(c) - 1 {
			c[k] = c[k+1] * float64(k+1)
		}
		c = c[:len(c)-1]
	}
	return c
}

// eulerGamma is Euler's constant γ.
const eulerGamma = 0.57721566490153286060651209008240243104215933593992

// integerPower returns xⁿ for n ≥ 1.
func integerPower(x *g.Node, n int) *g.Node {
	y := x
	for range n - 1 {
		y = g.Mul(y, x)
	}
	return y
}

// factorial returns n!.
func factorial(n int) float64 { return math.Round(math.Gamma(float64(n + 1))) }

// alternate returns (−1)ⁿ.
func alternate(n int) float64 { return 1 - 2*float64(n&1) }
