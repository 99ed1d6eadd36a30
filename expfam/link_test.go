package expfam

import (
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		text    string
		x, want float64
	}{
		{"exp(5+x)", -2, math.Exp(3)},
		{"sigmoid(5*x)", 0.2, 1 / (1 + math.Exp(-1))},
		{"1/exp(x)", 3, math.Exp(-3)},
		{"x", 7, 7},
	} {
		t.Run(c.text, func(t *testing.T) {
			l := MustLink(c.text)
			got := l.At(c.x)
			must.Be(t, math.Abs(got-c.want) <= 1e-15*c.want, "got %v, want %v", got, c.want)
		})
	}
}

func TestParseLinkRefuses(t *testing.T) {
	for _, text := range []string{"", "3", "exp(y)", "x+y", "exp(x", "x/0", "foo(x)", "log(-1)+x", "x-x", "theta"} {
		t.Run(text, func(t *testing.T) { must.Refuse(ParseLink(text))(t) })
	}
}

func TestParseLinkConstants(t *testing.T) {
	l := MustLink("exp(c+s*x)", Constants{"s": 2, "c": 5, "unused": 7})
	want := MustLink("exp(5+2*x)")
	must.Be(t, l.String() == want.String() && l.At(0.3) == want.At(0.3), "%v, want %v", l, want)
	for _, c := range []struct {
		text   string
		values Constants
	}{
		{"exp(c+s*x)", Constants{"s": 2}}, // c has no value
		{"exp(s*x)", Constants{"s": 0}},   // does not depend on x
		{"exp(x/s)", Constants{"s": 0}},
		{"exp(s*x)", Constants{"s": math.NaN()}},
		{"exp(x)", Constants{"x": 1}},
	} {
		l, err := ParseLink(c.text, c.values)
		must.Be(t, err != nil, "%s with %v is accepted as %v", c.text, c.values, l)
	}
}

// exp(5+x) is log-normal, 2−3x Normal, in closed form.
func TestImpliedPrior(t *testing.T) {
	normal := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	for _, c := range []struct {
		link    Link
		density func(theta float64) float64
	}{
		{MustLink("exp(5+x)"), func(theta float64) float64 { return normal(math.Log(theta)-5) / theta }},
		{MustLink("2-3*x"), func(theta float64) float64 { return normal((theta-2)/3) / 3 }},
		{Must(TableLink("double", func(x float64) float64 { return 2 * x })),
			func(theta float64) float64 { return normal(theta/2) / 2 }},
	} {
		t.Run(c.link.String(), func(t *testing.T) {
			theta, density := Likelihood{Link: c.link}.ImpliedPrior([]float64{-2, 0, 0.7})
			for i, at := range theta {
				if want := c.density(at); math.Abs(density[i]-want) > 1e-13*want {
					t.Errorf("at theta = %v: %v, want %v", at, density[i], want)
				}
			}
		})
	}
}

func TestInverseAt(t *testing.T) {
	for _, text := range []string{"exp(5+x)", "sigmoid(5*x)", "1/exp(x)", "x", "2-3*x", "x+0.5*tanh(x)"} {
		for _, x := range []float64{-3, -0.7, 0, 0.1, 5} {
			t.Run(text, func(t *testing.T) {
				l := MustLink(text)
				got, err := inverseAt(l, l.At(x))
				// At saturates: sigmoid(25) has 5 digits of 1 − θ left.
				must.Be(t, err == nil && math.Abs(got-x) <= 1e-5, "got %v, %v; want %v", got, err, x)
			})
		}
	}
	// These links round to the same number at −1 and 1. One value of each is known exactly.
	for _, c := range []struct {
		text     string
		theta, x float64
	}{
		{"sigmoid(2000-100*x)", 0.5, 20}, {"sigmoid(100*x-2000)", 0.5, 20}, {"sigmoid(-100*x-2000)", 0.5, -20},
		{"exp(-1000-x)", 1, -1000},
		{"exp(x-1000)", 1, 1000}, {"1/exp(x+800)", 1, -800}, {"-exp(x-1000)", -1, 1000},
		{"normcdf(1000-50*x)", 0.5, 20},
		{"1-sigmoid(100*x-2000)", 0.5, 20}, {"2-tanh(40*x-2000)", 2, 50}, {"softplus(-x-2000)", math.Ln2, -2000},
	} {
		t.Run(c.text, func(t *testing.T) {
			// A unit in the last place of θ is less than 1e-12 of x.
			if x, err := inverseAt(MustLink(c.text), c.theta); err != nil || math.Abs(x-c.x) > 1e-12*math.Abs(c.x) {
				t.Errorf("theta = %v: got %v, %v; want %v", c.theta, x, err, c.x)
			}
		})
	}
	must.Refuse(inverseAt(SigmoidLink, 1.5))(t)
}

