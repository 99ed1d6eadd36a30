package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Where nothing was observed, Values is no number, whatever made the field, and a field prints in a line.
func TestMissingValuesAreNaN(t *testing.T) {
	nan := math.NaN()
	byHand := Field{Grid: Grid{Rows: 2, Cols: 4, Outside: []bool{0: true, 7: false}}, Values: []float64{7, 1, 2, nan, 3,
		4, 5, 6}}
	read := must.Get(Grid{Rows: 2, Cols: 4}.Field([]float64{nan, 1, 2, 3, 4, 5, nan, 7}))(t)
	padding := must.Get(read.Grid.Pad(3))(t)
	pixel := Field{Grid: Grid{Rows: 1, Cols: 2, Outside: []bool{true, false}}, Values: []float64{0, 1}}
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
		"crop": {must.Get(byHand.Crop(0, 0, 1, 2))(t), []float64{nan, 1}, "1x2 cells, 1 of 2 missing, mean 1, 1 to 1"},
		"stretch": {must.Get(byHand.Stretch())(t), []float64{nan, -1, -0.6, nan, -0.2, 0.2, 0.6, 1},
			"2x4 cells, 2 of 8 missing, mean 0, -1 to 1"},
		"coarsen": {must.Get(byHand.Coarsen(1, 2))(t), []float64{1, 2, 3.5, 5.5}, "2x2 cells, mean 3, 1 to 5.5"},
		"coarsen out": {must.Get(pixel.Coarsen(1, 1))(t), []float64{nan, 1},
			"1x2 cells, 1 of 2 missing, mean 1, 1 to 1"},
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
