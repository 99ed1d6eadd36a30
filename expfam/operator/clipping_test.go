package operator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
)

// clipped is the area of a ring within a rectangle, by the polygon that remains after a cut
// at each of its sides (Sutherland and Hodgman 1974).
func clipped(ring []land.Position, west, south, east, north float64) float64 {
	for _, side := range []func(p land.Position) float64{
		func(p land.Position) float64 { return p.Lon - west },
		func(p land.Position) float64 { return east - p.Lon },
		func(p land.Position) float64 { return p.Lat - south },
		func(p land.Position) float64 { return north - p.Lat },
	} {
		var kept []land.Position
		for i, p := range ring {
			q := ring[(i+1)%len(ring)]
			a, b := side(p), side(q)
			if a >= 0 {
				kept = append(kept, p)
			}
			if (a >= 0) != (b >= 0) {
				kept = append(kept, at(p.Lon+a/(a-b)*(q.Lon-p.Lon), p.Lat+a/(a-b)*(q.Lat-p.Lat)))
			}
		}
		if ring = kept; len(ring) == 0 {
			return 0
		}
	}
	var sum float64
	for i, p := range ring {
		q := ring[(i+1)%len(ring)]
		sum += p.Lon*q.Lat - q.Lon*p.Lat
	}
	return math.Abs(sum) / 2
}

// star is a ring around a centre that goes in and out, in either direction.
func star(rng *rand.Rand, lon, lat, size float64, turn int) []land.Position {
	var ring []land.Position
	for i := range 23 {
		angle := 2 * math.Pi * float64(i*turn) / 23
		r := size * (0.2 + 0.8*rng.Float64())
		ring = append(ring, at(lon+r*math.Cos(angle), lat+r*math.Sin(angle)))
	}
	return closed(ring...)
}

// Shares are those of the polygons clipped to every cell, less the holes, on axes of either
// direction, with polygons that reach beyond the grid on every side.
func TestPolygonsAgainstClipping(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 0))
	for name, gr := range map[string]grid.Grid{
		"down": {Rows: 9, Cols: 12, X: grid.Axis{First: -3.1, Step: 0.7}, Y: grid.Axis{First: 4, Step: -0.9}},
		"up":   {Rows: 9, Cols: 12, X: grid.Axis{First: 4.6, Step: -0.7}, Y: grid.Axis{First: -3.2, Step: 0.9}},
	} {
		for n, turn := range []int{1, -1} {
			hole := closed(at(1.01, 0.4), at(1.05, 0.52), at(0.93, 0.5))
			r := region(t, "r", [][]land.Position{star(rng, 1, 0.5, 3, turn), hole},
				[][]land.Position{star(rng, -4, 4.5, 1.5, -turn)}, [][]land.Position{star(rng, 5.5, -4, 1, turn)})
			op := &Polygons{Grid: gr, Regions: []land.Region{r}, Least: 0.1, Weights: ones(gr.Len())}
			got := matrixOf(op)
			for j := range gr.Len() {
				x, y := gr.Centre(j)
				cell := func(ring []land.Position) float64 {
					return clipped(ring[:len(ring)-1], x-0.35, y-0.45, x+0.35, y+0.45) / (0.7 * 0.9)
				}
				want := cell(r.Polygons[0][0]) - cell(hole) + cell(r.Polygons[1][0]) + cell(r.Polygons[2][0])
				near(t, fmt.Sprintf("%s %d: cell %d", name, n, j), got.At(0, j), want)
			}
		}
	}
}
