package formula

import "math"

// compile returns a function that evaluates n in float64.
func compile(n node) func(float64) float64 {
	switch n := n.(type) {
	case num:
		c := float64(n)
		return func(float64) float64 { return c }
	case symbol:
		return func(float64) float64 { panic(unknown(n)) }
	case *sum:
		return compileSum(n)
	case *product:
		return compileProduct(n)
	case *call:
		f := n.fn.host
		if _, ok := n.arg.(variable); ok {
			return f
		}
		arg := compile(n.arg)
		return func(v float64) float64 { return f(arg(v)) }
	}
	return func(v float64) float64 { return v }
}

func compileSum(n *sum) func(float64) float64 {
	c, k := n.c, n.terms[0].coef
	first := compile(n.terms[0].n)
	if len(n.terms) == 1 {
		if _, ok := n.terms[0].n.(variable); ok {
			return func(v float64) float64 { return k*v + c }
		}
		return func(v float64) float64 { return k*first(v) + c }
	}
	coefs := make([]float64, len(n.terms))
	fs := make([]func(float64) float64, len(n.terms))
	for i, t := range n.terms {
		coefs[i], fs[i] = t.coef, compile(t.n)
	}
	return func(v float64) float64 {
		s := coefs[0] * fs[0](v)
		for i, f := range fs[1:] {
			s += coefs[i+1] * f(v)
		}
		return s + c
	}
}

func compileProduct(n *product) func(float64) float64 {
	fs := make([]func(float64) float64, len(n.factors))
	for i, f := range n.factors {
		fs[i] = compilePower(compile(f.base), f.power)
	}
	if len(fs) == 1 {
		return fs[0]
	}
	return func(v float64) float64 {
		p := fs[0](v)
		for _, f := range fs[1:] {
			p *= f(v)
		}
		return p
	}
}

func compilePower(base func(float64) float64, p float64) func(float64) float64 {
	switch p {
	case 1:
		return base
	case -1:
		return func(v float64) float64 { return 1 / base(v) }
	case 2:
		return func(v float64) float64 { b := base(v); return b * b }
	case 0.5:
		return func(v float64) float64 { return math.Sqrt(base(v)) }
	}
	return func(v float64) float64 { return math.Pow(base(v), p) }
}
