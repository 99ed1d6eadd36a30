package expfam_test

import (
	"math"
	"strings"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// A second field means another thing in each family. Where it cannot mean it, it is refused with what it would mean.
func TestKnownConstants(t *testing.T) {
	cases := []float64{3, 40, 5, 60, 2, 8, 1, 30, 90}
	people := []float64{1e4, 2e4, 1e4, 3e4, 1e4, 1e4, 1e4, 2e4, 3e4}
	of := func(f func(float64) float64) (list []float64) {
		for _, v := range cases {
			list = append(list, f(v))
		}
		return list
	}
	same := func(v float64) []float64 { return of(func(float64) float64 { return v }) }
	rates := of(func(v float64) float64 { return v / 1e4 })
	for name, c := range map[string]struct {
		family   Family
		y, known []float64
		says     string // "" if the constants are taken
	}{
		"the README's change": {NegativeBinomial{Successes: 3}, cases, people,
			"negbinomial(r=3) has Successes = 3 of its own, and the second field is the same constant: the number " +
				"of successes r, with 10000 for cell 0; leave one of the two out; for counts of mean N theta in " +
				"populations N take expfam.NB2{Dispersion: 0.333"},
		"small constants beside r": {NegativeBinomial{Successes: 3}, cases, same(2), "leave one of the two out"},
		"an sd beside SD": {Normal{SD: 5}, cases, same(2), "normal(sd=5) has SD = 5 of its own, and the " +
			"second field is the same constant: the standard deviation σ of each y"},
		"beside a shape":        {Gamma{Shape: 2}, cases, people, "gamma(shape=2) has Shape = 2 of its own"},
		"beside Weibull's":      {Weibull{Shape: 2}, cases, people, "weibull(shape=2) has Shape = 2 of its own"},
		"beside Pareto's":       {Pareto{Scale: 0.5}, cases, same(0.9), "the least possible value m"},
		"beside a mean":         {NormalVariance{Mean: 3}, cases, same(2), "the known mean μ"},
		"beside log-normal's":   {LogNormal{SD: .1}, cases, same(2), "the standard deviation σ of each log y"},
		"beside log-variance's": {LogNormalVariance{Mean: .1}, cases, same(2), "the known mean μ of each log y"},
		"trials beside trials":  {Binomial{Trials: 100}, cases, people, "binomial(n=100) has Trials = 100 of its own"},
		"of a beta-binomial":    {BetaBinomial{Trials: 100, Correlation: .1}, cases, people, "Trials = 100 of its own"},
		"people as successes": {NegativeBinomial{}, cases, people,
			"the second field of 10000 to 30000 is the number of successes r in negbinomial(r=1), not an exposure: " +
				"if r counts successes, expfam.Binomial{} with r positive of y + r trials has the same posterior"},
		"few people as successes": {NegativeBinomial{}, cases, same(500),
			"y are counts, and these are whole numbers like populations"},
		"people as sd": {Normal{}, cases, people, "more than 30 times the range of the data; for " +
			"counts of populations take expfam.Poisson{}"},
		"few people as sd": {Normal{}, cases, same(500),
			"none below its y; if they are meant, give y and them in another unit, such as thousands"},
		"in another unit": {Normal{}, of(func(v float64) float64 { return v / 1e3 }), same(.5), ""},
		"people as sd of rates": {Normal{}, rates, of(func(v float64) float64 { return 100.5 + v }),
			"more than 30 times the range"},
		"people as sd of logarithms": {LogNormal{}, cases, people, "more than 30 times the range of the data"},
		"people as shape": {Gamma{}, cases, people, "expfam.Poisson{} with the events as counts and y " +
			"as exposures has the same posterior"},
		"people as Weibull's shape": {Weibull{}, cases, people, "such a shape says that y is known to a thousandth"},
		"people as mean":            {NormalVariance{}, cases, people, "whole numbers like populations"},
		"people as mean of log y":   {LogNormalVariance{}, cases, people, "whole numbers like populations"},
		"exponential":               {Exponential{}, cases, people, "the family has no known constant"},
		"geometric":                 {Geometric{}, cases, people, "the family has no known constant"},
		"Bernoulli":                 {Bernoulli{}, same(1), people, "the family has no known constant"},
		"people as Pareto's minimum": {Pareto{}, cases, people, "the least possible value m of each y in " +
			"pareto(scale=1), not an exposure"},
		"exposures":           {Poisson{}, cases, people, ""},
		"trials":              {Binomial{}, cases, people, ""},
		"correlated trials":   {BetaBinomial{Correlation: .1}, cases, people, ""},
		"the same as its own": {Binomial{Trials: 100}, cases, same(100), ""},
		"few successes":       {NegativeBinomial{}, cases, same(3), ""},
		"a cautious sd":       {Normal{}, rates, same(.05), ""},
		"an sd above every y": {Normal{}, cases, same(95), ""},
		"an sd of constants":  {Normal{}, same(3), same(5), ""},
		"looks of a radar":    {Gamma{}, rates, same(60), ""},
		"a mean above all":    {NormalVariance{}, rates, same(20), ""},
	} {
		t.Run(name, func(t *testing.T) {
			like := Likelihood{Family: c.family}
			check := func(door string, err error, says string) {
				if (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), says) ||
					strings.Contains(err.Error(), "\n")) {
					t.Errorf("%s: %v, want %q", door, err, says)
				}
			}
			_, err := like.ObserveField(upright{c.y}, upright{c.known})
			check("ObserveField", err, c.says)
			_, err = like.Observe(Data{Y: [][]float64{c.y}, Known: [][]float64{c.known}})
			check("Observe", err, strings.ReplaceAll(c.says, "the second field", "Known"))
			_, err = Together(like).ObserveField(upright{c.y}, upright{c.known})
			check("Together", err, c.says)
		})
	}
	must.Refuse((Likelihood{Family: NegativeBinomial{Successes: 3}}).Simulate([]float64{.5}, []float64{1e4}, 1,
		1))(t, "leave one of the two out")
	must.Refuse(Weibull{}.Reduce(3, Given(1e3)))(t, "y = 3 to the power of the shape 1000 is +Inf in float64")
}