func TestCheckLink(t *testing.T) {
	for _, c := range []struct {
		family Family
		link   Link
		want   string // part of the error; "" if the link fits
		rising bool
	}{
		{Normal{}, IdentityLink, "", true},
		{Normal{}, MustLink("3-2*x"), "", false},
		{Normal{}, MustLink("x+0.5*tanh(x)"), "", true},
		{Poisson{}, ExpLink, "", true},
		{Poisson{}, MustLink("exp(5+x)"), "", true},
		{Poisson{}, MustLink("exp(100*x-200)"), "", true}, // θ underflows to 0, η = 100x − 200 does not
		{Poisson{}, MustLink("softplus(5*x)"), "", true},
		{Poisson{}, MustLink("1/exp(x)"), "", false},
		{Exponential{}, MustLink("1/exp(x)"), "", false},
		{NormalVariance{}, ExpLink, "", true},
		{Binomial{}, MustLink("sigmoid(5*x)"), "", true},
		{Binomial{}, MustLink("sigmoid(-20*x)"), "", false}, // rounds to 1 at x = −6
		{Binomial{}, MustLink("normcdf(x)"), "", true},
		{Binomial{}, MustLink("1-exp(-exp(x))"), "", true},
		{Binomial{}, MustLink("0.1+0.8*sigmoid(x)"), "", true},
		{Binomial{}, Must(TableLink("logistic", logistic)), "", true},

		{Poisson{}, MustLink("5*x"), "link 5*x: theta = -0.5 at x = -0.1 lies outside (0, +inf) of poisson; use " +
			"exp(5*x)", false},
		{Poisson{}, IdentityLink, "outside (0, +inf) of poisson; use exp(x)", false},
		{Poisson{}, MustLink("x^2"), "outside", false},
		{Binomial{}, MustLink("exp(x)"), "outside (0, 1) of binomial(n=1); use sigmoid(x)", false},
		{Binomial{}, MustLink("0.5+x"), "use sigmoid(x+0.5)", false},
		{Binomial{}, Must(TableLink("rise", math.Exp)), "outside (0, 1) of binomial(n=1); use sigmoid(x)", false},
		{Poisson{}, Must(TableLink("line", func(x float64) float64 { return -3 * x })), "outside (0, +inf)", false},
		{Normal{}, MustLink("x^3"), "slope is 0 at x = 0", false},
		{Normal{}, MustLink("x^3-x"), "it rises at x", false},
		{Normal{}, MustLink("log(x)"), "theta = -Inf at x = 0", false},
		{Normal{}, MustLink("log(x-1)"), "theta = NaN at x = 0", false},
		{Normal{}, MustLink("1/x"), "theta = +Inf at x = 0", false},
		{Poisson{}, MustLink("exp(x^2)"), "slope is 0 at x = 0", false},
		// Their slopes have one sign on both sides of a pole that no x of the grid meets.
		{Normal{}, MustLink("1/(exp(x)-0.5)"), "theta jumps from", false},
		{Binomial{}, MustLink("sigmoid(1/(exp(x)-0.5))"), "theta jumps from", false},
	} {
		t.Run(c.family.String()+"/"+c.link.String(), func(t *testing.T) {
			rising, err := checkLink(c.link, c.family.Natural(), c.family.String())
			if c.want != "" {
				must.Err(t, err, c.want)
			} else {
				must.Do(t, err)
			}
			must.Equal(t, rising, c.rising, "rising")
		})
	}
	must.Err(t, (Likelihood{}).Check(), "set Family")
}
