package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
)

// maxLength and maxDepth bound the length and the nesting of a formula, to keep the derivatives of hostile input small.
const (
	maxLength = 500
	maxDepth  = 40
)

// reader converts a syntax tree to a node. An empty variable is set to the first name in the
// formula that is neither a function nor a constant.
type reader struct {
	text, variable string
	constants      []string // names of constants
	err            error    // the first error
}

// parse returns the node of a formula, and the name of its variable.
func parse(text, variable string, constants []string) (n node, name string, err error) {
	r := &reader{text: text, variable: variable, constants: constants}
	if strings.TrimSpace(text) == "" {
		return nil, "", errors.New("formula: the text is empty; write an expression such as exp(5+x)")
	}
	if len(text) > maxLength {
		return nil, "", fmt.Errorf("formula: the text has %d characters; at most %d are allowed", len(text), maxLength)
	}
	tree, err := grammar().ParseString("", text)
	if err != nil {
		return nil, "", r.syntax(err)
	}
	n = r.sum(tree, 0)
	return n, r.variable, r.err
}

// syntax turns an error of the parser into an error of this package, with the column and what is wrong there.
func (r *reader) syntax(err error) error {
	var token *participle.UnexpectedTokenError
	if !errors.As(err, &token) {
		return fmt.Errorf("formula: %q: %w", r.text, err)
	}
	at, got := token.Unexpected.Pos.Offset, token.Unexpected.Value
	if token.Unexpected.EOF() {
		at = len(r.text)
	}
	before := strings.TrimRight(r.text[:at], " \t\r\n")
	last := ""
	if before != "" {
		last = before[len(before)-1:]
	}
	open := strings.Count(before, "(") - strings.Count(before, ")")
	operand := last != "" && !strings.Contains("+-*/^(", last) // an operator may follow
	switch {
	case operand && got != "" && strings.Contains("+-*/^", got):
		// The parser rejects the operator together with a wrong or missing right operand.
		r.fail(at, "something is missing behind %q", got)
	case open > 0 && operand && (token.Unexpected.EOF() || got != ","):
		if !token.Unexpected.EOF() && startsOperand(got) {
			r.fail(at, "an operator is missing before %q, such as *", got)
			break
		}
		r.fail(at, "a ) is missing")
	case token.Unexpected.EOF():
		r.fail(at, "something is missing behind %q", last)
	case got == ")" && open <= 0:
		r.fail(at, "there is no ( for this )")
	case got == ")":
		r.fail(at, "something is missing before )")
	case got == "," && open > 0:
		r.fail(at, "functions take one argument; a decimal point is written .")
	case operand && startsOperand(got):
		r.fail(at, "an operator is missing before %q, such as *", got)
	default:
		r.fail(at, "unexpected %q; a formula has numbers, names, + - * / ^ and ( )", got)
	}
	return r.err
}

// startsOperand reports whether a token can begin a number, a name or a group.
func startsOperand(token string) bool {
	return isName(token) || token == "(" || token[0] >= '0' && token[0] <= '9'
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

// fail keeps the first error. It returns 0, because the nodes read after an error don't matter.
func (r *reader) fail(at int, format string, args ...any) node {
	if r.err != nil {
		return num(0)
	}
	r.err = fmt.Errorf("formula: column %d of %q: %s", at+1, r.text, fmt.Sprintf(format, args...))
	return num(0)
}

// unknown refuses a name, and lists the names that are known.
func (r *reader) unknown(at int, kind, name string) node {
	known := append([]string{r.variable}, r.constants...)
	return r.fail(at, "unknown %s %s; the names are %s, pi and the functions %s", kind, name, strings.Join(known, ", "),
		strings.Join(Functions(), ", "))
}

// defined returns n. It is an error if n has a constant that is infinite or not a number.
func (r *reader) defined(n node, at int) node {
	if !finite(n) {
		return r.fail(at, "a constant here is undefined or too large")
	}
	return n
}

// sum reads a sum from left to right. In a-b+c, a and b are nested one level deeper than c.
func (r *reader) sum(s *sumText, depth int) node {
	depth += len(s.Rest)
	out := r.product(s.First, depth)
	for _, t := range s.Rest {
		term := r.product(t.Term, depth)
		if t.Sign == "-" {
			term = neg(term)
		}
		out = r.defined(add(out, term), t.Pos.Offset)
		depth--
	}
	return out
}

func (r *reader) product(p *productText, depth int) node {
	depth += len(p.Rest)
	out := r.signed(p.First, depth)
	for _, t := range p.Rest {
		factor := r.signed(t.Factor, depth)
		if t.Sign == "/" {
			if factor == num(0) {
				return r.fail(t.Pos.Offset, "division by zero")
			}
			factor = power(factor, -1)
		}
		out = r.defined(mul(out, factor), t.Pos.Offset)
		depth--
	}
	return out
}

func (r *reader) signed(s *signedText, depth int) node {
	switch s.Sign {
	case "-":
		return neg(r.signed(s.Of, depth+1))
	case "+":
		return r.signed(s.Of, depth+1)
	}
	return r.power(s.Power, depth)
}

func (r *reader) power(p *powerText, depth int) node {
	if p.Exponent == nil {
		return r.atom(p.Base, depth)
	}
	base, exponent := r.atom(p.Base, depth+1), r.signed(p.Exponent, depth+1)
	if e, ok := exponent.(num); ok {
		return r.defined(power(base, float64(e)), p.Base.Pos.Offset)
	}
	return r.defined(apply("exp", mul(exponent, apply("log", base))), p.Base.Pos.Offset)
}

func (r *reader) atom(a *atomText, depth int) node {
	at := a.Pos.Offset
	switch {
	case depth > maxDepth:
		return r.fail(at, "more than %d levels of nesting", maxDepth)
	case a.Group != nil:
		return r.sum(a.Group, depth)
	case a.Called:
		return r.call(a, depth)
	case a.Name != "":
		return r.name(a.Name, at)
	}
	text := strings.ReplaceAll(a.Number, "_", "")
	if whole, err := strconv.ParseUint(text, 0, 64); err == nil && len(text) > 1 && isName(text[1:2]) { // 0x10
		return num(whole)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return r.fail(at, "the number %s is too large", a.Number)
	}
	return num(v)
}

func (r *reader) name(name string, at int) node {
	switch {
	case name == "pi":
		return num(math.Pi)
	case functions[name] != nil:
		return r.fail(at, "the function %s needs an argument", name)
	case slices.Contains(r.constants, name):
		return symbol(name)
	case r.variable == "":
		r.variable = name
	case name != r.variable:
		return r.unknown(at, "name", name)
	}
	return variable{}
}

func (r *reader) call(a *atomText, depth int) node {
	at := a.Pos.Offset
	switch {
	case a.Name == "probit":
		return r.fail(at, "probit is the inverse of the link that is wanted, normcdf")
	case functions[a.Name] == nil:
		return r.unknown(at, "function", a.Name)
	case a.Of == nil:
		return r.fail(at, "%s takes one argument, not 0", a.Name)
	}
	return r.defined(apply(a.Name, r.sum(a.Of, depth+1)), at)
}
