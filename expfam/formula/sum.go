package formula

import (
	"math"
	"slices"
)

func add(ns ...node) node {
	terms := make([]term, len(ns))
	for i, n := range ns {
		terms[i] = term{1, n}
	}
	return newSum(0, terms...)
}

func neg(n node) node { return newSum(0, term{-1, n}) }

func scale(c float64, n node) node { return newSum(0, term{c, n}) }

// newSum returns c + Σ terms in normal form. It collects like terms, and applies the rules of
// complement and opposite until neither applies.
func newSum(c float64, terms ...term) node {
	for {
		var flat []term
		index := make(map[string]int)
		var collect func(coef float64, n node)
		collect = func(coef float64, n node) {
			switch n := n.(type) {
			case num:
				if coef != 0 {
					c += coef * float64(n)
				}
			case *sum:
				if coef != 0 {
					c += coef * n.c
				}
				for _, t := range n.terms {
					collect(coef*t.coef, t.n)
				}
			default:
				if i, seen := index[n.key()]; seen {
					flat[i].coef += coef
					return
				}
				index[n.key()] = len(flat)
				flat = append(flat, term{coef, n})
			}
		}
		for _, t := range terms {
			collect(t.coef, t.n)
		}
		terms = slices.DeleteFunc(flat, func(t term) bool { return t.coef == 0 })
		slices.SortFunc(terms, func(a, b term) int { return order(a.n, b.n) })
		if i := slices.IndexFunc(terms, func(t term) bool { return t.coef > 0 }); i > 0 {
			first := terms[i] // a positive term comes first: a − b reads better than −b + a
			copy(terms[1:i+1], terms[:i])
			terms[0] = first
		}
		if rest, left, ok := complement(c, terms); ok {
			c, terms = rest, left
			continue
		}
		if left, ok := opposite(terms); ok {
			terms = left
			continue
		}
		break
	}
	if c == 0 {
		c = 0 // −0 and 0 must have the same text
	}
	if len(terms) == 0 {
		return num(c)
	}
	if c == 0 && len(terms) == 1 && terms[0].coef == 1 {
		return terms[0].n
	}
	s := &sum{c: c, terms: terms}
	s.text = text(s, "x")
	return s
}

// complement absorbs the constant of a sum into a term with the same or the opposite coefficient: 1 − sigmoid(u) =
// sigmoid(−u), exp(u) − 1 = expm1(u), and so on. It reports whether it changed the sum.
func complement(c float64, terms []term) (float64, []term, bool) {
	if c == 0 {
		return c, terms, false
	}
	for i, t := range terms {
		f, ok := t.n.(*call)
		if !ok || math.Abs(t.coef) != math.Abs(c) {
			continue
		}
		same := t.coef == c
		var by term
		switch {
		case (f.fn.name == "sigmoid" || f.fn.name == "normcdf") && !same:
			by = term{c, apply(f.fn.name, neg(f.arg))}
		case f.fn.name == "exp" && !same:
			by = term{t.coef, apply("expm1", f.arg)}
		case f.fn.name == "expm1" && same:
			by = term{c, apply("exp", f.arg)}
		case f.fn.name == "tanh" && same:
			by = term{2 * c, apply("sigmoid", scale(2, f.arg))}
		case f.fn.name == "tanh":
			by = term{2 * c, apply("sigmoid", scale(-2, f.arg))}
		case f.fn.name == "erf" && same:
			by = term{2 * c, apply("normcdf", scale(math.Sqrt2, f.arg))}
		case f.fn.name == "erf":
			by = term{2 * c, apply("normcdf", scale(-math.Sqrt2, f.arg))}
		default:
			continue
		}
		left := slices.Clone(terms)
		left[i] = by
		return 0, left, true
	}
	return c, terms, false
}

// opposite applies softplus(u) − softplus(−u) = u, a difference that would cancel. Of terms
// a·softplus(u) + b·softplus(−u) of opposite signs it keeps the term that is larger in
// magnitude. It reports whether it changed the sum.
func opposite(terms []term) ([]term, bool) {
	for i, t := range terms {
		u, ok := isCall(t.n, "softplus")
		if !ok {
			continue
		}
		other := newCall("softplus", neg(u)).key()
		for j, s := range terms {
			if s.n.key() != other || s.coef*t.coef >= 0 || math.Abs(s.coef) > math.Abs(t.coef) {
				continue
			}
			left := slices.Clone(terms)
			left[i].coef += s.coef
			left[j] = term{-s.coef, u}
			return left, true
		}
	}
	return terms, false
}
