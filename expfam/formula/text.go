package formula

import (
	"math"
	"strconv"
	"strings"
)

// The binding strengths of a rendered expression.
const (
	loose = iota // a sum or a negative number
	tight        // a product
	atom         // a name, a number or a call
)

// text renders n so that it parses back.
func text(n node, name string) string {
	s, _ := render(n, name)
	return s
}

// render returns the text of n and its binding strength.
func render(n node, name string) (string, int) {
	switch n := n.(type) {
	case num:
		return number(float64(n)), strengthOf(float64(n))
	case *sum:
		return renderSum(n, name)
	case *product:
		return renderProduct(n, name)
	case symbol:
		return string(n), atom
	case *call:
		return n.fn.name + "(" + text(n.arg, name) + ")", atom
	}
	return name, atom
}

func number(v float64) string {
	if v == math.Pi {
		return "pi"
	}
	if isInteger(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func strengthOf(v float64) int {
	if v < 0 {
		return loose
	}
	return atom
}

// constantFirst reports whether the constant of a sum is written first, because 1 − x reads better than −x + 1.
func (n *sum) constantFirst() bool { return n.c > 0 && n.terms[0].coef < 0 }

func renderSum(n *sum, name string) (string, int) {
	var b strings.Builder
	if n.constantFirst() {
		b.WriteString(number(n.c))
	}
	for i, t := range n.terms {
		body := scaled(math.Abs(t.coef), t.n, name)
		switch {
		case t.coef < 0:
			b.WriteString("-")
		case i > 0 || n.constantFirst():
			b.WriteString("+")
		}
		b.WriteString(body)
	}
	if n.c != 0 && !n.constantFirst() {
		if n.c > 0 {
			b.WriteString("+")
		}
		b.WriteString(number(n.c))
	}
	if n.c == 0 && len(n.terms) == 1 && n.terms[0].coef > 0 {
		return b.String(), tight
	}
	return b.String(), loose
}

// scaled returns the text of c·n for c > 0.
func scaled(c float64, n node, name string) string {
	if p, ok := n.(*product); ok {
		return fraction(c, p, name)
	}
	s, strength := render(n, name)
	if strength < tight {
		s = "(" + s + ")"
	}
	if c == 1 {
		return s
	}
	return number(c) + "*" + s
}

func renderProduct(n *product, name string) (string, int) {
	s := fraction(1, n, name)
	if len(n.factors) == 1 && n.factors[0].power == 0.5 {
		return s, atom
	}
	return s, tight
}

func fraction(c float64, n *product, name string) string {
	var over, under []string
	for _, f := range n.factors {
		s := renderPower(f.base, math.Abs(f.power), name)
		if f.power < 0 {
			under = append(under, s)
		} else {
			over = append(over, s)
		}
	}
	if c != 1 || len(over) == 0 {
		over = append([]string{number(c)}, over...)
	}
	return strings.Join(append([]string{strings.Join(over, "*")}, under...), "/")
}

func renderPower(base node, p float64, name string) string {
	if p == 0.5 {
		return "sqrt(" + text(base, name) + ")"
	}
	s, strength := render(base, name)
	if strength < atom {
		s = "(" + s + ")"
	}
	if p == 1 {
		return s
	}
	return s + "^" + number(p)
}
