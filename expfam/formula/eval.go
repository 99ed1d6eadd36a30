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

// derive returns the derivative of n with respect to the variable. memo has the derivatives by the keys of the nodes.
func derive(n node, memo map[string]node) node {
	if d, ok := memo[n.key()]; ok {
		return d
	}
	var d node
	switch n := n.(type) {
	case num, symbol:
		d = num(0)
	case variable:
		d = num(1)
	case *sum:
		terms := make([]term, len(n.terms))
		for i, t := range n.terms {
			terms[i] = term{t.coef, derive(t.n, memo)}
		}
		d = newSum(0, terms...)
	case *product:
		terms := make([]term, len(n.factors))
		for i, f := range n.factors {
			factors := []factor{{derive(f.base, memo), 1}, {f.base, f.power - 1}}
			factors = append(factors, n.factors[:i]...)
			factors = append(factors, n.factors[i+1:]...)
			terms[i] = term{f.power, newProduct(factors...)}
		}
		d = newSum(0, terms...)
	case *call:
		d = mul(n.fn.slope(n.arg), derive(n.arg, memo))
	}
	memo[n.key()] = d
	return d
}

// substitute replaces the variable and every named constant s of n by leaf(s). memo has the
// results by the keys of the nodes.
func substitute(n node, leaf func(node) node, memo map[string]node) node {
	if s, ok := memo[n.key()]; ok {
		return s
	}
	s := n
	switch n := n.(type) {
	case variable, symbol:
		s = leaf(n)
	case *sum:
		terms := make([]term, len(n.terms))
		for i, t := range n.terms {
			terms[i] = term{t.coef, substitute(t.n, leaf, memo)}
		}
		s = newSum(n.c, terms...)
	case *product:
		factors := make([]factor, len(n.factors))
		for i, f := range n.factors {
			factors[i] = factor{substitute(f.base, leaf, memo), f.power}
		}
		s = newProduct(factors...)
	case *call:
		s = apply(n.fn.name, substitute(n.arg, leaf, memo))
	}
	memo[n.key()] = s
	return s
}
