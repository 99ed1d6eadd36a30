package formula

import "math"

// apply returns the named function of u in normal form.
func apply(name string, u node) node {
	f := functions[name]
	if v, ok := u.(num); ok {
		return num(f.host(float64(v)))
	}
	if f.simplify != nil {
		if n := f.simplify(u); n != nil {
			return n
		}
	}
	return newCall(name, u)
}

// simplifyExp returns exp(u) with the logarithms moved out of the exponent: exp(k·log(v) + w) = v^k·exp(w), and
// exp(−k·softplus(u)) = sigmoid(−u)^k. It returns nil if there are none.
func simplifyExp(u node) node {
	s, ok := u.(*sum)
	if !ok {
		s = &sum{terms: []term{{1, u}}}
	}
	var out []factor
	var left []term
	for _, t := range s.terms {
		f, ok := t.n.(*call)
		switch {
		case ok && f.fn.name == "log":
			out = append(out, factor{f.arg, t.coef})
		case ok && f.fn.name == "log1p":
			out = append(out, factor{newSum(1, term{1, f.arg}), t.coef})
		case ok && f.fn.name == "lognormcdf":
			out = append(out, factor{apply("normcdf", f.arg), t.coef})
		case ok && f.fn.name == "softplus" && t.coef < 0:
			out = append(out, factor{apply("sigmoid", neg(f.arg)), -t.coef})
		default:
			left = append(left, t)
		}
	}
	if len(out) == 0 {
		return nil
	}
	if w := newSum(s.c, left...); w != num(0) {
		out = append(out, factor{apply("exp", w), 1})
	}
	return newProduct(out...)
}

// simplifyLog returns a better form of log(n), or nil.
func simplifyLog(n node) node {
	switch n := n.(type) {
	case *product:
		return logProduct(n)
	case *sum:
		return logSum(n)
	case *call:
		switch n.fn.name {
		case "exp":
			return n.arg
		case "sigmoid":
			return neg(apply("softplus", neg(n.arg)))
		case "normcdf":
			return apply("lognormcdf", n.arg)
		case "expm1": // log(exp(v)−1) = v + log(1−exp(−v))
			return add(n.arg, apply("log1mexp", n.arg))
		}
	}
	return nil
}

// logProduct splits the logarithm of a product into logarithms of its positive factors. If a
// single factor of unknown sign remains, it is split off as well unless its power is even: the
// product has a logarithm only where that factor is positive.
func logProduct(n *product) node {
	var out []term
	var rest []factor
	for _, f := range n.factors {
		if f.positive() {
			out = append(out, term{f.power, apply("log", f.base)})
		} else {
			rest = append(rest, f)
		}
	}
	switch {
	case len(rest) == 1 && !isEvenInteger(rest[0].power):
		out = append(out, term{rest[0].power, apply("log", rest[0].base)})
	case len(out) == 0:
		return nil
	case len(rest) > 0:
		out = append(out, term{1, newCall("log", finishProduct(rest))})
	}
	return newSum(0, out...)
}

// logSum returns a better form of log(n), or nil.
func logSum(n *sum) node {
	if n.c == 0 && len(n.terms) == 1 {
		k, t := n.terms[0].coef, n.terms[0].n
		if k > 0 {
			return newSum(math.Log(k), term{1, apply("log", t)})
		}
		if u, ok := isCall(t, "expm1"); ok { // log(1−exp(u)), u < 0
			return newSum(math.Log(-k), term{1, apply("log1mexp", neg(u))})
		}
		return nil
	}
	if n.c > 0 && len(n.terms) == 1 && n.terms[0].coef == n.c {
		if u, ok := isCall(n.terms[0].n, "exp"); ok {
			return newSum(math.Log(n.c), term{1, apply("softplus", u)})
		}
	}
	if n.c == 1 {
		return newCall("log1p", newSum(0, n.terms...))
	}
	return nil
}

// simplifyLog1p returns log1p(u) in normal form, by way of log(1 + u).
func simplifyLog1p(u node) node { return apply("log", newSum(1, term{1, u})) }

// simplifyLogit returns log(u) − log(1−u) if both terms have a better form, which does not
// cancel. Otherwise it returns nil.
func simplifyLogit(u node) node {
	if arg, ok := isCall(u, "sigmoid"); ok {
		return arg
	}
	p, q := apply("log", u), apply("log1p", neg(u))
	if p.key() == newCall("log", u).key() || q.key() == newCall("log1p", neg(u)).key() {
		return nil
	}
	return add(p, neg(q))
}

// odd returns the simplification of an odd function: it moves a leading minus sign out of the argument.
func odd(name string) func(node) node {
	return func(u node) node {
		if s, ok := u.(*sum); ok && s.terms[0].coef < 0 {
			return neg(apply(name, neg(u)))
		}
		return nil
	}
}
