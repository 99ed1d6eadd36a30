package diffusion_test

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// A datum of exposure 0, or of 0 trials, is missing: draws are those without it, behind an
// operator as in cells, and Info counts it.
func TestDataOfSizeZero(t *testing.T) {
	rows := [][]float64{{1, 0.5, 0, 0, 0, 0}, {0, 0, 1, 1, 0, 0}, {0, 0, 0, 1, 0, 2}}
	without := weighted("without", rows[0], rows[2])
	all := weighted("all", rows...)
	for _, c := range []struct {
		name string
		like expfam.Likelihood
		y, n []float64
	}{
		{"poisson", expfam.Likelihood{Family: expfam.Poisson{}, Operator: all}, []float64{3, 0, 4}, []float64{2, 0, 1}},
		{"binomial", expfam.Likelihood{Family: expfam.Binomial{}, Operator: all}, []float64{3, 0, 4},
			[]float64{5, 0, 9}},
		{"betabinomial", expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: 0.1}, Operator: all},
			[]float64{3, 0, 4}, []float64{5, 0, 9}},
		{"sum", expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: all}}, []float64{3, 0, 4},
			[]float64{2, 0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Sampler{Draws: 10, Seed: 1, Engine: enginetest.Open(t, "go"), Method: Multistep{N: 8}, Fresh: true}
			obs := expfam.Must(c.like.Observe(expfam.Data{Y: [][]float64{c.y}, Known: [][]float64{c.n}}))
			must.Need(t, obs[1] == (expfam.Term{}) && obs.Blanks() == 1, "terms %v", obs)
			got := expfam.Must(Sample(cells6(), c.like, obs, s))
			must.Equal(t, got.Info.Missing, 1, "Info.Missing")
			fewer := c.like
			if fewer.Operator = without; c.name == "sum" {
				fewer.Operator = expfam.SumOf{Operator: without}
			}
			want := expfam.Must(Sample(cells6(), fewer, expfam.Observations{obs[0], obs[2]}, s))
			must.Equal(t, want.Info.Missing, 0, "Info.Missing", "without the datum")
			sameDraws(t, "without the datum", got.X, want.X, 1e-4) // rounding of float32 in eight steps
			plain := expfam.Likelihood{Family: c.like.Family}
			given := expfam.Data{Y: [][]float64{append(c.y, 0, 1, 0)}, Known: [][]float64{append(c.n, 0, 1, 0)}}
			said := expfam.Data{Y: given.Y, Known: [][]float64{append(c.n[:3:3], 1, 1, 1)},
				Missing: [][]bool{{false, true, false, true, false, true}}}
			said.Known[0][1] = 1
			a, b := expfam.Must(Sample(cells6(), plain, expfam.Must(plain.Observe(given)), s)),
				expfam.Must(Sample(cells6(), plain, expfam.Must(plain.Observe(said)), s))
			must.Be(t, mat.Equal(a.X, b.X) && a.Info.Missing == 3 && b.Info.Missing == 3,
				"cells of size 0 are not the same as missing ones: %d and %d missing", a.Info.Missing, b.Info.Missing)
		})
	}
}

// A count where nothing was exposed or examined is refused with its datum, by Observe and
// where the terms were made by hand.
func TestCountsOfSizeZeroAreRefused(t *testing.T) {
	rows := weighted("rows", []float64{1, 1, 0, 0, 0, 0}, []float64{0, 0, 1, 1, 0, 0})
	for _, c := range []struct {
		family expfam.Family
		want   string
	}{
		{expfam.Poisson{}, "datum 1: count 3 with exposure 0; leave the cell out or give its exposure"},
		{expfam.Binomial{}, "datum 1: 3 positive of 0 examined"},
		{expfam.BetaBinomial{Correlation: 0.1}, "datum 1: 3 positive of 0 examined"},
		{expfam.Gamma{}, "datum 1: the shape is 0"},
		{expfam.Normal{}, "datum 1: the standard deviation is 0"},
		{expfam.NegativeBinomial{}, "datum 1: the number of successes is 0"},
	} {
		data := expfam.Data{Y: [][]float64{{0.5, 3}}, Known: [][]float64{{1, 0}}}
		if _, integer := c.family.(interface{ SizeName() string }); integer {
			data.Y[0][0] = 1
		}
		_, err := expfam.Likelihood{Family: c.family, Operator: rows}.Observe(data)
		var input *expfam.InputError
		must.Be(t, err != nil && strings.Contains(err.Error(), c.want) && errors.As(err, &input) && input.Cell == 1,
			"%v behind an operator: %v, want %q", c.family, err, c.want)
		_, err = expfam.Likelihood{Family: c.family}.Observe(data)
		want := strings.Replace(c.want, "datum", "cell", 1)
		must.Be(t, err != nil && strings.Contains(err.Error(), want), "%v: %v, want %q", c.family, err, want)
	}
	made := expfam.Observations{{Stat: 1, Size: 1}, {Stat: 3}}
	for _, c := range []struct {
		like expfam.Likelihood
		obs  expfam.Observations
		want string
	}{
		{expfam.Likelihood{Family: expfam.Poisson{}}, append(made, make(expfam.Observations, 4)...),
			"cell 1 has statistic 3 and exposure 0, and poisson sees nothing there; give its exposure, or the zero " +
				"Term"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: rows}, made, "datum 1 has statistic 3 and exposure 0"},
		{expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: rows}}, made,
			"datum 1 has statistic 3 and exposure 0"},
		{expfam.Likelihood{Family: expfam.Binomial{}, Operator: rows}, made, "datum 1 has statistic 3 and trials 0"},
		{expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: 0.1}, Operator: rows}, made,
			"datum 1 has statistic 3 and trials 0"},
		{expfam.Likelihood{Family: expfam.Exponential{}, Operator: rows}, made, "datum 1 has statistic 3 and size 0"},
		{expfam.Together(expfam.Likelihood{Family: expfam.Poisson{}},
			expfam.Likelihood{Family: expfam.Binomial{}, Operator: rows}),
			append(make(expfam.Observations, 6), made...), "datum 7 has statistic 3 and trials 0"},
	} {
		must.Refuse(Sample(cells6(), c.like, c.obs,
			Sampler{Draws: 2, Engine: enginetest.Open(t, "go"), Fresh: true}))(t, c.want)
	}
}

// Data whose every term is missing leave the prior.
func TestNothingSeen(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: weighted("rows", []float64{1, 1, 0, 0, 0, 0},
		[]float64{0, 0, 1, 1, 0, 0})}
	obs := expfam.Must(like.Observe(expfam.Data{Y: [][]float64{{0, 0}}, Known: [][]float64{{0, 0}}}))
	s := Sampler{Draws: 10, Seed: 1, Engine: enginetest.Open(t, "go"), Method: Multistep{N: 8}, Fresh: true}
	got := expfam.Must(Sample(cells6(), like, obs, s))
	s.Guidance = Unguided{}
	want := expfam.Must(Sample(cells6(), expfam.Likelihood{Family: expfam.Poisson{}}, make(expfam.Observations, 6), s))
	must.Equal(t, got.Info.Missing, 2, "Info.Missing")
	sameDraws(t, "the prior", got.X, want.X, 1e-5) // sites keep a precision of 1e-9
}
