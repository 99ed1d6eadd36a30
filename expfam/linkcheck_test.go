package expfam

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/internal/must"
)

// stub is a family of which only the name and the natural form are used.
type stub struct {
	Family
	name    string
	natural Natural
	link    Link
	u       string
}

func (f stub) String() string       { return f.name }
func (f stub) Natural() Natural     { return f.natural }
func (f stub) DefaultLink() Link    { return f.link }
func (f stub) Conjugate() Conjugate { return stubConjugate{u: f.u} }
func natural(eta, a string, l, h float64) Natural {
	return Natural{formula.MustParse(eta), formula.MustParse(a), l, h}
}

type stubConjugate struct {
	Conjugate
	u string
}

func (c stubConjugate) Coordinate() formula.Expr { return formula.MustParse(c.u) }

var inf = math.Inf(1)

var (
	stubNormal = stub{name: "normal", natural: natural("theta", "theta^2/2", -inf, inf), link: IdentityLink,
		u: "theta"}
	stubPoisson = stub{name: "poisson", natural: natural("log(theta)", "theta", 0, inf), link: ExpLink,
		u: "log(theta)"}
	stubBinomial = stub{name: "binomial", natural: natural("logit(theta)", "-log1m(theta)", 0, 1), link: SigmoidLink,
		u: "logit(theta)"}
	stubExpo = stub{name: "exponential", natural: natural("-theta", "-log(theta)", 0, inf),
		link: MustLink("1/exp(x)"), u: "log(theta)"}
	stubVariance = stub{name: "normal variance", natural: natural("-1/(2*theta)", "log(theta)/2", 0, inf),
		link: ExpLink, u: "log(theta)"}
)

func TestCheckLink(t *testing.T) {
	for _, c := range []struct {
		family stub
		link   Link
		want   string // part of the error; "" if the link fits
		rising bool
	}{
		{stubNormal, IdentityLink, "", true},
		{stubNormal, MustLink("3-2*x"), "", false},
		{stubNormal, MustLink("x+0.5*tanh(x)"), "", true},
		{stubPoisson, ExpLink, "", true},
		{stubPoisson, MustLink("exp(5+x)"), "", true},
		{stubPoisson, MustLink("exp(100*x-200)"), "", true}, // θ underflows to 0, η = 100x − 200 does not
		{stubPoisson, MustLink("softplus(5*x)"), "", true},
		{stubPoisson, MustLink("1/exp(x)"), "", false},
		{stubExpo, MustLink("1/exp(x)"), "", false},
		{stubVariance, ExpLink, "", true},
		{stubBinomial, MustLink("sigmoid(5*x)"), "", true},
		{stubBinomial, MustLink("sigmoid(-20*x)"), "", false}, // rounds to 1 at x = −6
		{stubBinomial, MustLink("normcdf(x)"), "", true},
		{stubBinomial, MustLink("1-exp(-exp(x))"), "", true},
		{stubBinomial, MustLink("0.1+0.8*sigmoid(x)"), "", true},
		{stubBinomial, Must(TableLink("logistic", logistic)), "", true},

		{stubPoisson, MustLink("5*x"), "link 5*x: theta = -0.5 at x = -0.1 lies outside (0, +inf) of poisson; use " +
			"exp(5*x)", false},
		{stubPoisson, IdentityLink, "outside (0, +inf) of poisson; use exp(x)", false},
		{stubPoisson, MustLink("x^2"), "outside", false},
		{stubBinomial, MustLink("exp(x)"), "outside (0, 1) of binomial; use sigmoid(x)", false},
		{stubBinomial, MustLink("0.5+x"), "use sigmoid(x+0.5)", false},
		{stubBinomial, Must(TableLink("rise", math.Exp)), "outside (0, 1) of binomial; use sigmoid(x)", false},
		{stubPoisson, Must(TableLink("line", func(x float64) float64 { return -3 * x })), "outside (0, +inf)", false},
		{stubNormal, MustLink("x^3"), "slope is 0 at x = 0", false},
		{stubNormal, MustLink("x^3-x"), "it rises at x", false},
		{stubNormal, MustLink("log(x)"), "theta = -Inf at x = 0", false},
		{stubNormal, MustLink("log(x-1)"), "theta = NaN at x = 0", false},
		{stubNormal, MustLink("1/x"), "theta = +Inf at x = 0", false},
		{stubPoisson, MustLink("exp(x^2)"), "slope is 0 at x = 0", false},
		// Their slopes have one sign on both sides of a pole that no x of the grid meets.
		{stubNormal, MustLink("1/(exp(x)-0.5)"), "theta jumps from", false},
		{stubBinomial, MustLink("sigmoid(1/(exp(x)-0.5))"), "theta jumps from", false},
	} {
		t.Run(c.family.name+"/"+c.link.String(), func(t *testing.T) {
			rising, err := checkLink(c.link, c.family.Natural(), c.family.String())
			switch {
			case err == nil && c.want != "":
				t.Errorf("accepted, want an error with %q", c.want)
			case err != nil && c.want == "":
				t.Error(err)
			case err != nil && !strings.Contains(err.Error(), c.want):
				t.Errorf("got %q, want %q in it", err, c.want)
			case rising != c.rising:
				t.Errorf("rising = %v", rising)
			}
			if _, again := checkLink(c.link, c.family.natural, "the family"); (again == nil) != (err == nil) {
				t.Error("checkLink and Check disagree")
			}
		})
	}
	must.Err(t, (Likelihood{}).Check(), "set Family")
}
