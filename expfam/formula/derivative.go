package formula

// derive returns the derivative of n with respect to the variable. memo has the derivatives by
// the keys of the nodes.
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
