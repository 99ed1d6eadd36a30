package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A raster of finer cells has their means, what is linear keeps its values at the centres, in
// whatever direction rows go, and what is missing is left out.
func TestOnto(t *testing.T) {
	raster := Field{Grid: Grid{Rows: 6, Cols: 8, X: Axis{First: 0.25, Step: 0.5}, Y: Axis{First: 2.75, Step: -0.5}},
		Values: make([]float64, 48)}
	for j := range raster.Values {
		x, y := raster.Grid.Centre(j)
		raster.Values[j] = 3 + 2*x - y
	}
	g := Grid{Rows: 2, Cols: 3, X: Axis{First: 0.75, Step: 1}, Y: Axis{First: 1, Step: 1}}
	got := must.Get(raster.Onto(g, nil))(t)
	for j, v := range got {
		x, y := g.Centre(j)
		want := 3 + 2*x - y
		must.Be(t, math.Abs(v-want) <= 1e-12, "cell %d: %g, want %g", j, v, want)
	}
	// Twice as wide and mirrored: the cells in the middle of the raster, of which one is missing.
	mirrored := func(x, y float64) (u, v float64) { return 8 - 2*x, y }
	small := Grid{Rows: 1, Cols: 1, X: Axis{First: 4, Step: 2}, Y: Axis{First: 1.5, Step: 1}}
	raster.Values[raster.Grid.Index(2, 3)] = math.NaN()
	got = must.Get(raster.Onto(small, mirrored))(t)
	// Centres at x 1.75 and 2.25, y 1.75 and 1.25, without (1.75, 1.75).
	want := ((3 + 2*2.25 - 1.75) + (3 + 2*1.75 - 1.25) + (3 + 2*2.25 - 1.25)) / 3
	must.Be(t, math.Abs(got[0]-want) <= 1e-12, "%g, want %g", got[0], want)
	wide := Grid{Rows: 2, Cols: 6, X: Axis{First: 0.5, Step: 1}, Y: Axis{First: 1, Step: 1}}
	must.Refuse(raster.Onto(wide, nil))(t, "cell 4 at (4.5, 1) has no value")
	wide.Outside = []bool{4: true, 5: true, 10: true, 11: true}
	got, err := raster.Onto(wide, nil)
	must.Be(t, err == nil && got[4] == 0, "%v, %v", got, err)
	must.Refuse((Field{}).Onto(wide, nil))(t)
}

// People are shared out by area, whatever the cells: none is lost, and none is counted twice.
func TestSumOnto(t *testing.T) {
	raster := Field{Grid: Grid{Rows: 3, Cols: 4, X: Axis{First: 0.5, Step: 1}, Y: Axis{First: 2.5, Step: -1}},
		Counts: true}
	for j := range 12 {
		raster.Values = append(raster.Values, float64(j*j+1))
	}
	nan := math.NaN()
	near := func(name string, got, want []float64) {
		t.Helper()
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12*(1+math.Abs(b)) }) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	// Cells of 0.75 by 1.5 that begin in the middle of the raster's, rows from the south.
	part := Grid{Rows: 2, Cols: 4, X: Axis{First: 0.875, Step: 0.75}, Y: Axis{First: 0.75, Step: 1.5}}
	got := must.Get(raster.SumOnto(part, nil))(t)
	v := raster.Values
	near("cells in part", got[:2], []float64{0.5*v[8] + 0.25*v[9] + 0.25*v[4] + 0.125*v[5], 0.75*v[9] + 0.375*v[5]})
	// A grid that covers the raster, with cells of any size, has all people.
	for _, n := range []int{1, 2, 5, 7, 40} {
		whole := Grid{Rows: n, Cols: n + 1, X: Axis{First: -1 + 3/float64(n+1), Step: 6 / float64(n+1)},
			Y: Axis{First: -0.5 + 2/float64(n), Step: 4 / float64(n)}}
		whole.Outside = make([]bool, whole.Len())
		for j := range whole.Outside {
			x, y := whole.Centre(j)
			wide, high := whole.X.Step/2, whole.Y.Step/2
			whole.Outside[j] = n != 7 && (x+wide < 1e-9 || x-wide > 4-1e-9 || y+high < 1e-9 || y-high > 3-1e-9)
		}
		got, err := raster.SumOnto(whole, nil)
		if n == 7 { // some cells are beyond the raster
			must.Says(t, "beyond", err, "has no value of the raster, which reaches from (0, 0) to (4, 3); take a "+
				"raster")
			continue
		}
		must.Do(t, err, n)
		near("all", []float64{(Field{Grid: whole, Values: got}).Sum()}, []float64{raster.Sum()})
	}
	one := Grid{Rows: 1, Cols: 1, X: Axis{First: 2, Step: 4}, Y: Axis{First: 1.5, Step: 3}}
	got = must.Get(raster.Without(1, 122).SumOnto(one, nil))(t)
	near("missing cells", got, []float64{raster.Sum() - 123})
	got = must.Get(Field{Grid: Grid{Rows: 1, Cols: 2}, Values: []float64{nan, nan}}.SumOnto(Grid{Rows: 1, Cols: 1},
		nil))(t)
	near("nobody", got, []float64{0})
	// Twice as wide on a map, mirrored.
	mirror := func(x, y float64) (u, w float64) { return 8 - 2*x, y }
	two := Grid{Rows: 1, Cols: 2, X: Axis{First: 2, Step: 4}, Y: Axis{First: 1.5, Step: 3}}
	got = must.Get(raster.SumOnto(two, mirror))(t)
	near("a projection", got, []float64{v[2] + v[3] + v[6] + v[7] + v[10] + v[11],
		v[0] + v[1] + v[4] + v[5] + v[8] + v[9]})
	_, err := raster.Onto(one, nil)
	must.Says(t, "mean of people", err, "sum them with SumOnto, or set Counts of the field to false to average")
	raster.Counts = false
	got = must.Get(raster.Onto(one, nil))(t)
	near("set to average", got, []float64{raster.Mean()})
}

