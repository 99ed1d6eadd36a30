package formula

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"   ", "empty"},
		{"exp(", `column 5 of "exp(": something is missing behind "("`},
		{"exp(x", `column 6 of "exp(x": a ) is missing`},
		{"2x", `column 2 of "2x": an operator is missing before "x", such as *`},
		{"x +", `column 4 of "x +": something is missing behind "+"`},
		{"exp(2x)", `column 6 of "exp(2x)": an operator is missing before "x"`},
		{"sigmoid(5*(x+1)", `column 16 of "sigmoid(5*(x+1)": a ) is missing`},
		{"exp(x))", `column 7 of "exp(x))": there is no ( for this )`},
		{"(x+)*2", `column 3 of "(x+)*2": something is missing behind "+"`},
		{"2(x+1)", `an operator is missing before "("`},
		{"exp(y)", "column 5 of \"exp(y)\": unknown name y; the names are x, pi and the functions erf, exp, "},
		{"x+foo(x)", "column 3 of \"x+foo(x)\": unknown function foo"},
		{"abs(x)", "unknown function abs"},
		{"map(x)", "unknown function map"},
		{"probit(x)", "normcdf"},
		{"exp+x", "the function exp needs an argument"},
		{"exp()", "exp takes one argument, not 0"},
		{"exp(x, x)", `column 6 of "exp(x, x)": functions take one argument; a decimal point is written .`},
		{"exp(0,5*x)", "a decimal point is written ."},
		{"x/0", "column 2 of \"x/0\": division by zero"},
		{"x/(1-1)", "division by zero"},
		{"0^-1", "undefined or too large"},
		{"log(-1)+x", "column 1"},
		{"exp(1000)*x", "undefined or too large"},
		{"1e999*x", "the number 1e999 is too large"},
		{"x*1e300*1e300", "undefined or too large"},
		{"x % 2", `unexpected "%"`},
		{"x > 2", `unexpected ">"`},
		{"x ? 1 : 2", `unexpected "?"`},
		{"x or x", `an operator is missing before "or"`},
		{"not x", `column 5 of "not x": an operator is missing before "x"`},
		{"1..x", `column 3 of "1..x": unexpected "."`},
		{"x.y", `unexpected "."`},
		{"true", "unknown name true"},
		{"'x'", `unexpected "'"`},
		{"x // x", `column 4 of "x // x": unexpected "/"`},
		{"x | exp()", `unexpected "|"`},
		{"π*x", `unexpected "π"`},
		{strings.Repeat("x+", 300) + "x", "601 characters; at most 500"},
		{strings.Repeat("x+", 42) + "x", "levels of nesting"},
		{strings.Repeat("exp(", 60) + "x" + strings.Repeat(")", 60), "levels of nesting"},
	} {
		t.Run(c.text, func(t *testing.T) {
			e, err := Parse(c.text, "x")
			must.Need(t, err != nil, "accepted as %v", e)
			if unknown := strings.Contains(err.Error(), "unknown"); strings.Contains(err.Error(),
				"normcdf,") != unknown || len(err.Error()) > len(c.text)+110 && !unknown {
				t.Errorf("the list of functions belongs to unknown names: %v", err)
			}
			must.Be(t, strings.Contains(err.Error(), c.want), "got %q, want %q in it", err, c.want)
		})
	}
	for _, name := range []string{"", "pi", "exp", "2x", "a b"} {
		_, err := Parse("1", name)
		must.Be(t, err != nil, "variable %q accepted", name)
	}
	defer func() { must.Be(t, recover() != nil, "MustParse accepts two variables") }()
	MustParse("x+theta")
}

func TestPrecedence(t *testing.T) {
	for _, c := range []struct {
		text string
		x    float64
		want float64
	}{
		{"-x^2", 3, -9}, {"2^3^2", 0, 512}, {"x-1-1", 3, 1}, {"8/x/2", 2, 2}, {"2**x", 3, 8}, {"x-1\r\n", 3, 2},
		{"-x*-x", 3, 9}, {"2^-x", 1, 0.5}, {"1e-3*x", 2, 2e-3}, {"0x10+x", 1, 17}, {"+x", 2, 2},
		{"2^-x^2", 2, 1.0 / 16}, {"x--1", 2, 3}, {"8/x*2", 2, 8}, {"x+\n1_000+010+.5+1.", 0, 1011.5},
	} {
		t.Run(c.text, func(t *testing.T) {
			got := MustParse(c.text).Eval(c.x)
			must.Be(t, math.Abs(got-c.want) <= 1e-15*math.Abs(c.want), "got %v, want %v", got, c.want)
		})
	}
}

