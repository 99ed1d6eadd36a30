package operator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// at is a position.
func at(lon, lat float64) land.Position { return land.Position{Lon: lon, Lat: lat} }

func closed(ring ...land.Position) []land.Position { return append(ring, ring[0]) }

func region(t *testing.T, name string, polygons ...[][]land.Position) land.Region {
	t.Helper()
	return must.Get(land.NewRegion(name, polygons))(t)
}

func ones(n int) []float64 {
	return slices.Repeat([]float64{1}, n)
}

// Regions that tile a rectangle share out every cell whole, and their means and sums of a
// field add up to that of the rectangle.
func TestPolygonsOfAPartition(t *testing.T) {
	const down, across = 4, 5
	rng := rand.New(rand.NewPCG(19, 0))
	var corners [down + 1][across + 1]land.Position
	for i := range corners {
		for k := range corners[i] {
			p := at(12*float64(k)/across, 10*float64(i)/down)
			if i > 0 && i < down {
				p.Lat += 1.2 * (rng.Float64() - 0.5)
			}
			if k > 0 && k < across {
				p.Lon += 1.2 * (rng.Float64() - 0.5)
			}
			corners[i][k] = p
		}
	}
	gr := grid.Grid{Rows: 20, Cols: 30, X: grid.Axis{First: 0.2, Step: 0.4}, Y: grid.Axis{First: 9.75, Step: -0.5}}
	op := &Polygons{Grid: gr, Least: 1}
	for i := range down {
		for k := range across {
			op.Regions = append(op.Regions, region(t, fmt.Sprint(i, k),
				[][]land.Position{closed(corners[i][k], corners[i][k+1], corners[i+1][k+1], corners[i+1][k])}))
		}
	}
	h := matrixOf(op)
	for j := range gr.Len() {
		var sum float64
		for k := range op.Regions {
			sum += h.At(k, j)
		}
		near(t, fmt.Sprintf("cell %d", j), sum, 0.2)
	}
	people := make([]float64, gr.Len())
	for j := range people {
		people[j] = 100 * rng.Float64()
	}
	x := normals(20, 1, gr.Len())[0]
	sums := product(&Polygons{Grid: gr, Regions: op.Regions, Weights: people}, x)
	means := product(&Polygons{Grid: gr, Regions: op.Regions, Weights: people, Mean: true}, x)
	exposed := product(&Polygons{Grid: gr, Regions: op.Regions, Weights: people}, ones(gr.Len()))
	var total, want float64
	for k, v := range sums {
		total += v
		near(t, fmt.Sprintf("mean of region %d", k), means[k], v/exposed[k])
	}
	for j, v := range x {
		want += people[j] * v
	}
	near(t, "sum over all regions", total, want)
}

// Countries on a map have their areas on the sphere, and no place is in two.
func TestPolygonsOfCountries(t *testing.T) {
	countries := land.Countries()
	for _, p := range []land.Projection{land.LonLat{}, land.EqualArea{}} {
		m := must.Get(land.Frame{Rows: 80, Cols: 100, Box: land.Box{West: -26, South: -47, East: 58, North: 28},
			Projection: p}.Map())(t)
		whole := m.Grid
		whole.Outside = nil // sea and lakes as well
		op := &Polygons{Grid: whole, Projection: m.Projection, Regions: countries}
		must.Do(t, op.Check())
		areas := whole.Areas()
		shares := make([]float64, len(areas))
		for k, r := range countries {
			var got float64
			op.Row(k, func(j int, w float64) {
				got += w
				shares[j] += w / areas[j]
			})
			// Edges are straight on the map of the cells, and cos φ changes over them.
			must.Absolute(t, fmt.Sprintf("%v: %s has %.6g km², want", p, r.Name, got), got/r.AreaKm2(), 1, 2e-3)
		}
		for j, s := range shares {
			must.Be(t, s <= 1+1e-9, "%v: cell %d is in countries %.9g times", p, j, s)
		}
		// On land alone, coasts and lakes of the cells are not those of the countries: of
		// large ones less than a tenth is lost.
		var large []land.Region
		for _, r := range countries {
			if r.AreaKm2() > 4e5 {
				large = append(large, r)
			}
		}
		on := &Polygons{Grid: m.Grid, Projection: m.Projection, Regions: large, Least: 0.9}
		err := on.Check()
		must.Need(t, err == nil && len(large) >= 15, "%d large countries, error %v", len(large), err)
		for k := range large {
			on.Row(k, func(j int, _ float64) { must.Be(t, m.Grid.Inside(j), "%v: cell %d is in the sea", p, j) })
		}
	}
}

