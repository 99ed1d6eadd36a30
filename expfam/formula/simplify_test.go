package formula

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/must"
)

// The text of the simplified expression is the test: a rule that stops working shows as a different text.
func TestSimplify(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		// affine terms and constants
		{"5+x+2", "x+7"},
		{"2*(x+3)-x", "x+6"},
		{"x-x+3", "3"},
		{"1+2*3^2", "19"},
		{"-x^2", "-x^2"},
		{"2^-x", "exp(-0.6931471805599453*x)"},
		{"(2*x)^2", "4*x^2"},
		{"x/2", "0.5*x"},
		{"1-x", "1-x"},
		{"x*x*x", "x^3"},
		{"x/x", "1"},
		{"sqrt(x)*sqrt(x)", "x"},
		{"sqrt(x^2)", "sqrt(x^2)"}, // |x|, not x
		{"sqrt(x^4)", "x^2"},
		// exp and log
		{"log(exp(x))", "x"},
		{"exp(log(x))", "x"},
		{"log(2*exp(x))", "x+0.6931471805599453"},
		{"log(1/x)", "-log(x)"},
		{"log(exp(x)^3)", "3*x"},
		{"log(sqrt(x))", "0.5*log(x)"},
		{"log(x^2)", "log(x^2)"}, // 2 log|x|, not 2 log x
		{"log(sigmoid(x)*x)", "log(x)-softplus(-x)"},
		{"1/exp(x)", "exp(-x)"},
		{"3/exp(x)", "3*exp(-x)"},
		{"exp(x)*exp(2*x+1)", "exp(3*x+1)"},
		{"exp(x)/exp(x)", "1"},
		{"exp(2*log(x)+x)", "x^2*exp(x)"},
		{"exp(x)-1", "expm1(x)"},
		{"expm1(x)+1", "exp(x)"},
		{"log(1+x)", "log1p(x)"},
		{"log1p(exp(x))", "softplus(x)"},
		{"log1p(expm1(x))", "x"},
		{"log(2+2*exp(x))", "softplus(x)+0.6931471805599453"},
		// sigmoid
		{"logit(sigmoid(x))", "x"},
		{"sigmoid(logit(x))", "x"},
		{"log1m(sigmoid(x))", "-softplus(x)"},
		{"log(sigmoid(x))", "-softplus(-x)"},
		{"1-sigmoid(x)", "sigmoid(-x)"},
		{"2-2*sigmoid(x)", "2*sigmoid(-x)"},
		{"1/(1+exp(-x))", "sigmoid(x)"},
		{"1/(1+exp(x))", "sigmoid(-x)"},
		{"exp(x)/(1+exp(x))", "sigmoid(x)"},
		{"sigmoid(x)/sigmoid(-x)", "exp(x)"},
		{"sigmoid(x)/(1-sigmoid(x))", "exp(x)"},
		{"exp(-softplus(x))", "sigmoid(-x)"},
		{"exp(x+x^2)/(1+exp(x))", "exp(x^2)*sigmoid(x)"},
		{"exp(x)/(exp(x)-1)", "-1/expm1(-x)"},
		{"softplus(x)-softplus(-x)", "x"},
		{"log(sigmoid(x))-log(1-sigmoid(x))", "x"},
		{"(1+tanh(x))/2", "sigmoid(2*x)"},
		{"tanh(-x)", "-tanh(x)"},
		// the probit and the complementary log-log link
		{"(1+erf(x/sqrt(2)))/2", "normcdf(x)"},
		{"log1m(normcdf(x))", "lognormcdf(-x)"},
		{"logit(normcdf(x))", "lognormcdf(x)-lognormcdf(-x)"},
		{"logit(1-exp(-exp(x)))", "exp(x)+log1mexp(exp(x))"},
		{"log1m(1-exp(-exp(x)))", "-exp(x)"},
	} {
		t.Run(c.in, func(t *testing.T) {
			e := MustParse(c.in)
			got := e.String()
			must.Need(t, got == c.want, "got %s, want %s", got, c.want)
			must.Equal(t, MustParse(c.want).String(), c.want, "the canonical text", "parses to")
		})
	}
}

// η∘g and A∘g for links of the paper's families: each must come out in the form that is safe in float32.
func TestSubstitute(t *testing.T) {
	for _, c := range []struct{ name, outer, link, want string }{
		{"poisson η", "log(theta)", "exp(5+x)", "x+5"},
		{"poisson A", "theta", "exp(5+x)", "exp(x+5)"},
		{"binomial η", "logit(theta)", "sigmoid(5*x)", "5*x"},
		{"binomial A", "-log1m(theta)", "sigmoid(5*x)", "softplus(5*x)"},
		{"exponential η", "-theta", "1/exp(x)", "-exp(-x)"},
		{"exponential A", "-log(theta)", "1/exp(x)", "x"},
		{"negative binomial η", "log1m(theta)", "sigmoid(x)", "-softplus(x)"},
		{"negative binomial A", "-log(theta)", "sigmoid(x)", "softplus(-x)"},
		{"normal known mean η", "-1/(2*theta)", "exp(x)", "-0.5*exp(-x)"},
		{"normal known mean A", "log(theta)/2", "exp(x)", "0.5*x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Equal(t, MustParse(c.outer).Substitute(MustParse(c.link)).String(), c.want)
		})
	}
}

