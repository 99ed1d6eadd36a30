package special

import (
	g "github.com/gomlx/gomlx/core/graph"
)

// Softplus is log(1+eˣ) = max(x,0) + log1p(e^−|x|).
func Softplus(x *g.Node) *g.Node {
	value := g.Add(g.MaxScalar(x, 0.0), log1p(g.Exp(g.Neg(g.Abs(x)))))
	return WithGradient(value, Partial{x, func() *g.Node { return Sigmoid(x) }})
}

// Sigmoid is 1/(1+e⁻ˣ) with full relative accuracy at negative x. The sigmoid of ONNX
// Runtime has only absolute accuracy there (17 % off at −15).
func Sigmoid(x *g.Node) *g.Node {
	e := g.Exp(g.Neg(g.Abs(x)))
	value := g.Div(g.Where(less(x, 0), e, g.OnesLike(e)), g.AddScalar(e, 1.0))
	return WithGradient(value, Partial{x, func() *g.Node { return g.Mul(Sigmoid(x), Sigmoid(g.Neg(x))) }})
}

// Log1p is log(1+w) for w > −1, with full relative accuracy at small w on every engine. It differentiates to 1/(1+w).
func Log1p(w *g.Node) *g.Node {
	return WithGradient(log1p(w), Partial{w, func() *g.Node { return g.Reciprocal(onePlus(w)) }})
}

// Log1pMx is log(1+w) − w = −w²/2 + w³/3 − … for w > −1, without cancellation. It differentiates to −w/(1+w).
func Log1pMx(w *g.Node) *g.Node {
	// With s = w/(2+w), log(1+w) = 2 atanh s and w = 2s/(1−s), hence log(1+w) − w = −s·w + 2s³(1/3 + s²/5 + …).
	small, s := logSeries(w)
	near := g.Add(g.Neg(g.Mul(s, clip(w, -0.4, 2.0/3))), g.MulScalar(g.Mul(s, small), 2))
	value := g.Where(nearZero(w), near, g.Sub(g.Log(onePlus(w)), w))
	return WithGradient(value, Partial{w, func() *g.Node { return g.Neg(g.Div(w, onePlus(w))) }})
}

// Expm1 is eᵈ − 1 with full relative accuracy at small d.
func Expm1(d *g.Node) *g.Node {
	near := clip(d, -1, 1)
	value := g.Where(less(g.Abs(d), 1), g.Add(near, expSeries(near)), g.AddScalar(exp(d), -1.0))
	return WithGradient(value, Partial{d, func() *g.Node { return exp(d) }})
}

// ExpM1Mx is eᵈ − 1 − d = d²/2 + d³/6 + …, without cancellation. It differentiates to [Expm1].
func ExpM1Mx(d *g.Node) *g.Node {
	value := g.Where(less(g.Abs(d), 1), expSeries(clip(d, -1, 1)), g.Sub(g.AddScalar(exp(d), -1.0), d))
	return WithGradient(value, Partial{d, func() *g.Node { return Expm1(d) }})
}

// onePlus returns 1+w, but at least the least positive argument of the dtype.
func onePlus(w *g.Node) *g.Node { return g.MaxScalar(g.AddScalar(w, 1.0), precisionOf(w).tiny) }

// nearZero returns where the series in s = w/(2+w) is used: |s| < 1/4, which is −0.4 < w < 2/3.
func nearZero(w *g.Node) *g.Node {
	return g.LogicalAnd(less(w, 2.0/3), g.GreaterThan(w, constant(w, -0.4)))
}

// logSeries returns s²·(1/3 + s²/5 + s⁴/7 + …) and s = w/(2+w). w is first clipped to the range where |s| ≤ 1/4.
func logSeries(w *g.Node) (tail, s *g.Node) {
	w = clip(w, -0.4, 2.0/3)
	s = g.Div(w, g.AddScalar(w, 2.0))
	c := make([]float64, precisionOf(w).atanh)
	for k := range c {
		c[k] = 1 / float64(2*k+3)
	}
	s2 := g.Square(s)
	return g.Mul(s2, polynomial(s2, c)), s
}

// log1p returns log(1+w) without a closed form of its derivative; see [Log1p].
func log1p(w *g.Node) *g.Node {
	tail, s := logSeries(w)
	near := g.MulScalar(g.Add(s, g.Mul(s, tail)), 2)
	return g.Where(nearZero(w), near, g.Log(onePlus(w)))
}

// expSeries returns eᵈ − 1 − d for |d| ≤ 1.
func expSeries(d *g.Node) *g.Node {
	c := make([]float64, precisionOf(d).expSmall)
	factorial := 2.0
	for k := range c {
		c[k] = 1 / factorial
		factorial *= float64(k + 3)
	}
	return g.Mul(g.Square(d), polynomial(d, c))
}

// exp returns eᵈ, with d bounded by the greatest exponent of the dtype.
func exp(d *g.Node) *g.Node { return g.Exp(g.MinScalar(d, precisionOf(d).exp)) }

func clip(x *g.Node, low, high float64) *g.Node { return g.MinScalar(g.MaxScalar(x, low), high) }
