package expfam_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	fields "github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// raster is a field from rows, the top one first; NaN is outside.
func raster(t *testing.T, rows ...[]float64) fields.Field {
	t.Helper()
	return must.Get(fields.NewField(rows))(t)
}

// upright is a Raster without an Index of its own, and with NaN in its values.
type upright [][]float64

func (u upright) Dims() (cols, rows int) { return len(u[0]), len(u) }
func (u upright) Z(c, r int) float64     { return u[len(u)-1-r][c] }

var nan = math.NaN()

func TestObserveField(t *testing.T) {
	rows := [][]float64{{3, nan, 0}, {1, 2, 7}}
	counts := Likelihood{Family: Poisson{}}
	for name, f := range map[string]Raster{
		"outside": raster(t, []float64{3, nan, 0}, []float64{1, 2, 7}),
		"NaN":     upright(rows),
		"y downward": fields.Field{Grid: fields.Grid{Rows: 2, Cols: 3, Y: fields.Axis{Step: 1}},
			Values: []float64{3, nan, 0, 1, 2, 7}},
	} {
		obs := must.Get(counts.ObserveField(f))(t, name)
		must.Equal(t, obs.Stats(), []float64{3, 0, 0, 1, 2, 7}, name, "statistics")
		must.Equal(t, obs.Missing(), []bool{false, true, false, false, false, false}, name, "missing")
	}

	obs, err := counts.ObserveField(raster(t, []float64{3, -9999, nan}).Without(-9999))
	must.Be(t, err == nil && slices.Equal(obs.Missing(), []bool{false, true, true}),
		"missing %v, %v", obs.Missing(), err)

	trials := Likelihood{Family: Binomial{}}
	obs = must.Get(trials.ObserveField(raster(t, []float64{3, 0, 0}, []float64{nan, 0, 7}),
		raster(t, []float64{9, 0, nan}, []float64{5, 4, 7})))(t)
	must.Equal(t, obs.Sizes(), []float64{9, 0, 0, 0, 4, 7}, "trials")
	must.Equal(t, obs.Missing(), []bool{false, true, true, true, false, false}, "missing")
}

// Two fields of the same places are paired by place, whatever the directions of their axes.
func TestObserveFieldPairsPlaces(t *testing.T) {
	like := Likelihood{Family: Binomial{}}
	positive := fields.Field{Grid: fields.Grid{Rows: 2, Cols: 2, Y: fields.Axis{First: 1, Step: -1}},
		Values: []float64{1, 2, 3, 4}}
	for name, c := range map[string]struct {
		x, y     fields.Axis
		examined []float64
	}{
		"the same":           {fields.Axis{}, fields.Axis{}, []float64{10, 20, 30, 40}},
		"south row first":    {fields.Axis{}, fields.Axis{Step: 1}, []float64{30, 40, 10, 20}},
		"east column first":  {fields.Axis{First: 1, Step: -1}, fields.Axis{}, []float64{20, 10, 40, 30}},
		"both the other way": {fields.Axis{First: 1, Step: -1}, fields.Axis{Step: 1}, []float64{40, 30, 20, 10}},
	} {
		examined := fields.Field{Grid: fields.Grid{Rows: 2, Cols: 2, X: c.x, Y: c.y}, Values: c.examined}
		obs, err := like.ObserveField(positive, examined)
		must.Be(t, err == nil && slices.Equal(obs.Stats(), []float64{1, 2, 3, 4}) &&
			slices.Equal(obs.Sizes(), []float64{10, 20, 30, 40}),
			"%s: %v, %v", name, obs, err)
		obs, err = like.ObserveField(examined, examined)
		must.Be(t, err == nil && slices.Equal(obs.Sizes(), c.examined),
			"%s: the observations are not in the order of y: %v, %v", name, obs, err)
	}
}

