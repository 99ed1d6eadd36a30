package formula

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var greek = map[string]bool{"alpha": true, "beta": true, "eta": true, "lambda": true, "mu": true, "nu": true,
	"phi": true, "psi": true, "rho": true, "sigma": true, "tau": true, "theta": true}

func latex(n node, name string) string {
	s, _ := typeset(n, latexName(name))
	return s
}

func latexName(name string) string {
	if greek[name] {
		return `\` + name
	} else if len(name) > 1 {
		return `\mathrm{` + strings.ReplaceAll(name, "_", `\_`) + `}`
	}
	return name
}

// typeset returns n as LaTeX, and its binding strength.
func typeset(n node, name string) (string, int) {
	switch n := n.(type) {
	case num:
		return latexNumber(float64(n)), strengthOf(float64(n))
	case *sum:
		return typesetSum(n, name)
	case *product:
		return typesetFraction(1, n, name)
	case symbol:
		return latexName(string(n)), atom
	case *call:
		return typesetCall(n, name)
	}
	return name, atom
}

// latexNumber returns v rounded to six digits, because it is for reading.
func latexNumber(v float64) string {
	if v == math.Pi {
		return `\pi`
	}
	mantissa, exponent, scientific := strings.Cut(strconv.FormatFloat(v, 'g', 6, 64), "e")
	if !scientific {
		return mantissa
	}
	exponent = strings.TrimPrefix(exponent, "+")
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign = "-"
	}
	return mantissa + ` \times 10^{` + sign + strings.TrimLeft(exponent, "-0") + `}`
}

func parenthesised(s string) string { return `\left(` + s + `\right)` }

func typesetCall(n *call, name string) (string, int) {
	arg, strength := typeset(n.arg, name)
	switch n.fn.name {
	case "exp", "expm1": // the argument is an exponent and needs no parentheses
	case "log1p":
		if s, ok := n.arg.(*sum); ok && s.terms[0].coef < 0 { // log(1 − u)
			inner, strength := typeset(neg(n.arg), name)
			if strength == loose {
				inner = parenthesised(inner)
			}
			return `\log` + parenthesised("1 - "+inner), atom
		}
	case "log1mexp":
		if strength == loose {
			arg = parenthesised(arg)
		}
	default:
		arg = parenthesised(arg)
	}
	strength = atom
	if n.fn.loose {
		strength = loose
	}
	return strings.ReplaceAll(fmt.Sprintf(n.fn.latex, arg), ` \left`, `\left`), strength
}

func typesetSum(n *sum, name string) (string, int) {
	var parts []string
	if n.constantFirst() {
		parts = append(parts, latexNumber(n.c))
	}
	for _, t := range n.terms {
		s := typesetScaled(math.Abs(t.coef), t.n, name)
		switch {
		case len(parts) > 0 && t.coef < 0:
			parts = append(parts, "-", s)
		case len(parts) > 0:
			parts = append(parts, "+", s)
		case t.coef < 0:
			parts = append(parts, "-"+s)
		default:
			parts = append(parts, s)
		}
	}
	if n.c != 0 && !n.constantFirst() {
		sign := "+"
		if n.c < 0 {
			sign = "-"
		}
		parts = append(parts, sign, latexNumber(math.Abs(n.c)))
	}
	if n.c == 0 && len(n.terms) == 1 && n.terms[0].coef > 0 {
		return parts[0], tight
	}
	return strings.Join(parts, " "), loose
}

func typesetScaled(c float64, n node, name string) string {
	if p, ok := n.(*product); ok {
		s, _ := typesetFraction(c, p, name)
		return s
	}
	s, strength := typeset(n, name)
	if strength < tight {
		s = parenthesised(s)
	}
	if c == 1 {
		return s
	}
	return latexNumber(c) + ` ` + s
}

func typesetFraction(c float64, n *product, name string) (string, int) {
	var over, under []string
	for _, f := range n.factors {
		s := typesetPower(f.base, math.Abs(f.power), name)
		if f.power < 0 {
			under = append(under, s)
		} else {
			over = append(over, s)
		}
	}
	top := strings.Join(over, ` \, `)
	if c != 1 || len(over) == 0 {
		top = strings.TrimSpace(latexNumber(c) + " " + top)
	}
	if len(under) == 0 {
		return top, tight
	}
	return `\frac{` + top + `}{` + strings.Join(under, ` \, `) + `}`, tight
}

func typesetPower(base node, p float64, name string) string {
	s, strength := typeset(base, name)
	if p == 0.5 {
		return `\sqrt{` + s + `}`
	}
	if _, isExp := isCall(base, "exp"); p == 1 && strength == atom || p == 1 && isExp {
		return s
	}
	if _, isFunction := base.(*call); strength < atom || isFunction {
		s = parenthesised(s)
	}
	if p == 1 {
		return s
	}
	return s + `^{` + latexNumber(p) + `}`
}
