package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// maxLength and maxDepth keep derivatives of hostile input small.
const (
	maxLength = 500
	maxDepth  = 40
)

// reader converts a syntax tree to a node; an empty variable is set to the
// first name met.
type reader struct {
	text, variable string
	constants      []string // further names
}

func parse(text, variable string, constants []string) (n node, name string, err error) {
	r := &reader{text, variable, constants}
	if strings.TrimSpace(text) == "" {
		return nil, "", errors.New("formula: the text is empty; write an expression such as exp(5+x)")
	}
	if len(text) > maxLength {
		return nil, "", fmt.Errorf("formula: the text has %d characters; at most %d are allowed", len(text), maxLength)
	}
	if err := r.characters(); err != nil {
		return nil, "", err
	}
	tree, err := parser.Parse(text)
	if err != nil {
		var at *file.Error
		if errors.As(err, &at) {
			return nil, "", r.syntax(at)
		}
		return nil, "", fmt.Errorf("formula: %q: %w", text, err)
	}
	n, err = r.convert(tree.Node, 0)
	return n, r.variable, err
}

// syntax puts the parser's error in this package's words.
func (r *reader) syntax(e *file.Error) error {
	if strings.Contains(e.Message, "EOF") {
		return r.fail(len(r.text), "the text ends too early")
	}
	_, token, _ := strings.Cut(e.Message, "unexpected token ")
	if _, value, ok := strings.Cut(token, "("); ok {
		return r.fail(e.From, "unexpected %s", strings.TrimSuffix(value, ")"))
	}
	return r.fail(e.From, "%s", e.Message)
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// characters refuses what the parser's own language has beyond arithmetic:
// strings, comments, lists, pipes, conditions.
func (r *reader) characters() error {
	for i, c := range r.text {
		if !strings.ContainsRune(" \t\n+-*/^().", c) && !isName("a"+string(c)) {
			return r.fail(i, "unexpected %q", c)
		}
	}
	for _, s := range []string{"//", "/*"} {
		if i := strings.Index(r.text, s); i >= 0 {
			return r.fail(i, "unexpected %q", s)
		}
	}
	return nil
}

func (r *reader) fail(at int, format string, args ...any) error {
	name := r.variable
	if name == "" {
		name = "one variable"
	}
	for _, c := range r.constants {
		name += ", " + c
	}
	return fmt.Errorf("formula: column %d of %q: %s; allowed are %s, numbers, pi, + - * / ^ ( ) and the functions %s",
		at+1, r.text, fmt.Sprintf(format, args...), name, strings.Join(Functions(), ", "))
}

func (r *reader) convert(n ast.Node, depth int) (node, error) {
	if n == nil {
		return nil, r.fail(0, "no expression")
	}
	at := n.Location().From
	if depth > maxDepth {
		return nil, r.fail(at, "more than %d levels of nesting", maxDepth)
	}
	var out node
	var err error
	switch n := n.(type) {
	case *ast.IntegerNode:
		out = num(n.Value)
	case *ast.FloatNode:
		out = num(n.Value)
	case *ast.IdentifierNode:
		out, err = r.name(n, at)
	case *ast.UnaryNode:
		out, err = r.unary(n, at, depth)
	case *ast.BinaryNode:
		out, err = r.binary(n, at, depth)
	case *ast.CallNode:
		name, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			return nil, r.fail(at, "only a function can be called")
		}
		out, err = r.call(name.Value, n.Arguments, at, depth)
	case *ast.BuiltinNode:
		out, err = r.call(n.Name, n.Arguments, at, depth)
	default:
		return nil, r.fail(at, "this is not arithmetic")
	}
	if err != nil {
		return nil, err
	}
	if !finite(out) {
		return nil, r.fail(at, "a constant here is undefined or too large")
	}
	return out, nil
}

func (r *reader) name(n *ast.IdentifierNode, at int) (node, error) {
	switch {
	case n.Value == "pi":
		return num(math.Pi), nil
	case functions[n.Value] != nil:
		return nil, r.fail(at, "the function %s needs an argument", n.Value)
	case slices.Contains(r.constants, n.Value):
		return symbol(n.Value), nil
	case r.variable == "":
		r.variable = n.Value
	case n.Value != r.variable:
		return nil, r.fail(at, "unknown name %s", n.Value)
	}
	return variable{}, nil
}

func (r *reader) unary(n *ast.UnaryNode, at, depth int) (node, error) {
	u, err := r.convert(n.Node, depth+1)
	switch {
	case err != nil:
		return nil, err
	case n.Operator == "-":
		return neg(u), nil
	case n.Operator == "+":
		return u, nil
	}
	return nil, r.fail(at, "unexpected %q", n.Operator)
}

func (r *reader) binary(n *ast.BinaryNode, at, depth int) (node, error) {
	a, err := r.convert(n.Left, depth+1)
	if err != nil {
		return nil, err
	}
	b, err := r.convert(n.Right, depth+1)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "+":
		return add(a, b), nil
	case "-":
		return add(a, neg(b)), nil
	case "*":
		return mul(a, b), nil
	case "/":
		if b == num(0) {
			return nil, r.fail(at, "division by zero")
		}
		return mul(a, power(b, -1)), nil
	case "^", "**":
		if p, ok := b.(num); ok {
			return power(a, float64(p)), nil
		}
		return apply("exp", mul(b, apply("log", a))), nil
	}
	return nil, r.fail(at, "unexpected %q", n.Operator)
}

func (r *reader) call(name string, args []ast.Node, at, depth int) (node, error) {
	if functions[name] == nil {
		if name == "probit" {
			return nil, r.fail(at, "probit is the inverse of the link that is wanted, normcdf")
		}
		return nil, r.fail(at, "unknown function %s", name)
	}
	if len(args) != 1 {
		return nil, r.fail(at, "%s takes one argument, not %d", name, len(args))
	}
	u, err := r.convert(args[0], depth+1)
	if err != nil {
		return nil, err
	}
	return apply(name, u), nil
}