// random is a random formula of the given depth.
func random(rng *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{"x", "x", "1", "2", "0.5"}[rng.IntN(5)]
	}
	sub := func() string { return random(rng, depth-1-rng.IntN(depth)) }
	switch rng.IntN(12) {
	case 0, 1:
		return "(" + sub() + "+" + sub() + ")"
	case 2:
		return "(" + sub() + "-" + sub() + ")"
	case 3, 4:
		return "(" + sub() + ")*(" + sub() + ")"
	case 5:
		return "(" + sub() + ")/(" + sub() + ")"
	case 6:
		return "(" + sub() + ")^" + []string{"2", "3", "(-1)", "0.5", "1.5", "(-2)"}[rng.IntN(6)]
	case 7:
		return "(-(" + sub() + "))"
	case 8: // what the rules look for
		return "(" + []string{"1-", "2-2*", "1+", "-1+"}[rng.IntN(4)] + []string{"exp", "sigmoid", "tanh",
			"expm1"}[rng.IntN(4)] + "(" + sub() + "))"
	}
	names := []string{"exp", "log", "sigmoid", "softplus", "logit", "tanh", "normcdf", "log1p", "expm1", "sqrt", "erf",
		"log1m"}
	return names[rng.IntN(len(names))] + "(" + sub() + ")"
}

// Simplifying must not change a value: random formulas against their syntax
// tree evaluated as it is written, and against their own text.
func TestSimplifyKeepsValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	compared := 0
	texts := fulltest.N(4000, 20000)
	for range texts {
		text := random(rng, 4)
		e, err := Parse(text, "x")
		if err != nil {
			continue // a constant that is undefined
		}
		again, err := Parse(e.String(), "x")
		must.Need(t, err == nil, "%s: its text does not parse: %v", text, err)
		tree := must.Get(grammar().ParseString("", text))(t)
		for _, x := range []float64{-1.3, -0.4, 0.3, 0.8, 1.7} {
			written := naive{x: x, largest: 1}
			want, largest := written.sum(tree), written.largest
			if math.IsNaN(want) || largest > 1e4 {
				continue // undefined, or so large that rounding decides
			}
			compared++
			got := e.Eval(x)
			// 1e-10: rounding of 1e-16 times values up to 1e4 through slopes of up to 1e2.
			must.Be(t, close(got, want, 1e-10*largest),
				"%s simplifies to %s: at %v got %v, want %v", text, e, x, got, want)
			back := again.Eval(x)
			must.Be(t, close(back, got, 1e-10*largest), "%s prints as %s: at %v %v became %v", text, e, x, got, back)
		}
	}
	must.Be(t, compared >= texts, "only %d comparisons", compared)
}

// FuzzParse: no text makes the package panic; what parses prints, prints as
// what parses back to the same values, and has two derivatives.
func FuzzParse(f *testing.F) {
	for _, c := range table {
		f.Add(c.text)
	}
	for _, s := range []string{"", "x//", "((((", "x..x", "let x = 1; x", "x^x^x", "1/(x-x)", "-1e-400",
		"sqrt(x^2)^3/x", "\xff", "0x", "exp(exp(exp(exp(x))))", "(x-1)^0.5*(1-x)^0.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text, "x")
		if err != nil {
			must.Be(t, e.compiled == nil, "an error with an expression")
			return
		}
		again, err := Parse(e.String(), "x")
		must.Need(t, err == nil || len(e.String()) > maxLength || strings.Contains(err.Error(), "nesting"),
			"%q prints as %q, which does not parse: %v", text, e, err)
		_ = e.LaTeX()
		d := e.Derivative().Derivative()
		for _, x := range []float64{-2.5, 0, 0.4, 3} {
			_ = d.Eval(x)
			if err != nil {
				continue
			}
			a, b := e.Eval(x), again.Eval(x)
			// Reordered terms round differently: equal relative to 1e-6, as
			// long as nothing is near an overflow or a cancellation.
			must.Be(t, math.Abs(a) <= 1e-6 || math.Abs(a) >= 1e6 || close(a, b, 1e-6) || cancels(e, x),
				"%q: %q at %v is %v, but %v after printing", text, e, x, a, b)
		}
	})
}

// cancels reports whether the value at x changes by more than a little between neighbouring numbers.
func cancels(e Expr, x float64) bool {
	a := e.Eval(x)
	for _, n := range []float64{x - 1e-12, x + 1e-12} {
		if !close(a, e.Eval(n), 1e-7) {
			return true
		}
	}
	return false
}