func TestDerivativeForm(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"softplus(x)", "sigmoid(x)"},
		{"sigmoid(x)", "sigmoid(-x)*sigmoid(x)"},
		{"exp(5+x)", "exp(x+5)"},
		{"x^3", "3*x^2"},
		{"log(x)", "1/x"},
		{"7", "0"},
	} {
		t.Run(c.in, func(t *testing.T) { must.Equal(t, MustParse(c.in).Derivative().String(), c.want) })
	}
}

func TestAffine(t *testing.T) {
	for _, c := range []struct {
		in        string
		intercept float64
		slope     float64
		ok        bool
	}{
		{"5+x", 5, 1, true}, {"-2*x", 0, -2, true}, {"3", 3, 0, true}, {"x", 0, 1, true},
		{"x^2+x", 0, 0, false}, {"exp(x)", 0, 0, false},
	} {
		t.Run(c.in, func(t *testing.T) {
			a, b, ok := MustParse(c.in).Affine()
			must.Be(t, a == c.intercept && b == c.slope && ok == c.ok, "got %v, %v, %v", a, b, ok)
		})
	}
}

func TestBindIsTheFormulaWithNumbers(t *testing.T) {
	for _, c := range []struct {
		text   string
		values map[string]float64
		want   string
	}{
		{"sigmoid(s*x)", map[string]float64{"s": 5}, "sigmoid(5*x)"},
		{"sigmoid(s*x)", map[string]float64{"s": 1}, "sigmoid(x)"},
		{"exp(c+x)", map[string]float64{"c": -2}, "exp(x-2)"},
		{"exp(c+x)", map[string]float64{"c": 0, "unused": 1}, "exp(x)"},
		{"log(k+k*exp(s*x))/s", map[string]float64{"s": 2, "k": 1}, "log(1+exp(2*x))/2"},
		{"exp(x)^p", map[string]float64{"p": 0.5}, "sqrt(exp(x))"},
	} {
		t.Run(c.text, func(t *testing.T) {
			e := must.Get(Parse(c.text, "x", "s", "c", "k", "p"))(t)
			got, err := e.Bind(c.values)
			want := MustParse(c.want).String()
			must.Be(t, err == nil && got.String() == want, "got %v, %v; want %s", got, err, want)
			again, err := Parse(e.String(), "x", "s", "c", "k", "p")
			must.Be(t, err == nil && again.String() == e.String(), "%s reads back as %v, %v", e, again, err)
		})
	}
}

func TestNamedConstants(t *testing.T) {
	e := must.Get(Parse("exp(c+s*x)", "x", "s", "c", "unused"))(t)
	must.Equal(t, e.Constants(), []string{"c", "s"}, "constants")
	must.Equal(t, e.LaTeX(), `e^{c + s \, x}`, "LaTeX")
	must.Equal(t, must.Get(e.Derivative().Bind(map[string]float64{"c": 0, "s": 2}))(t).Eval(0), 2, "derivative")
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		bound, err := e.Bind(map[string]float64{"s": v})
		must.Be(t, err != nil, "s = %v was accepted: %v", v, bound)
	}
	for _, name := range []string{"x", "theta", "pi", "exp", "2", ""} {
		_, err := Parse("theta", "theta", name)
		must.Be(t, err != nil, "%q was accepted as the name of a constant", name)
	}
	defer func() { must.Be(t, recover() != nil, "a constant without a value was evaluated") }()
	e.Eval(1)
}

// One compiled graph serves every value: θ, η = log θ and its derivative of
// θ = exp(c + s x), composed and differentiated after the constants were fed.
func TestFeed(t *testing.T) {
	link := must.Get(Parse("exp(c+s*x)", "x", "s", "c"))(t)
	e := must.Get(engine.Float64())(t)
	exec := must.Get(graph.NewExec(e.Backend, func(x, s, c *graph.Node) []*graph.Node {
		theta := link.Feed(map[string]*graph.Node{"s": s, "c": c})
		eta := MustParse("log(theta)").Substitute(theta)
		return GraphAll(x, theta, eta, eta.Derivative())
	}))(t)
	defer exec.Finalize()
	for _, v := range []struct{ s, c float64 }{{1, 0}, {5, -2}, {-0.5, 3}} {
		out := must.Get(exec.Call([]float64{-1, 0.25}, v.s, v.c))(t)
		for i, x := range []float64{-1, 0.25} {
			eta := v.c + v.s*x
			for k, want := range []float64{math.Exp(eta), eta, v.s} {
				// Rounding of one exponential and one sum.
				if got := out[k].Value().([]float64)[i]; math.Abs(got-want) > 1e-14*math.Max(1, math.Abs(want)) {
					t.Errorf("s %g, c %g, output %d at %g: %v, want %v", v.s, v.c, k, x, got, want)
				}
			}
		}
	}
}