// A raster from 0 to 360° lies on a map from −180 to 180°, and a raster of a projection does not.
func TestOntoTurns(t *testing.T) {
	world := Field{Grid: Grid{Rows: 2, Cols: 36, X: Axis{First: 5, Step: 10}, Y: Axis{First: 5, Step: -10},
		Radius: EarthRadius}}
	for j := range 72 {
		world.Values = append(world.Values, float64(j%36))
	}
	west := Grid{Rows: 1, Cols: 3, X: Axis{First: -15, Step: 10}, Y: Axis{First: 0, Step: 10}, Radius: EarthRadius}
	for name, c := range map[string]struct {
		raster Field
		g      Grid
		place  func(x, y float64) (u, v float64)
		want   string
	}{
		"to the west": {world, west, nil, "[34 35 0] [34 35 0]"},
		"across the date line": {world, Grid{Rows: 1, Cols: 2, X: Axis{First: -185, Step: 10}, Y: west.Y,
			Radius: EarthRadius}, nil, "[17 18] [17 18]"},
		"over the edge": {world, Grid{Rows: 1, Cols: 1, X: Axis{First: 0, Step: 20}, Y: west.Y, Radius: EarthRadius},
			nil, "[17.5] [35]"},
		"all of it": {world, Grid{Rows: 1, Cols: 1, X: Axis{First: 0, Step: 360}, Y: west.Y, Radius: EarthRadius},
			nil, "[17.5] [630]"},
		"by a projection": {world, Grid{Rows: 1, Cols: 1, X: Axis{First: -150, Step: 100}, Y: west.Y}, func(x,
			y float64) (u, v float64) {
			return 10 * x, y
		}, "[34] [34]"},
		"one that turns": {world, Grid{Rows: 1, Cols: 1, X: Axis{First: -15, Step: 10}, Y: west.Y},
			func(x, y float64) (u, v float64) {
				if x > 180 {
					x -= 360
				}
				return x, y
			}, "[34] [34]"},
		"no name of the degrees": {Field{Grid: Grid{Rows: 2, Cols: 36, X: world.Grid.X, Y: world.Grid.Y},
			Values: world.Values}, west, nil, "[34 35 0] [34 35 0]"},
		"metres": {Field{Grid: Grid{Rows: 1, Cols: 1, X: Axis{First: 5e5, Step: 1e5, Unit: "m"},
			Y: Axis{First: 1e6, Step: -1e6, Unit: "m"}}, Values: []float64{1}},
			Grid{Rows: 1, Cols: 1, Radius: EarthRadius},
			nil, "to (550000, 1.5e+06) in m: these are no longitudes"},
		"units": {world, Grid{Rows: 1, Cols: 1, X: Axis{Unit: "km"}}, nil,
			"the axes of the raster are in °, those of the grid in km; give place"},
		"beyond": {world, Grid{Rows: 1, Cols: 1, X: west.X, Y: Axis{First: 50, Step: 10},
			Radius: EarthRadius}, nil, "cell 0 at (-15, 50) has no value of the raster, which reaches from (0, " +
			"-10) to (360, " + "10) in °"},
	} {
		if name != "no name of the degrees" && name != "metres" {
			c.raster.Grid.X.Unit = "°"
		}
		means, err := c.raster.Onto(c.g, c.place)
		if err != nil {
			must.Says(t, name, err, c.want)
			continue
		}
		sums, err := c.raster.SumOnto(c.g, c.place)
		got := fmt.Sprint(means, sums)
		must.Be(t, err == nil && got == c.want, "%s: %s, %v; want %s", name, got, err, c.want)
	}
	cyclic := world
	cyclic.Grid.Cols, cyclic.Values = 37, make([]float64, 74)
	_, err := cyclic.SumOnto(west, nil)
	must.Says(t, "a column twice", err, "span 370°, so some people are there twice")
}

// A number that marks missing cells, and is not declared, is no value.
func TestOntoRefusesMarks(t *testing.T) {
	g := Grid{Rows: 1, Cols: 1, X: Axis{First: 0.5, Step: 2}}
	for _, mark := range []float64{-9999, -3.4028234663852886e38, -3.4e38, 1e20, 3.4028234663852886e38,
		9.969209968386869e36, -32768, -99} {
		f := Field{Grid: Grid{Rows: 1, Cols: 2}, Values: []float64{11, mark}}
		f.Values = append(f.Values, 0, 3)
		f.Grid.Cols = 4
		hint := fmt.Sprintf("some cells are %g and the others 0 to 11: if this marks cells without a value, take "+
			"field.Without(%g)", mark, mark)
		for name, try := range map[string]func() error{
			"Onto":    func() error { _, err := f.Onto(g, nil); return err },
			"SumOnto": func() error { _, err := f.SumOnto(g, nil); return err },
			"Stretch": func() error { _, err := f.Stretch(); return err },
		} {
			must.Says(t, name, try(), hint)
		}
		if !strings.Contains(f.String(), fmt.Sprintf("; if %g marks cells without a value, take Without(%g)", mark,
			mark)) {
			t.Error(f)
		}
		got, err := f.Without(mark).Onto(g, nil)
		must.Be(t, err == nil && got[0] == 11, "without it: %v, %v", got, err)
	}
	deep := Field{Grid: Grid{Rows: 1, Cols: 3}, Values: []float64{-10900, -9999, 5}}
	must.Get(deep.Onto(g, nil))(t, "a depth of 9999 m")
}
