package expfam_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

func TestObserveSumsReplicates(t *testing.T) {
	l := Likelihood{Family: Poisson{}}
	nan := math.NaN()
	obs := must.Get(l.Observe(Data{
		Y:       [][]float64{{3, nan, 0, 0}, {1, 2, 4, nan}},
		Known:   [][]float64{{2, 1, 0, 1}, {0.5, 3, 2, 1}},
		Missing: [][]bool{{false, true, false, true}, {false, false, false, true}},
	}))(t)
	must.Equal(t, obs.Stats(), []float64{4, 2, 4, 0}, "statistics")
	must.Equal(t, obs.Sizes(), []float64{2.5, 3, 2, 0}, "sizes")
	must.Equal(t, obs.Missing(), []bool{false, false, false, true}, "missing")
	must.Be(t, obs[3] == (Term{}), "a missing cell has the term %v", obs[3])
	want := (PaperPoisson{}).LogDensity(3, 1.7, Given(2)) + (PaperPoisson{}).LogDensity(1, 1.7, Given(0.5))
	near(t, "log likelihood of cell 0", (Poisson{}).Natural().LogLikelihood(obs[0], 1.7), want, 1e-13)
}

func TestObserveBroadcastsOneRow(t *testing.T) {
	l := Likelihood{Family: Binomial{}}
	obs := must.Get(l.Observe(Data{
		Y:       [][]float64{{1, 2, 5}, {0, 3, 5}},
		Known:   [][]float64{{4, 0, 5}},
		Missing: [][]bool{{false, true, false}},
	}))(t)
	must.Equal(t, obs.Sizes(), []float64{8, 0, 10}, "sizes")
}

func TestObserveNamesTheCell(t *testing.T) {
	for name, c := range map[string]struct {
		l    Likelihood
		d    Data
		says string
	}{
		"no family": {Likelihood{}, Data{Y: [][]float64{{1}}}, "there is no family"},
		"no data":   {Likelihood{Family: Poisson{}}, Data{}, "no data"},
		"too many": {Likelihood{Family: Binomial{Trials: 30}}, Data{Y: [][]float64{{1, 31}}},
			"binomial: cell 1: 31 positive of 30 examined"},
		"replicate": {Likelihood{Family: Poisson{}}, Data{Y: [][]float64{{1, 1}, {1, -1}}},
			"poisson: cell 1, replicate 1: y is -1"},
		"first replicate": {Likelihood{Family: Poisson{}}, Data{Y: [][]float64{{1, -1}, {1, 1}}},
			"poisson: cell 1, replicate 0: y is -1"},
		"sum overflows": {Likelihood{Family: Exponential{}}, Data{Y: [][]float64{{1, 1e308}, {1, 1.7e308}}},
			"exponential: cell 1, replicate 1: y = 1.7e+308 is too large"},
		"infinite": {Likelihood{Family: Normal{}}, Data{Y: [][]float64{{1, math.Inf(-1)}}},
			"normal: cell 1: y is -Inf; it must be finite, or NaN"},
		"all NaN": {Likelihood{Family: Normal{}}, Data{Y: [][]float64{{math.NaN()}, {math.NaN()}}},
			"none of the 1 cells of the data has a value"},
		"ragged": {Likelihood{Family: Normal{}}, Data{Y: [][]float64{{1, 2}, {1}}}, "replicate 1 of Y has 1 cells"},
		"known length": {Likelihood{Family: Normal{}}, Data{Y: [][]float64{{1, 2}}, Known: [][]float64{{1}}},
			"Known has 1 cells"},
		"known rows": {Likelihood{Family: Normal{}}, Data{Y: [][]float64{{1}, {2}, {3}},
			Known: [][]float64{{1}, {1}}}, "Known has 2 rows"},
		"missing length": {Likelihood{Family: Normal{}}, Data{Y: [][]float64{{1, 2}}, Missing: [][]bool{{true}}},
			"Missing has 1 cells"},
		"missing rows": {Likelihood{Family: Normal{}}, Data{Y: [][]float64{{1}, {2}, {3}},
			Missing: [][]bool{{true}, {true}}}, "Missing has 2 rows"},
		"no exposure": {Likelihood{Family: Poisson{}}, Data{Y: [][]float64{{3}}, Known: [][]float64{{0}}},
			"count 3 with exposure 0"},
		"nobody examined": {Likelihood{Family: Binomial{}}, Data{Y: [][]float64{{3}}, Known: [][]float64{{0}}},
			"3 positive of 0 examined"},
		"NaN exposure": {Likelihood{Family: Poisson{}}, Data{Y: [][]float64{{3}},
			Known: [][]float64{{math.NaN()}}}, "poisson: cell 0: y is 3 and Known has no value there"},
		"below the Pareto": {Likelihood{Family: Pareto{Scale: 2}}, Data{Y: [][]float64{{3, 1}}},
			"pareto: cell 1: y is 1, below the scale 2"},
		"log-normal, y = 0": {Likelihood{Family: LogNormal{}}, Data{Y: [][]float64{{0}}}, "lognormal: cell 0"},
	} {
		t.Run(name, func(t *testing.T) { must.Refuse(c.l.Observe(c.d))(t, c.says) })
	}
	_, err := (Likelihood{Family: Poisson{}}).Observe1(1, 2, -3)
	var input *InputError
	must.Be(t, errors.As(err, &input) && input.Cell == 2 && input.Family == "poisson", "Observe1 gives %v", err)
}

func TestSimulate(t *testing.T) {
	l := Likelihood{Family: Poisson{}}
	theta, known := []float64{2, 3, 4}, []float64{1.5, 0, 2}
	d := must.Get(l.Simulate(theta, known, 400, 7))(t)
	obs := must.Get(l.Observe(d))(t)
	must.Be(t, obs[1] == (Term{}), "no exposure gave the term %v", obs[1])
	for _, j := range []int{0, 2} {
		// Five standard errors of a Poisson rate.
		rate, se := obs[j].Stat/obs[j].Size, math.Sqrt(theta[j]/obs[j].Size)
		must.Absolute(t, fmt.Sprintf("cell %d: rate", j), rate, theta[j], 5*se)
	}
	again, _ := l.Simulate(theta, known, 3, 7)
	for i := range again.Y {
		must.Equal(t, again.Y[i], d.Y[i], "replicate", i, "changes with the number of replicates")
	}
	must.Refuse(l.Simulate([]float64{1, -1}, nil, 1, 1))(t, "cell 1")
	must.Refuse(l.Simulate(theta, known[:1], 1, 1))(t)
	open := Likelihood{Family: NB2{}, Unknown: law.Laws{"dispersion": nil}}
	must.Refuse(open.Simulate(theta, nil, 1, 1))(t, "the dispersion of nb2(dispersion=0) is unknown")
	for _, c := range []struct {
		name   string
		family Family
		known  float64
	}{
		{"NaN exposure", Poisson{}, math.NaN()}, {"negative exposure", Poisson{}, -2},
		{"negative sd", Normal{}, -1}, {"no sd", Normal{SD: 1}, 0}, {"negative shape", Gamma{}, -1},
		{"half a trial", Binomial{}, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Refuse(Likelihood{Family: c.family}.Simulate([]float64{0.5, 0.5}, []float64{c.known, c.known}, 1,
				1))(t, "cell")
		})
	}
}

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
			must.Get(like.Observe(d))(t, "Data.Missing is given, and yet")
		})
	}
	must.Refuse((Likelihood{Family: Poisson{}}).Observe1(3, -9999))(t,
		"it must be a count 0, 1, 2, …; if -9999 marks cells without a value, give NaN there")
}
