package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// Where nothing was observed, Values is no number, whatever made the field, and a field prints in a line.
func TestMissingValuesAreNaN(t *testing.T) {
	nan := math.NaN()
	byHand := Field{Grid: Grid{Rows: 2, Cols: 4, Outside: []bool{0: true, 7: false}}, Values: []float64{7, 1, 2, nan, 3,
		4, 5, 6}}
	read := must.Get(Grid{Rows: 2, Cols: 4}.Field([]float64{nan, 1, 2, 3, 4, 5, nan, 7}))(t)
	padding := must.Get(read.Grid.Pad(3))(t)
	for name, c := range map[string]struct {
		f      Field
		values []float64
		prints string
	}{
		"a grid": {read, []float64{nan, 1, 2, 3, 4, 5, nan, 7}, "2x4 cells, 2 of 8 missing, mean 3.667, 1 to 7"},
		"rows": {must.Get(NewField([][]float64{{nan, -2}}))(t), []float64{nan, -2},
			"1x2 cells, 1 of 2 missing, mean -2, -2 to -2"},
		"none":    {must.Get(NewField([][]float64{{3, -2}}))(t), []float64{3, -2}, "1x2 cells, mean 0.5, -2 to 3"},
		"by hand": {byHand, byHand.Values, "2x4 cells, 2 of 8 missing, mean 3.5, 1 to 6"},
		"without": {byHand.Without(3, 4), []float64{nan, 1, 2, nan, nan, nan, 5, 6},
			"2x4 cells, 4 of 8 missing, mean 3.5, 1 to 6"},
		"all without": {must.Get(NewField([][]float64{{-99, -9}}))(t).Without(-99, -9), []float64{nan, nan},
			"1x2 cells, all missing"},
		"transpose": {byHand.Transpose(), []float64{nan, 3, 1, 4, 2, 5, nan, 6},
			"4x2 cells, 2 of 8 missing, mean 3.5, 1 to 6"},
		"stretch": {must.Get(byHand.Stretch())(t), []float64{nan, -1, -0.6, nan, -0.2, 0.2, 0.6, 1},
			"2x4 cells, 2 of 8 missing, mean 0, -1 to 1"},
		"pad": {must.Get(padding.Field(read))(t),
			[]float64{nan, 1, 2, 3, nan, nan, 4, 5, nan, 7, nan, nan, nan, nan, nan,
				nan, nan, nan}, "3x6 cells, 12 of 18 missing, mean 3.667, 1 to 7"},
		"broken": {Field{Grid: Grid{Rows: 2, Cols: 2}, Values: []float64{1}}, []float64{1},
			"2x2 cells with 1 values (grid: a field of 1 values on 2 rows and 2 columns)"},
	} {
		if !slices.EqualFunc(c.f.Values, c.values,
			func(a, b float64) bool { return alike(a, b) || math.Abs(a-b) < 1e-15 }) {
			t.Errorf("%s: %v, want %v", name, c.f.Values, c.values)
		}
		for _, got := range []string{fmt.Sprint(c.f), fmt.Sprintf("%v", c.f), fmt.Sprintln(c.f)} {
			must.Be(t, strings.TrimSpace(got) == c.prints, "%s: prints %q, want %q", name, got, c.prints)
		}
	}
}

// alike reports whether two values are equal or both missing.
func alike(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestSpectrumOfAWaveIsAtItsFrequency(t *testing.T) {
	g := Grid{Rows: 32, Cols: 48}
	x := make([]float64, g.Len())
	for j := range x {
		r, _ := g.Cell(j)
		x[j] = 5 + math.Sin(2*math.Pi*7*float64(r)/32)
	}
	frequency, power := must.Get2(Spectrum(g, x))(t)
	var all, near float64
	for k, f := range frequency {
		all += power[k] * f
		if math.Abs(f-7) <= 2 { // a Hann window reaches one frequency to each side
			near += power[k] * f
		}
	}
	share := near / all
	must.Be(t, share >= 0.999, "%.4f of the power is at the frequency of the wave", share)
}

func TestSpectrumOfWhiteNoiseIsFlat(t *testing.T) {
	g := Grid{Rows: 24, Cols: 24}
	rng := expfam.Stream(1, "spectrum")
	const draws = 400
	sum := make([]float64, 12)
	for range draws {
		x := make([]float64, g.Len())
		for j := range x {
			x[j] = 3 * rng.NormFloat64()
		}
		_, power := must.Get2(Spectrum(g, x))(t)
		for k, p := range power {
			sum[k] += p / draws
		}
	}
	for k, p := range sum {
		// Of the frequencies of a ring the window leaves at least two independent:
		// an error of 1/√800 of the mean, five times.
		must.Be(t, k <= 0 || math.Abs(p/9-1) <= 0.18, "ring %d has power %.3f, the noise 9", k+1, p)
	}
}

func TestSpectrumRefuses(t *testing.T) {
	g := Grid{Rows: 8, Cols: 8}
	x := make([]float64, 64)
	x[3] = math.NaN()
	for name, err := range map[string]error{
		"NaN":       second(Spectrum(g, x)),
		"cells":     second(Spectrum(g, x[:9])),
		"too small": second(Spectrum(Grid{Rows: 2, Cols: 8}, x[:16])),
	} {
		must.Be(t, err != nil, "%s: no error", name)
	}
}

func second(_, _ []float64, err error) error { return err }
