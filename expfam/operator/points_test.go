package operator

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// Bilinear weights reproduce a + b x + c y + d x y exactly between the centres, whatever the
// direction of the axes, and have sum 1.
func TestPointsAreBilinear(t *testing.T) {
	f := func(x, y float64) float64 { return 3 - 2*x + 0.7*y + 0.3*x*y }
	for name, gr := range map[string]grid.Grid{
		"plain":    {Rows: 5, Cols: 7},
		"upward":   {Rows: 5, Cols: 7, X: grid.Axis{First: -3, Step: 0.5}, Y: grid.Axis{First: 10, Step: 2}},
		"westward": {Rows: 5, Cols: 7, X: grid.Axis{First: 4, Step: -1.5}, Y: grid.Axis{First: 8, Step: -0.25}},
		"one row":  {Rows: 1, Cols: 7},
		"on a sphere": {Rows: 5, Cols: 7, X: grid.Axis{First: 20, Step: 1}, Y: grid.Axis{First: 5, Step: -1},
			Radius: grid.EarthRadius},
	} {
		x := make([]float64, gr.Len())
		for j := range x {
			x[j] = f(gr.Centre(j))
		}
		west, north := gr.Centre(0)
		east, south := gr.Centre(gr.Len() - 1)
		rng := rand.New(rand.NewPCG(9, 0))
		op := &Points{Grid: gr, X: []float64{west, east}, Y: []float64{north, south}}
		for range 50 {
			op.X = append(op.X, west+rng.Float64()*(east-west))
			op.Y = append(op.Y, north+rng.Float64()*(south-north))
		}
		for k, v := range product(op, x) {
			near(t, fmt.Sprintf("%s: point %d", name, k), v, f(op.X[k], op.Y[k]))
			var sum float64
			op.Row(k, func(_ int, w float64) { sum += w })
			near(t, fmt.Sprintf("%s: weights of point %d", name, k), sum, 1)
		}
	}
}

// At the edge of the grid and at the shore the centres that are there get the weight.
func TestPointsAtTheEdge(t *testing.T) {
	gr := grid.Grid{Rows: 2, Cols: 3, Outside: []bool{false, false, true, false, false, false}}
	x := []float64{1, 2, 0, 4, 5, 6} // y = 1 on top, y = 0 below
	op := &Points{Grid: gr, Shore: true, X: []float64{-0.5, 0.5, 1.5, 2, 1.75}, Y: []float64{1.4, -0.3, 1.2, 0.5, 0.5}}
	want := []float64{1, 4.5, 2, 6, (0.125*2 + 0.125*5 + 0.375*6) / 0.625}
	for k, v := range product(op, x) {
		near(t, fmt.Sprintf("point %d", k), v, want[k])
	}
}

// A point on the centre of a cell needs no other cell, although rounding puts it a little beside the centre:
// (33.4 − 33.1)/0.1 is less than 3.
func TestPointsOnACentreByTheSea(t *testing.T) {
	gr := grid.Grid{Rows: 1, Cols: 4, X: grid.Axis{First: 33.1, Step: 0.1}, Outside: []bool{true, true, true, false}}
	for k, v := range product(&Points{Grid: gr, X: []float64{33.4}, Y: []float64{0}}, []float64{100, 100, 100, 5}) {
		must.Absolute(t, fmt.Sprintf("point %d", k), v, 5, 1e-12)
	}
}

func TestPointsRefuse(t *testing.T) {
	gr := grid.Grid{Rows: 2, Cols: 3, Outside: []bool{false, false, true, false, false, false}}
	refusals(t, []refused{
		{"points: grid: 0 rows", &Points{}},
		{"1 X and 0 Y", &Points{Grid: gr, X: []float64{1}}},
		{"0 X and 0 Y", &Points{Grid: gr}},
		{"point 1 at (3, 0.5) is outside of the grid, which is -0.5 ≤ x ≤ 2.5, -0.5 ≤ y ≤ 1.5",
			&Points{Grid: gr, X: []float64{0, 3}, Y: []float64{0.5, 0.5}}},
		{"point 0 at (NaN, 0.5) is outside of the grid", &Points{Grid: gr, X: []float64{nan}, Y: []float64{0.5}}},
		{"point 0 at (2, 1) is outside of the domain, with all of the 1 centres around it (and 1 more points)",
			&Points{Grid: gr, Shore: true, X: []float64{2, 2.2}, Y: []float64{1, 1.3}}},
		{"point 0 at (1.5, 0.5) has 1 of the 4 centres around it outside of the domain; move it inland, or set Shore",
			&Points{Grid: gr, X: []float64{1.5}, Y: []float64{0.5}}},
	})
}
