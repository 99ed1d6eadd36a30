// Package formula has expressions in one variable: parsed from text,
// simplified, differentiated, evaluated in float64, compiled to GoMLX graph
// operations and rendered as LaTeX.
package formula

// Expr is an expression in one variable. The zero value is not valid.
type Expr struct{ n node }

type node interface{}