// Trials of other places are not the trials of y, although both fields have the same size.
func TestObserveFieldRefusesOtherPlaces(t *testing.T) {
	like, values := Likelihood{Family: Binomial{}}, []float64{1, 2, 3, 4}
	at := func(x, y fields.Axis) fields.Field {
		return fields.Field{Grid: fields.Grid{Rows: 2, Cols: 2, X: x, Y: y}, Values: values}
	}
	place := func(first, step float64) fields.Axis { return fields.Axis{First: first, Step: step} }
	here := at(place(30, 0.5), place(-1, -0.5))
	for name, c := range map[string]struct {
		known fields.Field
		says  string
	}{
		"the same":            {here, ""},
		"without a place":     {at(fields.Axis{}, fields.Axis{}), ""},
		"corners for centres": {at(place(29.75, 0.5), place(-1.25, -0.5)), ""},
		"a cell further east": {at(place(30.5, 0.5), place(-1, -0.5)),
			"from (30, -1.5) to (30.5, -1), and those of the known constants from (30.5, -1.5) to (31, -1)"},
		"a cell further north": {at(place(30, 0.5), place(-0.5, -0.5)),
			"those of the known constants from (30, -1) to (30.5, -0.5); move one"},
		"cells of twice the size": {at(place(30, 1), place(-1, -0.5)), "move one to the other's grid"},
	} {
		_, err := like.ObserveField(here, c.known)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: error %v, want %q", name, err, c.says)
		}
	}
}

func TestObserveFieldRefuses(t *testing.T) {
	two := raster(t, []float64{1, 2, 3}, []float64{4, 5, 6})
	for name, c := range map[string]struct {
		family   Family
		y, known Raster
		says     string
	}{
		"no family": {nil, two, nil, "there is no family"},
		"no field":  {Poisson{}, nil, nil, "there is no field"},
		"no whole number": {Poisson{}, raster(t, []float64{1, 2}, []float64{3, 2.5}), nil,
			"poisson: row 1, column 1 (from 0): y is 2.5; it must be a count 0, 1, 2, …"},
		"negative": {Poisson{}, raster(t, []float64{1, -3}), nil,
			"poisson: row 0, column 1 (from 0): y is -3; it must be a count"},
		"a mark of missing": {Poisson{}, raster(t, []float64{1, 2}, []float64{-9999, 1}), nil,
			"row 1, column 0 (from 0): y is -9999; it must be a count 0, 1, 2, …; if -9999 marks cells without a " +
				"value, observe field.Without(-9999)"},
		"infinite": {Normal{}, upright{{1, math.Inf(1)}}, nil, "row 0, column 1 (from 0): y is +Inf"},
		"more than examined": {Binomial{}, two, raster(t, []float64{1, 2, 3}, []float64{4, 4, 6}),
			"binomial: row 1, column 1 (from 0): 5 positive of 4 examined"},
		"unknown, by a mark": {Binomial{}, raster(t, []float64{1, 0}), raster(t, []float64{4, -9999}),
			"row 0, column 1 (from 0): the number of trials is -9999; it must be a positive number; if -9999 marks " +
				"cells without a value, give the second field.Without(-9999)"},
		"half a trial": {Binomial{}, two, raster(t, []float64{1.5, 2, 3}, []float64{4, 5, 6}),
			"row 0, column 0 (from 0): the number of trials is 1.5"},
		"no trials": {Binomial{}, two, raster(t, []float64{1, 2, 3}, []float64{4, 0, 6}),
			"row 1, column 1 (from 0): 5 positive of 0 examined"},
		"trials unknown": {Binomial{}, two, raster(t, []float64{1, nan, 3}, []float64{4, 5, 6}),
			"row 0, column 1 (from 0): y is 2 and the second field has no value there"},
		"an sd unknown": {Normal{}, raster(t, []float64{1, 0, 2}), raster(t, []float64{4, nan, 6}),
			"normal: row 0, column 1 (from 0): y is 0 and the second field has no value there; give it one, or " +
				"make y NaN"},
		"successes unknown": {NegativeBinomial{}, raster(t, []float64{1, 0, 2}), raster(t, []float64{4, nan, 6}),
			"negbinomial: row 0, column 1 (from 0): y is 0 and the second field has no value there"},
		"an sd of 0": {Normal{}, two, raster(t, []float64{1, 2, 0}, []float64{4, 5, 6}),
			"row 0, column 2 (from 0): the standard deviation is 0; it must be a positive number"},
		"a negative exposure": {Poisson{}, two, raster(t, []float64{1, 2, 1}, []float64{4, 5, -6}),
			"row 1, column 2 (from 0): the exposure is -6"},
		"transposed constants": {Poisson{}, two, two.Transpose(),
			"the field has 2 rows and 3 columns, that of known constants 3 rows and 2 columns: one of them is " +
				"transposed"},
		"other constants": {Poisson{}, two, raster(t, []float64{1, 2}),
			"that of known constants 1 rows and 2 columns; cut, pad or resize"},
		"all missing": {Poisson{}, upright{{nan, nan}}, nil, "none of the 2 cells of the field has a value"},
		"no grid":     {Poisson{}, fields.Field{}, nil, "0 rows and 0 columns"},
		"values too few": {Poisson{}, fields.Field{Grid: fields.Grid{Rows: 2, Cols: 2}, Values: []float64{1}},
			nil, "1 values on 2 rows and 2 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			var known []Raster
			if c.known != nil {
				known = append(known, c.known)
			}
			_, err := Likelihood{Family: c.family}.ObserveField(c.y, known...)
			must.Be(t, err != nil && strings.Contains(err.Error(), c.says) && !strings.Contains(err.Error(), "\n"),
				"error %v, want one with %q", err, c.says)
		})
	}
	must.Refuse((Likelihood{Family: Poisson{}}).ObserveField(two, two, two))(t, "2 fields of known constants")
	_, err := (Likelihood{Family: Poisson{}}).ObserveField(raster(t, []float64{1, 2, 3}, []float64{4, -5, 6}))
	var input *InputError
	must.Be(t, errors.As(err, &input) && input.Cell == 4 && input.Columns == 3,
		"the cell is not named to programs: %#v", input)
}

