package special

import (
	g "github.com/gomlx/gomlx/core/graph"
)

// LogGammaRatio is D(a,T) = log Γ(a+T) − log Γ(a) − T log a for a > 0, T ≥ 0. It is the part of a Gamma-Poisson
// evidence that differences of log Γ would lose to cancellation at large a, where D → T(T−1)/(2a). D(a,0) = 0 exactly,
// with gradient 0 in a. It differentiates to [DigammaRatio] in a and to ψ(a+T) − log a in T.
func LogGammaRatio(a, t *g.Node) *g.Node {
	a, t = same(a, t)
	s := shiftUp(a, t)
	// log Γ(z) = (z−½) log z − z + ½ log 2π + R(z) at z = A+T and z = A.
	value := g.Add(g.Mul(s.big, Log1pMx(s.w)), g.Mul(g.AddScalar(s.t, -0.5), Log1p(s.w)))
	value = g.Add(value, g.Sub(bernoulliSeries(0, g.Add(s.big, s.t)), bernoulliSeries(0, s.big)))
	// Where a < 8, A = a+8, and eight steps of the recurrence lead down to a.
	p, q := g.OnesLike(a), g.OnesLike(a)
	for k := 1; k < 8; k++ {
		factor := onePlus(g.Div(s.t, g.AddScalar(s.small, float64(k))))
		if k < 4 {
			p = g.Mul(p, factor)
		} else {
			q = g.Mul(q, factor)
		}
	}
	steps := g.Sub(g.Mul(s.t, g.Log(g.Div(g.AddScalar(s.small, 8.0), s.small))),
		g.Add(Log1p(g.Div(s.t, s.small)), g.Add(g.Log(p), g.Log(q))))
	value = g.Add(value, g.Where(s.below, steps, g.ZerosLike(steps)))
	return WithGradient(value,
		Partial{a, func() *g.Node { return DigammaRatio(a, t) }},
		Partial{t, func() *g.Node { return g.Add(Log1p(g.Div(t, positive(a))), DigammaMinusLog(g.Add(a, t))) }})
}

// DigammaRatio is ψ(a+T) − ψ(a) − T/a for a > 0, T ≥ 0: the derivative of [LogGammaRatio]
// in a. It is 0 exactly at T = 0.
func DigammaRatio(a, t *g.Node) *g.Node {
	a, t = same(a, t)
	s := shiftUp(a, t)
	above := g.Add(Log1pMx(s.w), digammaTail(s))
	// The first step and −T/a together: (T/a)(1−a−T)/(a+T).
	first := g.Div(g.Mul(g.Div(s.t, s.small), g.AddScalar(g.Neg(g.Add(s.small, s.t)), 1.0)), g.Add(s.small, s.t))
	below := g.Add(g.Add(Log1p(s.w), digammaTail(s)), g.Add(first, digammaSteps(s, 1)))
	return WithGradient(g.Where(s.below, below, above),
		Partial{a, func() *g.Node { return g.Add(TrigammaDifference(a, t), g.Div(t, g.Square(positive(a)))) }},
		Partial{t, func() *g.Node { return g.Sub(Trigamma(g.Add(a, t)), g.Reciprocal(positive(a))) }})
}

// DigammaDifference is ψ(a+T) − ψ(a) for a > 0, T ≥ 0, without cancellation. It is about log(1+T/a) at large a, and 0
// exactly at T = 0. It differentiates to [TrigammaDifference] in a and to ψ′(a+T) in T.
func DigammaDifference(a, t *g.Node) *g.Node {
	a, t = same(a, t)
	s := shiftUp(a, t)
	steps := digammaSteps(s, 0)
	value := g.Add(g.Add(Log1p(s.w), digammaTail(s)), g.Where(s.below, steps, g.ZerosLike(steps)))
	return WithGradient(value,
		Partial{a, func() *g.Node { return TrigammaDifference(a, t) }},
		Partial{t, func() *g.Node { return Trigamma(g.Add(a, t)) }})
}

// TrigammaDifference is ψ′(a+T) − ψ′(a) for a > 0, T ≥ 0, without cancellation. It is 0 exactly at T = 0.
func TrigammaDifference(a, t *g.Node) *g.Node {
	a, t = same(a, t)
	s := shiftUp(a, t)
	top := g.Add(s.big, s.t)
	// ψ′(z) = 1/z + 1/(2z²) + R″(z).
	inverse := g.Div(s.t, g.Mul(s.big, top))
	half := g.MulScalar(g.Mul(inverse, g.Add(g.Reciprocal(s.big), g.Reciprocal(top))), 0.5)
	value := g.Sub(g.Sub(bernoulliSeries(2, top), bernoulliSeries(2, s.big)), g.Add(inverse, half))
	steps := sum(0, 8, func(k float64) *g.Node {
		u := g.AddScalar(s.small, k)
		v := g.Add(u, s.t)
		return g.Mul(g.Div(s.t, g.Mul(u, v)), g.Add(g.Reciprocal(u), g.Reciprocal(v)))
	})
	value = g.Sub(value, g.Where(s.below, steps, g.ZerosLike(steps)))
	return WithGradient(value,
		Partial{a, func() *g.Node { return g.Sub(polygamma(2, g.Add(a, t)), polygamma(2, a)) }},
		Partial{t, func() *g.Node { return polygamma(2, g.Add(a, t)) }})
}

// shifted holds the parts of the differences at (a, T). The asymptotic series are evaluated at A ≥ 8, and where a < 8
// steps of the recurrence lead from A down to a.
type shifted struct {
	below *g.Node // a < 8
	big   *g.Node // A: a where a ≥ 8, else a+8
	w     *g.Node // T/A
	small *g.Node // a clipped to (0, 8], for the steps down from A
	t     *g.Node // T
}

// shiftUp returns the parts at (a, T).
func shiftUp(a, t *g.Node) shifted {
	a = positive(a)
	below := less(a, 8)
	big := g.Where(below, g.AddScalar(a, 8.0), a)
	return shifted{below: below, big: big, w: g.Div(t, big), small: g.MinScalar(a, 8.0), t: t}
}

// digammaTail returns ψ(A+T) − ψ(A) − log(1+w).
func digammaTail(s shifted) *g.Node {
	top := g.Add(s.big, s.t)
	half := g.MulScalar(g.Div(s.w, top), 0.5)
	return g.Add(half, g.Sub(bernoulliSeries(1, top), bernoulliSeries(1, s.big)))
}

// digammaSteps returns Σ_{k=from}^{7} [1/(a+k) − 1/(a+k+T)].
func digammaSteps(s shifted, from int) *g.Node {
	return sum(from, 8, func(k float64) *g.Node {
		u := g.AddScalar(s.small, k)
		return g.Div(g.Div(s.t, u), g.Add(u, s.t))
	})
}

// same broadcasts two operands, one of which may be a scalar, to one shape.
func same(a, b *g.Node) (x, y *g.Node) {
	switch {
	case a.Shape().Equal(b.Shape()):
	case a.IsScalar():
		a = g.BroadcastToShape(a, b.Shape())
	default:
		b = g.BroadcastToShape(b, a.Shape())
	}
	return a, b
}