// The link and the operator that the refusal names give a mean of N exp(x), and the probability of the family.
func TestNegativeBinomialOfPopulations(t *testing.T) {
	const r, n, y = 3., 1e4, 40.
	link := MustLink("3/(3+exp(x))")
	for _, x := range []float64{-8, -5, -2} {
		mean := n * math.Exp(x)
		theta := link.At(x + math.Log(n))
		near(t, "mean", r*(1-theta)/theta, mean, 1e-9*mean)
		f := NegativeBinomial{Successes: r}
		term := must.Get(f.Reduce(y, Known{}))(t)
		lg := func(v float64) float64 { l, _ := math.Lgamma(v); return l }
		want := lg(y+r) - lg(y+1) - lg(r) + r*math.Log(r/(r+mean)) + y*math.Log(mean/(r+mean))
		near(t, "log probability", f.Natural().LogLikelihood(term, theta), want, 1e-9*math.Abs(want))
	}
}

// Readings of one place that no x₀ explains are refused, whatever their standard deviations; others have their mean.
func TestReplicatesThatContradict(t *testing.T) {
	for name, c := range map[string]struct {
		family   Family
		y, known [][]float64
		says     string // "" if the readings are taken
	}{
		"two readings": {Normal{SD: .01}, [][]float64{{2, 1}, {2, 3}}, nil,
			"cell 1, replicate 1: y lies 141 standard deviations from the mean 1 of its earlier replicates; give " +
				"larger"},
		"the third": {Normal{SD: 1}, [][]float64{{0}, {1}, {60}}, nil,
			"cell 0, replicate 2: y lies 48.6 standard"},
		"their own sd": {Normal{}, [][]float64{{1}, {3}}, [][]float64{{.01}, {.02}}, "y lies 89.4 standard"},
		"logarithms": {LogNormal{SD: .01}, [][]float64{{1}, {3}}, nil,
			"from the mean 0 of its earlier replicates (of log y)"},
		"after a gap":    {Normal{SD: .01}, [][]float64{{1}, {math.NaN()}, {3}}, nil, "replicate 2: y lies 141"},
		"one is vague":   {Normal{}, [][]float64{{1}, {3}}, [][]float64{{.01}, {2}}, ""},
		"an outlier":     {Normal{SD: .1}, [][]float64{{1}, {3}}, nil, ""},
		"two cells":      {Normal{SD: .01}, [][]float64{{1, 3}, {1, 3}}, nil, ""},
		"equal":          {LogNormal{SD: .01}, [][]float64{{3}, {3}}, nil, ""},
		"no sd is known": {NormalVariance{Mean: 1}, [][]float64{{1.1}, {30}}, nil, ""},
		// −2 log of the likelihood ratio of Poisson counts of 1 and 300 is 602 log 150.5 − 600 log 300 = 2 · 201.9.
		"counts": {Poisson{}, [][]float64{{1}, {300}}, nil,
			"cell 0, replicate 1: y of 300 in 1 lies 20.1 standard deviations from its earlier replicates, 1 in 1"},
		"counts that vary":          {Poisson{}, [][]float64{{3}, {60}}, nil, ""},
		"counts of their exposures": {Poisson{}, [][]float64{{1}, {300}}, [][]float64{{1}, {250}}, ""},
		"no events and many":        {Poisson{}, [][]float64{{0}, {500}}, nil, "lies 26.3 standard"}, // √(1000 log 2)
		"positives of trials": {Binomial{Trials: 1000}, [][]float64{{1}, {999}}, nil,
			"y of 999 in 1000 lies 52.4 standard"}, // √(4000 log 2 − 4 · 7.91)
		"positives that vary":     {Binomial{Trials: 20}, [][]float64{{1}, {19}}, nil, ""},
		"overdispersion is meant": {NegativeBinomial{Successes: 3}, [][]float64{{1}, {300}}, nil, ""},
	} {
		_, err := (Likelihood{Family: c.family}).Observe(Data{Y: c.y, Known: c.known})
		must.Be(t, (err == nil) == (c.says == "") && (err == nil || strings.Contains(err.Error(), c.says)),
			"%s: %v, want %q", name, err, c.says)
	}
}