func TestPolygonsRefuse(t *testing.T) {
	gr := grid.Grid{Rows: 4, Cols: 4} // x and y from −0.5 to 3.5
	square := func(west, south, east, north float64) []land.Position {
		return closed(at(west, south), at(east, south), at(east, north), at(west, north))
	}
	one := []land.Region{region(t, "Here", [][]land.Position{square(0, 0, 1, 1)})}
	away, far := region(t, "Away", [][]land.Position{square(3, 0, 4, 1)}), region(t, "Far",
		[][]land.Position{square(100, 100, 101, 101)})
	there := region(t, "There", [][]land.Position{square(1, 1, 2, 2)})
	raw := func(name string, polygons ...[][]land.Position) []land.Region {
		return []land.Region{{Name: name, Polygons: polygons}}
	}
	sea := gr
	sea.Outside = make([]bool, 16)
	sea.Outside[12] = true // the lower left cell, a quarter of Here
	refusals(t, []refused{
		{"polygons: grid: 0 rows", &Polygons{Regions: one}},
		{"polygons without Regions", &Polygons{Grid: gr}},
		{"polygons with 3 Weights on 4×4 cells", &Polygons{Grid: gr, Regions: one, Weights: make([]float64, 3)}},
		{"a share of 1.5 must be in the domain", &Polygons{Grid: gr, Regions: one, Least: 1.5}},
		{"a share of NaN", &Polygons{Grid: gr, Regions: one, Least: nan}},
		{`region 0: region "x" has no polygons`, &Polygons{Grid: gr, Regions: []land.Region{{Name: "x"}}}},
		{"region 1 (Away) has 50% of its area beyond the grid and 0% in cells outside of the domain",
			&Polygons{Grid: gr, Regions: append(one, away)}},
		{"region 0 (Here) has 0% of its area beyond the grid and 25% in cells outside of the domain",
			&Polygons{Grid: sea, Regions: one}},
		{"region 0 (Far) has 100% of its area beyond the grid", &Polygons{Grid: gr, Regions: []land.Region{far}}},
		{"region 0: region \"Line\": its polygons have no area", &Polygons{Grid: gr, Regions: raw("Line",
			[][]land.Position{closed(at(0, 0), at(1, 1), at(2, 2))})}},
		{"region 0: region \"Twice\": its polygons overlap", &Polygons{Grid: gr, Regions: raw("Twice",
			[][]land.Position{square(0, 0, 2, 2)}, [][]land.Position{square(0, 0, 2, 2)})}},
		{"region 0: region \"Bow\": its polygons overlap, its rings cross", &Polygons{Grid: gr,
			Regions: raw("Bow", [][]land.Position{closed(at(0, 0), at(3, 3), at(3, 0), at(0, 2))})}},
		{"2 of 3 regions have less than 99% of their area in cells of the domain: region 0 (Away) has 50% of its " +
			"area beyond the grid and 0% in cells outside of the domain, region 2 (Far) has 100% of its area",
			&Polygons{Grid: gr, Regions: []land.Region{away, one[0], far}}},
		{"region 9 (Away) has 50% of its area beyond the grid and 0% in cells outside of the domain, and 3 more; " +
			"take a larger grid, or finer cells", &Polygons{Grid: gr, Regions: slices.Repeat([]land.Region{away}, 13)}},
		{"the weights of region 0 (Here), region 1 (There) add up to 0; leave out areas", &Polygons{Grid: gr,
			Regions: []land.Region{one[0], there}, Weights: make([]float64, 16)}},
		{"region 0 (Here): cell 8 has the weight NaN",
			&Polygons{Grid: gr, Regions: one, Weights: []float64{8: nan, 15: 1}}},
		{"the weights of region 0 (Here) add up to 0", &Polygons{Grid: gr, Regions: one, Weights: make([]float64, 16)}},
	})
	// What the domain lacks can be accepted, and means are then those of the rest.
	op := &Polygons{Grid: sea, Regions: one, Least: 0.7, Mean: true}
	near(t, "mean of what is inside", product(op, ones(16))[0], 1)
}

// The parts of a region on both sides of the date line are all on a map across it.
func TestPolygonsAcrossTheDateLine(t *testing.T) {
	box := func(west, south, east, north float64) [][]land.Position {
		return [][]land.Position{{{Lon: west, Lat: south}, {Lon: east, Lat: south}, {Lon: east, Lat: north},
			{Lon: west, Lat: north}, {Lon: west, Lat: south}}}
	}
	fiji := must.Get(land.NewRegion("Fiji",
		[][][]land.Position{box(177.5, -18, 180, -16), box(-180, -18, -178, -16)}))(t)
	grid := grid.Grid{Rows: 4, Cols: 8, X: grid.Axis{First: 176.5, Step: 1}, Y: grid.Axis{First: -15.5, Step: -1},
		Radius: 1}
	weights := slices.Repeat([]float64{1}, grid.Len())
	o := &Polygons{Grid: grid, Regions: []land.Region{fiji}, Weights: weights}
	must.Do(t, o.Check())
	got := make([]float64, grid.Len())
	o.Row(0, func(j int, w float64) { got[j] = w })
	for j, w := range got {
		r, c := grid.Cell(j)
		want := 0.0
		if r == 1 || r == 2 {
			want = []float64{0, 0.5, 1, 1, 1, 1, 0, 0}[c]
		}
		must.Absolute(t, fmt.Sprintf("cell (%d, %d) has the share", r, c), w, want, 1e-9)
	}
	grid.Radius = 0 // a plane, whose coordinates are no degrees
	plane := &Polygons{Grid: grid, Regions: []land.Region{fiji}, Weights: weights}
	must.Err(t, plane.Check(), "44.4% of its area beyond the grid")
}
