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

// style is a way to write expressions.
type style struct {
	number  func(float64) string
	name    func(string) string
	group   func(string) string
	gap     string // around the signs of a sum
	by      string // between a coefficient and what it multiplies
	times   string // between factors
	divided func(over string, under []string) string
	root    [2]string // around what is under a root
	power   [2]string // around an exponent
}

// plain is text that parses back.
var plain = &style{number: number, name: func(name string) string { return name },
	group: func(s string) string { return "(" + s + ")" }, by: "*", times: "*",
	divided: func(over string, under []string) string { return over + "/" + strings.Join(under, "/") },
	root:    [2]string{"sqrt(", ")"}, power: [2]string{"^"}}

// text renders n so that it parses back.
func text(n node, name string) string {
	s, _ := plain.render(n, name)
	return s
}

// render writes n, and returns its binding strength.
func (s *style) render(n node, name string) (string, int) {
	switch n := n.(type) {
	case num:
		if n < 0 {
			return s.number(float64(n)), loose
		}
		return s.number(float64(n)), atom
	case *sum:
		return s.sum(n, name)
	case *product:
		if len(n.factors) == 1 && n.factors[0].power == 0.5 {
			return s.fraction(1, n, name), atom
		}
		return s.fraction(1, n, name), tight
	case symbol:
		return s.name(string(n)), atom
	case *call:
		if s == tex {
			return typesetCall(n, name)
		}
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

func (s *style) sum(n *sum, name string) (string, int) {
	var b strings.Builder
	// The constant is written first if it is positive and the first term is not: 1 − x reads better than −x + 1.
	first := n.c > 0 && n.terms[0].coef < 0
	if first {
		b.WriteString(s.number(n.c))
	}
	for i, t := range n.terms {
		b.WriteString(s.sign(t.coef, i > 0 || first) + s.scaled(math.Abs(t.coef), t.n, name))
	}
	if n.c != 0 && !first {
		b.WriteString(s.sign(n.c, true) + s.number(math.Abs(n.c)))
	}
	if n.c == 0 && len(n.terms) == 1 && n.terms[0].coef > 0 {
		return b.String(), tight
	}
	return b.String(), loose
}

// sign returns the sign in front of a term.
func (s *style) sign(of float64, within bool) string {
	switch {
	case within && of < 0:
		return s.gap + "-" + s.gap
	case within:
		return s.gap + "+" + s.gap
	case of < 0:
		return "-"
	}
	return ""
}

// scaled writes c·n for c > 0.
func (s *style) scaled(c float64, n node, name string) string {
	if p, ok := n.(*product); ok {
		return s.fraction(c, p, name)
	}
	out, strength := s.render(n, name)
	if strength < tight {
		out = s.group(out)
	}
	if c == 1 {
		return out
	}
	return s.number(c) + s.by + out
}

// fraction writes c·n for c > 0.
func (s *style) fraction(c float64, n *product, name string) string {
	var over, under []string
	for _, f := range n.factors {
		p := s.raised(f.base, math.Abs(f.power), name)
		if f.power < 0 {
			under = append(under, p)
		} else {
			over = append(over, p)
		}
	}
	top := strings.Join(over, s.times)
	if len(over) == 0 {
		top = s.number(c)
	} else if c != 1 {
		top = s.number(c) + s.by + top
	}
	if len(under) == 0 {
		return top
	}
	return s.divided(top, under)
}

func (s *style) raised(base node, p float64, name string) string {
	out, strength := s.render(base, name)
	if p == 0.5 {
		return s.root[0] + out + s.root[1]
	}
	if _, function := base.(*call); strength < atom || function && p != 1 && s == tex {
		out = s.group(out)
	}
	if p == 1 {
		return out
	}
	return out + s.power[0] + s.number(p) + s.power[1]
}
