package formula

import (
	"math"
	"slices"
)

func mul(ns ...node) node {
	factors := make([]factor, len(ns))
	for i, n := range ns {
		factors[i] = factor{n, 1}
	}
	return newProduct(factors...)
}

func power(base node, p float64) node { return newProduct(factor{base, p}) }

// collector collects the parts of a product: coef · exp(exponent) · Π factors.
type collector struct {
	coef     float64
	exponent []term // the exponent is the sum of these terms
	factors  []factor
	index    map[string]int // index of a factor by the key of its base
}

// add multiplies by base^p. It splits base^p into parts as far as that is valid for every sign of the parts.
func (c *collector) add(base node, p float64) {
	if p == 0 {
		return
	}
	if v, ok := base.(num); ok {
		c.coef *= math.Pow(float64(v), p)
		return
	}
	if k, t, ok := isScaled(base); ok {
		if q := math.Pow(math.Abs(k), p); q != 0 && !math.IsInf(q, 0) {
			if k < 0 && !isInteger(p) {
				if k == -1 {
					c.push(base, p)
					return
				}
				t = neg(t)
			} else if k < 0 && !isEvenInteger(p) {
				q = -q
			}
			c.coef *= q
			c.add(t, p)
			return
		}
	}
	if f, ok := base.(*product); ok {
		c.addProduct(f, p)
		return
	}
	if u, ok := isCall(base, "exp"); ok {
		c.exponent = append(c.exponent, term{p, u})
		return
	}
	if s, ok := base.(*sum); ok && p < 0 && len(s.terms) == 1 && s.c == s.terms[0].coef && s.c > 0 {
		if u, ok := isCall(s.terms[0].n, "exp"); ok { // 1/(1+exp(u)) = sigmoid(−u)
			c.coef *= math.Pow(s.c, p)
			c.add(apply("sigmoid", neg(u)), -p)
			return
		}
	}
	c.push(base, p)
}

// addProduct multiplies by f^p. (b^q)^p is b^(qp), unless q is even and qp is not: then it is
// |b|^(qp). Under a fractional power, parts of unknown sign must stay together.
func (c *collector) addProduct(f *product, p float64) {
	var rest []factor
	for _, g := range f.factors {
		if isInteger(p) || g.positive() {
			c.add(g.base, g.power*p)
		} else {
			rest = append(rest, g)
		}
	}
	switch {
	case len(rest) == 0:
	case len(rest) == 1 && (!isEvenInteger(rest[0].power) || isEvenInteger(rest[0].power*p)):
		c.add(rest[0].base, rest[0].power*p)
	default:
		c.push(finishProduct(rest), p)
	}
}

// push multiplies by base^p without splitting it.
func (c *collector) push(base node, p float64) {
	if i, seen := c.index[base.key()]; seen {
		c.factors[i].power += p
		return
	}
	c.index[base.key()] = len(c.factors)
	c.factors = append(c.factors, factor{base, p})
}

// newProduct returns Π base^power in normal form.
func newProduct(factors ...factor) node {
	c := &collector{coef: 1, index: make(map[string]int)}
	for _, f := range factors {
		c.add(f.base, f.power)
	}
	for again := true; again; {
		again = c.oppositeSigmoids()
		if len(c.exponent) > 0 {
			again = c.absorbExp() || again
			e := apply("exp", newSum(0, c.exponent...))
			if u, ok := isCall(e, "exp"); ok {
				c.exponent = []term{{1, u}}
			} else {
				c.exponent = nil
				c.add(e, 1)
				again = true
			}
		}
	}
	left := slices.DeleteFunc(c.factors, func(f factor) bool { return f.power == 0 })
	if len(c.exponent) > 0 {
		left = append(left, factor{newCall("exp", c.exponent[0].n), 1})
	}
	if c.coef == 0 || len(left) == 0 {
		return num(c.coef)
	}
	return scale(c.coef, finishProduct(left))
}

// finishProduct returns the product of factors that cannot be simplified further.
func finishProduct(factors []factor) node {
	if len(factors) == 1 && factors[0].power == 1 {
		return factors[0].base
	}
	slices.SortFunc(factors, func(a, b factor) int { return order(a.base, b.base) })
	p := &product{factors: factors}
	p.text = text(p, "x")
	return p
}

// oppositeSigmoids applies sigmoid(u)/sigmoid(−u) = exp(u). It reports whether it changed the product.
func (c *collector) oppositeSigmoids() bool {
	for i, f := range c.factors {
		u, ok := isCall(f.base, "sigmoid")
		if !ok || f.power <= 0 {
			continue
		}
		j, ok := c.index[newCall("sigmoid", neg(u)).key()]
		if !ok || c.factors[j].power >= 0 {
			continue
		}
		m := math.Min(f.power, -c.factors[j].power)
		c.factors[i].power -= m
		c.factors[j].power += m
		c.exponent = append(c.exponent, term{m, u})
		return true
	}
	return false
}

// absorbExp applies sigmoid(u)·exp(−u) = sigmoid(−u) and exp(u)/expm1(u) = 1/(1−exp(−u)) where
// the exponent becomes shorter. It reports whether it changed the product.
func (c *collector) absorbExp() bool {
	e := newSum(0, c.exponent...)
	for i, f := range c.factors {
		b, ok := f.base.(*call)
		if !ok || f.power == 0 {
			continue
		}
		var by node
		switch {
		case b.fn.name == "sigmoid":
			by = apply("sigmoid", neg(b.arg))
		case b.fn.name == "expm1" && f.power < 0:
			by = neg(apply("expm1", neg(b.arg)))
		default:
			continue
		}
		// Try the complete power of the factor, then a power of 1 (or −1).
		for _, p := range []float64{f.power, math.Copysign(math.Min(1, math.Abs(f.power)), f.power)} {
			left := newSum(0, term{1, e}, term{p, b.arg})
			if length(left) < length(e) {
				c.factors[i].power -= p
				c.exponent = []term{{1, left}}
				c.add(by, p)
				return true
			}
		}
	}
	return false
}

// length returns the number of terms of a sum that are not constant.
func length(n node) int {
	switch n := n.(type) {
	case num:
		return 0
	case *sum:
		return len(n.terms)
	}
	return 1
}
