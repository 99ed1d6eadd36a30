package grid

import (
	"math"
	"strings"
	"testing"
)

// A raster of finer cells has their means, what is linear keeps its values at the centres, in
// whatever direction rows go, and what is missing is left out.
func TestOnto(t *testing.T) {
	raster := Field{Grid: Grid{Rows: 6, Cols: 8, X: Axis{First: 0.25, Step: 0.5}, Y: Axis{First: 2.75, Step: -0.5}}, Values: make([]float64, 48)}
	for j := range raster.Values {
		x, y := raster.Grid.Centre(j)
		raster.Values[j] = 3 + 2*x - y
	}
	g := Grid{Rows: 2, Cols: 3, X: Axis{First: 0.75, Step: 1}, Y: Axis{First: 1, Step: 1}}
	got, err := raster.Onto(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range got {
		x, y := g.Centre(j)
		if want := 3 + 2*x - y; math.Abs(v-want) > 1e-12 {
			t.Errorf("cell %d: %g, want %g", j, v, want)
		}
	}
	// Twice as wide and mirrored: the cells in the middle of the raster, of which one is missing.
	mirrored := func(x, y float64) (u, v float64) { return 8 - 2*x, y }
	small := Grid{Rows: 1, Cols: 1, X: Axis{First: 4, Step: 2}, Y: Axis{First: 1.5, Step: 1}}
	raster.Values[raster.Grid.Index(2, 3)] = math.NaN()
	got, err = raster.Onto(small, mirrored)
	if err != nil {
		t.Fatal(err)
	}
	// Centres at x 1.75 and 2.25, y 1.75 and 1.25, without (1.75, 1.75).
	if want := ((3 + 2*2.25 - 1.75) + (3 + 2*1.75 - 1.25) + (3 + 2*2.25 - 1.25)) / 3; math.Abs(got[0]-want) > 1e-12 {
		t.Errorf("%g, want %g", got[0], want)
	}
	wide := Grid{Rows: 2, Cols: 6, X: Axis{First: 0.5, Step: 1}, Y: Axis{First: 1, Step: 1}}
	if _, err := raster.Onto(wide, nil); err == nil || !strings.Contains(err.Error(), "cell 4 at (4.5, 1) has no value") {
		t.Errorf("error %v", err)
	}
	wide.Outside = []bool{4: true, 5: true, 10: true, 11: true}
	if got, err := raster.Onto(wide, nil); err != nil || got[4] != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := (Field{}).Onto(wide, nil); err == nil {
		t.Error("a field without cells is taken")
	}
}
