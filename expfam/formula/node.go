package formula

import (
	"math"
	"strings"
)

// node is a simplified expression in normal form:
//
//	num       a constant
//	variable  the variable
//	symbol    a constant that has a name and no value
//	*sum      c + Σ coef·n, where no n is a sum or a constant
//	*product  Π base^power without a coefficient, where no base is a product with an integer power
//	*call     a function of one argument
//
// A multiple c·n is a sum of one term. The constructors add, mul, power and
// apply keep the normal form. No other code builds nodes.
type node interface {
	// key returns the canonical text with x as the variable. Equal keys mean equal expressions.
	key() string
}

type (
	num      float64
	variable struct{}
	symbol   string
	sum      struct {
		c     float64
		terms []term
		text  string
	}
	term struct {
		coef float64
		n    node
	}
	product struct {
		factors []factor
		text    string
	}
	factor struct {
		base  node
		power float64
	}
	call struct {
		fn   *function
		arg  node
		text string
	}
)

func (n num) key() string      { return text(n, "x") }
func (n variable) key() string { return "x" }
func (n symbol) key() string   { return string(n) }
func (n *sum) key() string     { return n.text }
func (n *product) key() string { return n.text }
func (n *call) key() string    { return n.text }

func newCall(name string, arg node) node {
	c := &call{fn: functions[name], arg: arg}
	c.text = text(c, "x")
	return c
}

// isCall reports whether n is a call of the named function, and returns its argument.
func isCall(n node, name string) (arg node, ok bool) {
	if c, is := n.(*call); is && c.fn.name == name {
		return c.arg, true
	}
	return nil, false
}

// isScaled reports whether n is coef·t with coef ≠ 1, and returns coef and t.
func isScaled(n node) (coef float64, t node, ok bool) {
	if s, is := n.(*sum); is && s.c == 0 && len(s.terms) == 1 {
		return s.terms[0].coef, s.terms[0].n, true
	}
	return 1, n, false
}

// positive reports whether n > 0 is certain wherever n is defined, apart from places where n is 0 as a power of 0.
func positive(n node) bool {
	switch n := n.(type) {
	case num:
		return n > 0
	case *call:
		return n.fn.positive
	case *product:
		for _, f := range n.factors {
			if !f.positive() {
				return false
			}
		}
		return true
	case *sum:
		if n.c < 0 {
			return false
		}
		for _, t := range n.terms {
			if t.coef < 0 || !positive(t.n) {
				return false
			}
		}
		return true
	}
	return false
}

// positive reports whether f > 0 is certain. A factor with a fractional power is undefined where
// its base is negative, so it counts as positive.
func (f factor) positive() bool { return !isInteger(f.power) || positive(f.base) }

func isInteger(v float64) bool     { return v == math.Trunc(v) }
func isEvenInteger(v float64) bool { return math.Mod(v, 2) == 0 }

// finite reports whether all constants in n are finite.
func finite(n node) bool {
	ok := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	switch n := n.(type) {
	case num:
		return ok(float64(n))
	case *sum:
		for _, t := range n.terms {
			if !ok(t.coef) || !finite(t.n) {
				return false
			}
		}
		return ok(n.c)
	case *product:
		for _, f := range n.factors {
			if !ok(f.power) || !finite(f.base) {
				return false
			}
		}
	case *call:
		return finite(n.arg)
	}
	return true
}

// order compares two nodes in the canonical order: named constants come first, then the
// variable, then its powers, then all others by text.
func order(a, b node) int {
	rank := func(n node) int {
		switch n := n.(type) {
		case symbol:
			return -1
		case variable:
			return 0
		case *product:
			if _, ok := n.factors[0].base.(variable); ok {
				return 1
			}
		}
		return 2
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a.key(), b.key())
}
