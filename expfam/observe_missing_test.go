package expfam_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// NaN is missing at every door, whatever the family.
func TestNaNIsMissing(t *testing.T) {
	for _, f := range []Family{Poisson{}, Binomial{Trials: 12}, BetaBinomial{Trials: 12, Correlation: .1},
		Bernoulli{}, NegativeBinomial{}, Geometric{},
		Exponential{}, Gamma{}, Weibull{}, Pareto{}, Normal{}, LogNormal{}, NormalVariance{}, LogNormalVariance{}} {
		like := Likelihood{Family: f}
		for door, observe := range map[string]func() (Observations, error){
			"Observe1": func() (Observations, error) { return like.Observe1(1, nan, 1) },
			"Observe": func() (Observations, error) {
				return like.Observe(Data{Y: [][]float64{{1, nan, 1}, {1, nan, 1}}})
			},
			"ObserveField": func() (Observations, error) { return like.ObserveField(upright{{1, nan, 1}}) },
			"Together":     func() (Observations, error) { return Together(like).Observe1(1, nan, 1) },
			"beside Missing": func() (Observations, error) {
				return like.Observe(Data{Y: [][]float64{{1, nan, 1}}, Missing: [][]bool{{false, false, false}}})
			},
		} {
			must.Equal(t, must.Get(observe())(t).Missing(), []bool{false, true, false}, f, door)
		}
	}
	like := Likelihood{Family: Poisson{}}
	obs, err := like.Observe(Data{Y: [][]float64{{0, 3, nan}}, Known: [][]float64{{nan, 2, nan}}})
	must.Be(t, err == nil && slices.Equal(obs.Missing(), []bool{true, false, true}),
		"counts of 0 without an exposure: %v, %v", obs, err)
}

// A number that marks missing values is refused with the remedy, and honest numbers are taken.
func TestObserveRefusesMarks(t *testing.T) {
	elevation := []float64{300, 310, -9999, 363}
	for name, c := range map[string]struct {
		family Family
		y, n   []float64
		says   string // "" if the data are taken
	}{
		"elevations": {Normal{SD: 5}, elevation, nil, "normal: row 0, column 2 (from 0): y is -9999, " +
			"far from all others: if -9999 marks a missing value, observe field.Without(-9999)"},
		"float32's lowest": {Normal{}, []float64{0.2, 0.4, -math.MaxFloat32}, nil,
			"observe field.Without(-3.4028234663852886e+38)"},
		"netCDF's fill":  {LogNormal{}, []float64{9.96921e36, 281, 290}, nil, "if 9.96921e+36 marks"},
		"int16":          {NormalVariance{}, []float64{3, -2, -32768}, nil, "field.Without(-32768)"},
		"1e20 days":      {Weibull{}, []float64{3, 7, 1e20}, nil, "field.Without(1e+20)"},
		"9999 of counts": {Poisson{}, []float64{3, 0, 9999}, nil, "field.Without(9999)"},
		"1e20 waiting":   {Exponential{}, []float64{3, 0.5, 1e20}, nil, "field.Without(1e+20)"},
		"trials": {Binomial{}, []float64{3, 0, 2}, []float64{20, 30, 65535},
			"the second field is 65535, far from all others: if 65535 marks a missing value, give the second " +
				"field.Without(65535)"},
		"exposures": {Poisson{}, []float64{3, 0, 2}, []float64{20, 1e20, 30},
			"give the second field.Without(1e+20)"},
		"sd": {Normal{}, []float64{3, 0, 2}, []float64{1, 1e30, 2},
			"give the second field.Without(1e+30)"},
		"-9 °C":                 {Normal{}, []float64{-9, -2, 1, 4}, nil, ""},
		"-1 among small ones":   {Normal{}, []float64{-1, 0.2, 0.1}, nil, ""},
		"-999 of balances":      {Normal{}, []float64{-999, -700, 2000}, nil, ""},
		"9999 of populations":   {Poisson{}, []float64{3, 4, 1}, []float64{1200, 9999, 31000}, ""},
		"a reading of -9999":    {Normal{}, []float64{-9999}, nil, ""},
		"the Mariana trench":    {Normal{}, []float64{-10900, -9999, 8000}, nil, ""},
		"large, but no mark":    {Normal{}, []float64{300, 310, -12345}, nil, ""},
		"exposures of 1 to 1e7": {Poisson{}, []float64{3, 0, 2}, []float64{1, 1e7, 300}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			like, d := Likelihood{Family: c.family}, Data{Y: [][]float64{c.y}}
			known := []Raster{}
			if c.n != nil {
				d.Known, known = [][]float64{c.n}, append(known, upright{c.n})
			}
			check := func(door string, err error, says string) {
				var input *InputError
				if (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), says) ||
					strings.Contains(err.Error(), "\n") || !errors.As(err, &input)) {
					t.Errorf("%s: %v, want %q", door, err, says)
				}
			}
			_, err := like.ObserveField(upright{c.y}, known...)
			check("ObserveField", err, c.says)
			_, err = like.Observe(d)
			check("Observe", err, "there; if it was observed, give Data.Missing")
			d.Missing = [][]bool{make([]bool, len(c.y))}
			if _, err = like.Observe(d); err != nil {
				t.Errorf("Data.Missing is given, and yet %v", err)
			}
		})
	}
	must.Refuse((Likelihood{Family: Poisson{}}).Observe1(3, -9999))(t,
		"it must be a count 0, 1, 2, …; if -9999 marks cells without a value, give NaN there")
}
