package land_test

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// flat returns the area of a region in its own coordinates, by the shoelace formula.
func flat(r land.Region) (sum float64) {
	for _, polygon := range r.Polygons {
		for k, ring := range polygon {
			var area float64
			for i := 1; i < len(ring); i++ {
				area += ring[i-1].Lon*ring[i].Lat - ring[i].Lon*ring[i-1].Lat
			}
			if area = math.Abs(area) / 2; k > 0 {
				area = -area
			}
			sum += area
		}
	}
	return sum
}

// TestRepair: what lies within an odd number of rings is kept, in rings that are right.
func TestRepair(t *testing.T) {
	type rings = [][]land.Position
	for name, c := range map[string]struct {
		polygons []rings
		area     float64
		parts    int
	}{
		"whole":   {[]rings{{{{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}}}}, 4, 1},
		"bow tie": {[]rings{{{{0, 0}, {2, 2}, {2, 0}, {0, 2}, {0, 0}}}}, 2, 2},
		"thrice": {[]rings{
			{{{0, 0}, {6, 0}, {6, 3}, {5, -3}, {3, 3}, {1, -3}, {0, 3}, {0, 0}}}}, 9, 5}, // as shapely 2.1 has it
		"spike": {[]rings{{{{0, 0}, {2, 0}, {2, 1}, {5, 1}, {2, 1}, {2, 2}, {0, 2}, {0, 0}}}}, 4, 1},
		"overlap": {[]rings{
			{{{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}}}, {{{1, 1}, {3, 1}, {3, 3}, {1, 3}, {1, 1}}}}, 6, 2},
		"shared border": {[]rings{
			{{{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}}}, {{{2, 1}, {4, 1}, {4, 3}, {2, 3}, {2, 1}}}}, 8, 2},
		"hole outside": {[]rings{
			{{{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}}, {{3, 0}, {4, 0}, {4, 1}, {3, 1}, {3, 0}}}}, 5, 2},
		"hole touching": {[]rings{
			{{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}, {{0, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 0}}}}, 14, 1},
		"figure of 8 in a hole": {[]rings{{{{0, 0}, {9, 0}, {9, 9}, {0, 9}, {0, 0}}, {{1, 1}, {5, 5}, {5, 1}, {1, 5},
			{1, 1}}}}, 73, 1},
	} {
		r := must.Get(land.Repair(name, c.polygons))(t)
		must.Absolute(t, name, flat(r), c.area, 1e-12)
		if c.parts > 0 {
			must.Equal(t, len(r.Polygons), c.parts, name, "parts")
		}
		must.Get(land.NewRegion(name, r.Polygons))(t)
		for i := range 900 { // the even-odd rule of the rings as they were
			p := land.Position{Lon: float64(i%30)/3 - 0.51, Lat: float64(i/30)/3 - 0.52}
			want := (land.Region{Polygons: c.polygons}).Contains(p)
			must.Be(t, r.Contains(p) == want, "%s: %v is inside: %v, want %v", name, p, !want, want)
		}
	}
	must.Refuse(land.Repair("line", []rings{{{{0, 0}, {1, 1}, {2, 2}, {0, 0}}}}))(t, "land: region \"line\"")
	square := rings{{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}}
	must.Refuse(land.Repair("twice", []rings{square, square}))(t, "no place lies within an odd number of its rings")
}