func TestObserveOn(t *testing.T) {
	prior := must.Get(gp.NewLattice(0, mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
		mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), mat.NewDense(2, 3, []float64{1, 1, 1, 1, 1, 1})))(t)
	like := Likelihood{Family: Poisson{}}
	two := raster(t, []float64{1, 2, 3}, []float64{4, 5, 6})
	must.Equal(t, len(must.Get(like.ObserveOn(prior, two))(t)), 6, "observations")
	line := gp.RBF{Cells: 6} // knows no sizes
	must.Get(like.ObserveOn(line, two))(t)
	for name, c := range map[string]struct {
		prior Prior
		y     Raster
		says  string
	}{
		"transposed": {prior, two.Transpose(),
			"the field has 3 rows and 2 columns, the prior 2 rows and 3 columns: one of them is transposed; swap " +
				"its rows and columns"},
		"other size": {prior, raster(t, []float64{1, 2}), "the prior 2 rows and 3 columns; cut, pad or resize"},
		"other line": {line, raster(t, []float64{1, 2}), "that is 2 cells, and the prior has 6"},
		"no prior":   {nil, two, "there is no prior"},
		"no field":   {line, nil, "there is no field"},
	} {
		t.Run(name, func(t *testing.T) { must.Refuse(like.ObserveOn(c.prior, c.y))(t, c.says) })
	}
}

// A posterior knows the grid of its prior, whether it is sampled or loaded.
func TestSampleKnowsTheGrid(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	prior := must.Get(gp.NewLattice(0, mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
		mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), mat.NewDense(2, 3, []float64{1, 1, 1, 1, 1, 1})))(t)
	like := Likelihood{Family: Normal{}}
	obs := must.Get(like.ObserveOn(prior, raster(t, []float64{1, 2, nan}, []float64{4, 5, 6})))(t)
	for _, way := range []string{"sampled", "loaded"} {
		post := must.Get(diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: 2, Engine: enginetest.Fast(t)}))(t)
		rows, cols := post.Shape()
		must.Be(t, rows == 2 && cols == 3, "%s: %d × %d cells", way, rows, cols)
	}
}
