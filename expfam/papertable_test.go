package expfam_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/internal/must"
)

var writeTable = flag.Bool("table", false, "write docs/conjugates.md anew")

const tableFile = "../docs/conjugates.md"

// conjugateRow is a line of the table of conjugates: the standard parameters as formulas of ν, τ and the known
// constant c, in the order of [ExponentialForm].
type conjugateRow struct {
	family    PaperForm
	name      string
	statistic string // T(y), a formula of y and c
	a, b      string
	remark    string
}

var conjugateRows = []conjugateRow{
	{PaperNormal{}, "Normal, known sd σ", "y", "nu/tau", "tau/c^2", ""},
	{PaperLogNormal{}, "log-Normal, known sd σ", "log(y)", "nu/tau", "tau/c^2", ""},
	{PaperPoisson{}, "Poisson, known exposure E", "y", "nu+1", "c*tau", "the paper has E = 1"},
	{PaperExponential{}, "Exponential, θ a rate", "y", "tau+1", "nu", ""},
	{PaperGamma{}, "Gamma, known shape k, θ a rate", "y", "c*tau+1", "nu", "the link is k/exp(x)"},
	{PaperPareto{}, "Pareto, known scale m", "log(y)", "tau+1", "nu-tau*log(c)",
		"the paper's link 1/(exp(x) − log m) has a pole for m > 1, and does not reach every θ for m < 1"},
	{PaperBinomial{}, "binomial, known trials n", "y", "nu+1", "c*tau-nu+1", ""},
	{PaperNegativeBinomial{}, "negative binomial, known successes r", "y", "c*tau+1", "nu+1", ""},
	{PaperGeometric{}, "geometric", "y", "tau+1", "nu+1", ""},
	{PaperNormalVariance{}, "Normal, known mean μ, θ the variance", "c*y-y^2/2", "tau/2-1", "tau*c^2/2-nu",
		"Table A1 prints ν for τ in the shape and μ for μ² in the scale; Appendix C is right"},
	{PaperLogNormalVariance{}, "log-Normal, known mean μ, θ the variance", "c*log(y)-log(y)^2/2", "tau/2-1",
		"tau*c^2/2-nu", "the same"},
	{PaperWeibull{}, "Weibull, known shape k, θ the scale to the power k", "y^c", "tau-1", "nu", ""},
}

// parse reads a formula of ν, τ and c and returns it as a function.
func (r conjugateRow) parse(t *testing.T, text string) func(nu, tau, c float64) float64 {
	e := must.Get(formula.Parse(text, "nu", "tau", "c"))(t, r.name)
	return func(nu, tau, c float64) float64 {
		return must.Get(e.Bind(map[string]float64{"tau": tau, "c": c}))(t, r.name).Eval(nu)
	}
}

// The printed parameters are those of the code, for every ν, τ and constant.
func TestConjugateTable(t *testing.T) {
	must.Equal(t, len(conjugateRows), 12, "likelihoods of the paper's Table A1")
	for _, r := range conjugateRows {
		a, b := r.parse(t, r.a), r.parse(t, r.b)
		for _, c := range []float64{0.7, 1, 3} {
			for _, at := range [][2]float64{{1.3, 4.1}, {2.6, 7.7}, {0.4, 3.2}} {
				form := r.family.Form(Given(c))
				y := 1 + at[0]
				want := form.Statistic(y)
				e := must.Get(formula.Parse(r.statistic, "y", "c"))(t, r.name)
				got := must.Get(e.Bind(map[string]float64{"c": c}))(t, r.name).Eval(y)
				must.Be(t, math.Abs(got-want) < 1e-12*(1+math.Abs(want)), "%s: T(%g) = %g, and the code has %g",
					r.name, y, got, want)
				wantA, wantB := form.Standard(at[0], at[1])
				gotA, gotB := a(at[0], at[1], c), b(at[0], at[1], c)
				must.Be(t, math.Abs(gotA-wantA) < 1e-12*(1+math.Abs(wantA)) && math.Abs(gotB-wantB) <
					1e-12*(1+math.Abs(wantB)), "%s at %v, c = %g: (%g, %g), and the code has (%g, %g)", r.name, at, c,
					gotA, gotB, wantA, wantB)
			}
		}
	}
}

// table returns the table of the twelve conjugates.
func conjugateTable() string {
	var b strings.Builder
	b.WriteString("| likelihood | T(y) | conjugate | first parameter | second parameter | inverse link | remark |\n" +
		"|---|---|---|---|---|---|---|\n")
	for _, r := range conjugateRows {
		kind, names := fmt.Sprint(r.family.Conjugate()), [2]string{"α", "β"}
		if strings.HasPrefix(kind, "normal") {
			names = [2]string{"mean", "precision"}
		}
		kind, _, _ = strings.Cut(kind, "(")
		symbol := "c"
		if _, after, ok := strings.Cut(r.name, "known "); ok {
			words := strings.Fields(after)
			symbol = strings.TrimSuffix(words[1], ",")
		}
		nice := func(text string) string {
			return strings.NewReplacer("nu", "ν", "tau", "τ", "log", "log", "y^c", "yᵏ", "*", " ", "^2", "²",
				"c", symbol, "-", " − ", "+", " + ").Replace(text)
		}
		link := fmt.Sprint(r.family.DefaultLink())
		fmt.Fprintf(&b, "| %s | %s | %s | %s = %s | %s = %s | `%s` | %s |\n", r.name, nice(r.statistic), kind,
			names[0], nice(r.a), names[1], nice(r.b), link, r.remark)
	}
	return b.String()
}

// The table in docs and in lesson 01 is the one that the code makes: go test ./expfam -run TestConjugatePages -table
// writes the page.
func TestConjugatePages(t *testing.T) {
	page := "# The twelve conjugates\n\nA likelihood of Table A1 of the paper has the form p(y | θ) = h(y) exp(η(θ) " +
		"T(y) − A(θ)). Its conjugate prior is\nq(θ | ν, τ) ∝ exp(ν η(θ) − τ A(θ)), and an observation adds T(y) to " +
		"ν and 1 to τ. The table has the\nparameters by which textbooks know q. A test of package `expfam` makes it " +
		"from the code and checks every\nformula.\n\n" + conjugateTable()
	if *writeTable {
		must.Do(t, os.WriteFile(tableFile, []byte(page), 0o644))
	}
	must.Equal(t, string(must.Get(os.ReadFile(tableFile))(t)), page, "docs/conjugates.md is not the table of the code")
	var lesson struct{ Cells []struct{ Source []string } }
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("../notebooks/01-conjugacy-and-evidence.ipynb"))(t), &lesson))
	must.Be(t, slices.ContainsFunc(lesson.Cells, func(c struct{ Source []string }) bool {
		return strings.Contains(strings.Join(c.Source, "")+"\n", conjugateTable())
	}), "lesson 01 has another table than docs/conjugates.md")
}
