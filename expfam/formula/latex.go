package formula

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var greek = map[string]bool{"alpha": true, "beta": true, "eta": true, "lambda": true, "mu": true, "nu": true,
	"phi": true, "psi": true, "rho": true, "sigma": true, "tau": true, "theta": true}

// tex is LaTeX.
var tex = &style{number: latexNumber, name: latexName, group: parenthesised, gap: " ", by: " ", times: ` \, `,
	divided: func(over string, under []string) string {
		return `\frac{` + over + `}{` + strings.Join(under, ` \, `) + `}`
	}, root: [2]string{`\sqrt{`, `}`}, power: [2]string{`^{`, `}`}}

func latex(n node, name string) string {
	s, _ := tex.render(n, latexName(name))
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
	arg, strength := tex.render(n.arg, name)
	switch n.fn.name {
	case "exp", "expm1": // the argument is an exponent and needs no parentheses
	case "log1p":
		if s, ok := n.arg.(*sum); ok && s.terms[0].coef < 0 { // log(1 − u)
			inner, strength := tex.render(neg(n.arg), name)
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
