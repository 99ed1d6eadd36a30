package formula

import (
	"maps"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/special"
)

// function is a function that formulas may use. Both its implementations, on the host and in a
// graph, have a small relative error over the complete range of the argument.
type function struct {
	name string
	host func(float64) float64
	// graph has gradients on every engine.
	graph func(*Node) *Node
	// slope is the derivative as an expression in the argument.
	slope func(u node) node
	// simplify returns a better form of the function at u, or nil.
	simplify func(u node) node
	// latex has one %s for the argument. What it typesets binds like an atom, or like a sum if loose.
	latex string
	loose bool
	// positive means that the value is above 0 everywhere.
	positive bool
}

var functions map[string]*function

func init() {
	functions = make(map[string]*function)
	for _, f := range []*function{
		{name: "exp", host: math.Exp, graph: Exp, positive: true, latex: `e^{%s}`,
			slope: func(u node) node { return apply("exp", u) }, simplify: simplifyExp},
		{name: "log", host: math.Log, graph: Log, latex: `\log %s`,
			slope: func(u node) node { return power(u, -1) }, simplify: simplifyLog},
		{name: "sqrt", host: math.Sqrt, graph: Sqrt, latex: `\sqrt{%s}`,
			simplify: func(u node) node { return power(u, 0.5) }},
		{name: "sigmoid", host: sigmoid, graph: special.Sigmoid, positive: true, latex: `\sigma %s`,
			slope: func(u node) node { return mul(apply("sigmoid", u), apply("sigmoid", neg(u))) },
			simplify: func(u node) node {
				if arg, ok := isCall(u, "logit"); ok {
					return arg
				}
				return nil
			}},
		{name: "logit", host: logit, graph: graphLogit, latex: `\operatorname{logit} %s`,
			slope:    func(u node) node { return mul(power(u, -1), power(newSum(1, term{-1, u}), -1)) },
			simplify: simplifyLogit},
		{name: "softplus", host: softplus, graph: special.Softplus, positive: true, latex: `\operatorname{softplus} %s`,
			slope: func(u node) node { return apply("sigmoid", u) }},
		{name: "log1p", host: math.Log1p, graph: special.Log1p, latex: `\log\left(1 + %s\right)`,
			slope: func(u node) node { return power(newSum(1, term{1, u}), -1) }, simplify: simplifyLog1p},
		{name: "log1m", host: func(u float64) float64 { return math.Log1p(-u) }, latex: `\log\left(1 - %s\right)`,
			simplify: func(u node) node { return apply("log1p", neg(u)) }},
		{name: "expm1", host: math.Expm1, graph: special.Expm1, latex: `e^{%s} - 1`, loose: true,
			slope: func(u node) node { return apply("exp", u) },
			simplify: func(u node) node {
				if e := apply("exp", u); e.key() != newCall("exp", u).key() {
					return newSum(-1, term{1, e})
				}
				return nil
			}},
		{name: "tanh", host: math.Tanh, graph: Tanh, latex: `\tanh %s`, simplify: odd("tanh"),
			slope: func(u node) node { // sech², without 1 − tanh²
				return scale(4, mul(apply("sigmoid", scale(2, u)), apply("sigmoid", scale(-2, u))))
			}},
		{name: "erf", host: math.Erf, graph: special.Erf, latex: `\operatorname{erf} %s`, simplify: odd("erf"),
			slope: func(u node) node { return scale(2/math.SqrtPi, apply("exp", neg(power(u, 2)))) }},
		{name: "normcdf", host: normcdf, graph: graphNormcdf, positive: true, latex: `\Phi %s`,
			slope: func(u node) node {
				return scale(1/math.Sqrt(2*math.Pi), apply("exp", scale(-0.5, power(u, 2))))
			}},
		{name: "lognormcdf", host: lognormcdf, graph: graphLognormcdf, latex: `\log\Phi %s`,
			slope: func(u node) node { return apply("mills", neg(u)) }},
		{name: "mills", host: mills, graph: graphMills, positive: true, latex: `\lambda %s`,
			slope: func(u node) node { // λ(λ − u)
				m := apply("mills", u)
				return mul(m, add(m, neg(u)))
			}},
		{name: "log1mexp", host: log1mexp, graph: graphLog1mexp, latex: `\log\left(1 - e^{-%s}\right)`,
			slope: func(u node) node { return power(apply("expm1", u), -1) }},
	} {
		functions[f.name] = f
	}
}

// Functions lists the names of the functions that a formula may use.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }
