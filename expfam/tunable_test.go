package expfam_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// tunable is a family with a constant that may be unknown.
type tunable interface {
	Family
	Constant() (p law.Parameter, own float64)
	Tuned(value float64) Family
	Reference() float64
	TunedTerm(t Term, value float64) (Term, error)
}

// tunables are all families with a constant that may be unknown, with data of three cells, the first of two replicates
// where the family allows them.
var tunables = []struct {
	f    tunable
	data Data
}{
	{NB2{}, Data{Y: [][]float64{{3, 0, 9}, {1, math.NaN(), math.NaN()}}, Known: [][]float64{{2, 1, 30}}}},
	{BetaBinomial{}, Data{Y: [][]float64{{3, 0, 9}, {1, math.NaN(), math.NaN()}}, Known: [][]float64{{4, 5, 30}}}},
	{Normal{}, Data{Y: [][]float64{{3, -1, 0.5}, {1, math.NaN(), math.NaN()}}}},
	{LogNormal{}, Data{Y: [][]float64{{3, 0.2, 0.5}, {1, math.NaN(), math.NaN()}}}},
	{Gamma{}, Data{Y: [][]float64{{3, 0.2, 0.5}, {1, math.NaN(), math.NaN()}}}},
	{Weibull{}, Data{Y: [][]float64{{3, 0.2, 0.5}}}},
}

// TestTuned: data that were reduced while a constant was unknown have, at a value of the constant, the log-likelihood
// of data that were reduced under this value.
func TestTuned(t *testing.T) {
	for _, c := range tunables {
		p, _ := c.f.Constant()
		must.Do(t, law.CheckAll([]law.Parameter{p}))
		open := Likelihood{Family: c.f, Unknown: law.Laws{p.Name: nil}}
		obs := must.Get(open.Observe(c.data))(t)
		for _, score := range []float64{-1, 0, 1.5} {
			value := law.At(p.Law, score)
			like, tuned := must.Get2(open.With([]float64{value}, obs))(t)
			direct := Likelihood{Family: c.f.Tuned(value)}
			want := must.Get(direct.Observe(c.data))(t)
			a, b := must.Get(like.Terms())(t), must.Get(direct.Terms())(t)
			for j := range want {
				for _, x := range []float64{-0.4, 0.9} {
					must.Absolute(t, direct.String(), a.LogLik(x, tuned[j]), b.LogLik(x, want[j]), 1e-9)
				}
			}
		}
		must.Refuse(open.Terms())(t)
	}
}

// TestUnknownConstantsRefused: what cannot be unknown is refused in one sentence.
func TestUnknownConstantsRefused(t *testing.T) {
	one := law.LogNormal{Median: 1, SD: 1}
	for _, c := range []struct {
		like Likelihood
		want string
	}{
		{Likelihood{Family: Poisson{}, Unknown: law.Laws{"dispersion": nil}}, "neither poisson nor the link"},
		{Likelihood{Family: NB2{}, Unknown: law.Laws{"disperson": nil}}, `"dispersion" may be unknown`},
		{Likelihood{Family: NB2{Dispersion: 1}, Unknown: law.Laws{"dispersion": nil}}, "given and unknown"},
		{Likelihood{Family: NB2{}, Unknown: law.Laws{"dispersion": law.HalfNormal{}}}, "positive"},
		{Likelihood{Family: Binomial{}, Link: MustLink("sigmoid(s*x)", Constants{"s": 1}), Unknown: law.Laws{"s": nil}},
			"has no law"},
		{Likelihood{Family: Binomial{}, Link: MustLink("sigmoid(s*x)", Constants{"s": 1}), Unknown: law.Laws{"r": one}},
			"neither binomial"},
	} {
		must.Refuse(c.like.Unknowns())(t, c.want)
	}
	// Standard deviations that the data have are not unknown, and terms that others have reduced are found.
	like := Likelihood{Family: Normal{}, Unknown: law.Laws{"noise sd": nil}}
	_, err := like.Observe(Data{Y: [][]float64{{1, 2}}, Known: [][]float64{{1, 1}}})
	must.Be(t, err != nil && strings.Contains(err.Error(), "leave one of the two out"),
		"standard deviations of data: error %v", err)
	for _, c := range tunables[2:] {
		p, _ := c.f.Constant()
		obs := must.Get(Likelihood{Family: c.f.Tuned(2.7)}.Observe1(3, 0.2))(t)
		_, _, err := Likelihood{Family: c.f, Unknown: law.Laws{p.Name: nil}}.With([]float64{1}, obs)
		must.Be(t, err != nil && strings.Contains(err.Error(), "reduce"),
			"%v: terms of another likelihood: error %v", c.f, err)
	}
}

// TestUnknownLink: a named constant of a link is bound to its value.
func TestUnknownLink(t *testing.T) {
	open := Likelihood{Family: Binomial{Trials: 9}, Link: MustLink("sigmoid(s*x)", Constants{"s": 1}),
		Unknown: law.Laws{"s": law.LogNormal{Median: 1, SD: 1}}}
	like, _, err := open.With([]float64{3}, must.Get(open.Observe1(4))(t))
	must.Be(t, err == nil && like.Link.String() == MustLink("sigmoid(3*x)").String(), "link %v, %v", like.Link, err)
	both := Together(open, Likelihood{Family: NB2{}, Unknown: law.Laws{"dispersion": nil}})
	all, err := both.Unknowns()
	if err != nil || len(all) != 2 || all[0].Name != "s of data set 0" || all[1].Name != "dispersion of data set 1" {
		t.Errorf("%v, %v", all, err)
	}
	// Each of three data sets has two cells, and data of the standard deviation 1, 2 or 3.
	normal := Likelihood{Family: Normal{}, Unknown: law.Laws{"noise sd": nil}}
	two := must.Get(normal.Observe1(0.3, 0.4))(t)
	_, tuned, err := Together(normal, normal, normal).With([]float64{1, 2, 3}, slices.Concat(two, two, two))
	must.Do(t, err)
	for k, size := range tuned.Sizes() {
		sd := float64(1 + k/2)
		must.Absolute(t, "precision", size, 1/(sd*sd), 1e-15)
	}
	obs := Observations{{Stat: 4, Size: 9}, {Stat: 2, Size: 1}}
	like, _, err = both.With([]float64{3, 0.5}, obs)
	must.Be(t, err == nil && strings.Contains(like.String(), "dispersion=0.5"), "%v, %v", like, err)
}
