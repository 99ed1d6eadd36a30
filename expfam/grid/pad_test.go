package grid_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

func TestPad(t *testing.T) {
	f := must.Get(grid.NewField([][]float64{{1, 2, math.NaN()}, {4, 5, 6}, {7, 8, 9}}))(t)
	f.Grid.X, f.Grid.Y = grid.Axis{First: 10, Step: 2}, grid.Axis{First: 50, Step: -3}
	p := must.Get(f.Grid.Pad(4))(t)
	must.Need(t, p.Grid.Rows == 4 && p.Grid.Cols == 4, "%d by %d", p.Grid.Rows, p.Grid.Cols)
	padded := must.Get(p.Field(f))(t)
	// Every cell stays where it was, and new ones are missing.
	for j := range f.Grid.Len() {
		x, y := f.Grid.Centre(j)
		k, ok := padded.Grid.Locate(x, y)
		if !ok || padded.Grid.Inside(k) == math.IsNaN(padded.Values[k]) || padded.Grid.Inside(k) &&
			padded.Values[k] != f.Values[j] || padded.Grid.Inside(k) != f.Grid.Inside(j) || p.Cells()[j] != k {
			t.Errorf("cell %d is at %d, %t", j, k, ok)
		}
	}
	obs := must.Get(expfam.Likelihood{Family: expfam.Poisson{}}.ObserveField(padded))(t)
	observed := 0
	for _, missing := range obs.Missing() {
		if !missing {
			observed++
		}
	}
	must.Be(t, len(obs) == 16 && observed == 8, "%d of %d cells are observed, want 8 of 16", observed, len(obs))
	must.Do(t, (nn.UNet{Rows: 4, Columns: 4, Multiples: []int{1, 1, 1}}).Check(16))
	must.Err(t, (nn.UNet{Rows: 3, Columns: 3, Multiples: []int{1, 1, 1}}).Check(9), "enlarge the grid by its Pad(4)")

	// A posterior whose draws are the numbers of the cells, and back.
	x := mat.NewDense(2, 16, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(100*i + j) }, x)
	post := must.Get(p.Cut(&expfam.Posterior{X: x, Likelihood: expfam.Likelihood{Family: expfam.Normal{}},
		Info: expfam.Info{Rows: 4, Cols: 4, Method: "m"}}))(t)
	must.Equal(t, post.X.RawRowView(1), []float64{100, 101, 102, 104, 105, 106, 108, 109, 110}, "draw 1")
	rows, cols := post.Shape()
	must.Be(t, rows == 3 && cols == 3 && post.Info.Method == "m", "%d by %d, %q", rows, cols, post.Info.Method)

	same, err := p.Grid.Pad(2)
	must.Be(t, err == nil && same.Grid.Rows == 4 && same.Grid.Cols == 4,
		"a grid that fits becomes %d by %d, %v", same.Grid.Rows, same.Grid.Cols, err)
}

// A field of other places, or one whose first row is in the south where that of the grid is in the north, is not put
// cell by cell into the enlarged grid.
func TestPadRefusesOtherPlaces(t *testing.T) {
	north := grid.Grid{Rows: 3, Cols: 2, X: grid.Axis{First: 30, Step: 1}, Y: grid.Axis{First: 2, Step: -1}}
	south, east := north, north
	south.Y = grid.Axis{First: 0, Step: 1}
	east.X.First = 31
	p := must.Get(north.Pad(4))(t)
	for name, c := range map[string]struct {
		of grid.Grid
		ok bool
	}{"the same": {north, true}, "without a place": {grid.Grid{Rows: 3, Cols: 2}, true},
		"first row in the south": {south, false}, "a cell further east": {east, false}} {
		if _, err := p.Field(grid.Field{Grid: c.of, Values: make([]float64, 6)}); (err == nil) != c.ok || err != nil &&
			!strings.Contains(err.Error(), "move it there with Onto") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestPadRefuses(t *testing.T) {
	g := grid.Grid{Rows: 3, Cols: 3}
	p := must.Get(g.Pad(4))(t)
	post := &expfam.Posterior{X: mat.NewDense(1, 9, nil)}
	for says, try := range map[string]func() error{
		"multiples of 0":                          func() error { _, err := g.Pad(0); return err },
		"0 rows and 0 columns":                    func() error { _, err := (grid.Grid{}).Pad(2); return err },
		"a posterior of 9 cells on a grid of 4 r": func() error { _, err := p.Cut(post); return err },
		"the posterior is nil":                    func() error { _, err := p.Cut(nil); return err },
		"of 2 rows and 2 columns on a grid of 3": func() error {
			_, err := p.Field(grid.Field{Grid: grid.Grid{Rows: 2, Cols: 2}, Values: make([]float64, 4)})
			return err
		},
		"a field of 1 values on 3 rows": func() error {
			_, err := p.Field(grid.Field{Grid: g, Values: make([]float64, 1)})
			return err
		},
	} {
		must.Err(t, try(), says)
	}
}

func TestTranspose(t *testing.T) {
	f := must.Get(grid.NewField([][]float64{{1, 2, math.NaN()}, {4, 5, 6}}))(t)
	f.Grid.Area = []float64{1, 2, 3, 4, 5, 6}
	back := f.Transpose()
	if err := back.Check(); err != nil || back.Grid.Rows != 3 || fmt.Sprint(back.Values) != "[1 4 2 5 NaN 6]" ||
		!slices.Equal(back.Grid.Area, []float64{1, 4, 2, 5, 3, 6}) || back.Grid.Inside(4) || !back.Grid.Inside(5) {
		t.Errorf("%+v, %v", back, err)
	}
	again := back.Transpose()
	must.Be(t, fmt.Sprint(again.Values) == "[1 2 NaN 4 5 6]" && slices.Equal(again.Grid.Outside, f.Grid.Outside),
		"twice is %+v", again)
	for says, rows := range map[string][][]float64{"there are no rows": nil, "row 1 has 1 cells": {{1, 2}, {1}},
		"row 0, column 1 is +Inf": {{1, math.Inf(1)}}, "0 columns": {{}}} {
		must.Refuse(grid.NewField(rows))(t, says)
	}
}
