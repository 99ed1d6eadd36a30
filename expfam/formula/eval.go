package formula

import "math"

// evaluation evaluates an expression in float64. s is the work space of a [List], and nil for a single expression.
type evaluation func(v float64, s []float64) float64

// compiler makes evaluations. Its zero value is for a single expression.
type compiler struct {
	uses map[string]int // how often the nodes of a [List] occur, by their keys
	at   map[string]int // where in the work space the values of those are that occur more than once
	from int            // the first of these places
}

// compile returns a function that evaluates n. What occurs more than once is evaluated where it is compiled first.
func (c *compiler) compile(n node) evaluation {
	if at, ok := c.at[n.key()]; ok {
		return func(_ float64, s []float64) float64 { return s[at] }
	}
	f := c.plain(n)
	if c.uses[n.key()] < 2 {
		return f
	}
	at := c.from + len(c.at)
	c.at[n.key()] = at
	return func(v float64, s []float64) float64 {
		s[at] = f(v, s)
		return s[at]
	}
}

func (c *compiler) plain(n node) evaluation {
	switch n := n.(type) {
	case num:
		c := float64(n)
		return func(float64, []float64) float64 { return c }
	case symbol:
		return func(float64, []float64) float64 { panic(unknown(n)) }
	case *sum:
		return c.sum(n)
	case *product:
		return c.product(n)
	case *call:
		f := n.fn.host
		if _, ok := n.arg.(variable); ok {
			return func(v float64, _ []float64) float64 { return f(v) }
		}
		arg := c.compile(n.arg)
		return func(v float64, s []float64) float64 { return f(arg(v, s)) }
	}
	return func(v float64, _ []float64) float64 { return v }
}

func (c *compiler) sum(n *sum) evaluation {
	constant, coefs := n.c, make([]float64, len(n.terms))
	fs := make([]evaluation, len(n.terms))
	for i, t := range n.terms {
		coefs[i], fs[i] = t.coef, c.compile(t.n)
	}
	k, first := coefs[0], fs[0]
	if len(fs) == 1 {
		if _, ok := n.terms[0].n.(variable); ok {
			return func(v float64, _ []float64) float64 { return k*v + constant }
		}
		return func(v float64, s []float64) float64 { return k*first(v, s) + constant }
	}
	return func(v float64, s []float64) float64 {
		sum := k * first(v, s)
		for i, f := range fs[1:] {
			sum += coefs[i+1] * f(v, s)
		}
		return sum + constant
	}
}

func (c *compiler) product(n *product) evaluation {
	fs := make([]evaluation, len(n.factors))
	for i, f := range n.factors {
		fs[i] = compilePower(c.compile(f.base), f.power)
	}
	if len(fs) == 1 {
		return fs[0]
	}
	return func(v float64, s []float64) float64 {
		p := fs[0](v, s)
		for _, f := range fs[1:] {
			p *= f(v, s)
		}
		return p
	}
}

func compilePower(base evaluation, p float64) evaluation {
	switch p {
	case 1:
		return base
	case -1:
		return func(v float64, s []float64) float64 { return 1 / base(v, s) }
	case 2:
		return func(v float64, s []float64) float64 { b := base(v, s); return b * b }
	case 0.5:
		return func(v float64, s []float64) float64 { return math.Sqrt(base(v, s)) }
	}
	return func(v float64, s []float64) float64 { return math.Pow(base(v, s), p) }
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
