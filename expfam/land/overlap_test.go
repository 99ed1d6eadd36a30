package land_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

func positions(p ...float64) (ring []land.Position) {
	for i := 0; i < len(p); i += 2 {
		ring = append(ring, land.Position{Lon: p[i], Lat: p[i+1]})
	}
	return append(ring, ring[0])
}

func square1(west, south, east, north float64) []land.Position {
	return positions(west, south, east, south, east, north, west, north)
}

func TestOverlap(t *testing.T) {
	type polygon = [][]land.Position
	circle := func(lon, lat, radius float64, n int) (ring []land.Position) {
		for i := range n {
			a := 2 * math.Pi * (float64(i) + 0.3) / float64(n)
			ring = append(ring, land.Position{Lon: lon + radius*math.Cos(a), Lat: lat + radius*math.Sin(a)})
		}
		return append(ring, ring[0])
	}
	outer := square1(0, 0, 4, 4)
	for _, c := range []struct {
		name     string
		polygons []polygon
		refused  bool
	}{
		{"two buffers", []polygon{{square1(36, 0, 40, 4)}, {square1(38, 0, 42, 4)}}, true},
		{"round buffers", []polygon{{circle(0, 0, 1, 64)}, {circle(1.5, 0.2, 1, 64)}}, true},
		{"round buffers of many corners", []polygon{{circle(0, 0, 1, 9000)}, {circle(1.9, 0.2, 1, 9000)}}, true},
		{"a doubled part", []polygon{{outer}, {square1(10, 0, 14, 4)}, {outer}}, true},
		{"a part within a part", []polygon{{outer}, {square1(1, 1, 2, 2)}}, true},
		{"a corner in a part", []polygon{{outer}, {positions(3.9, 3.9, 6, 4, 6, 6)}}, true},
		{"a bow-tie", []polygon{{positions(0, 0, 2, 2, 2, 0, 0, 2)}}, true},
		{"a bow-tie, unequal", []polygon{{positions(0, 0, 3, 3, 3, 0, 0, 2)}}, true},
		{"a bow-tie near the top", []polygon{{positions(0, 0, 2, 3, 1, 3, 3, 0)}}, true},
		{"a star that crosses itself", []polygon{{positions(0, 3, 2, -3, -3, 1, 3, 1, -2, -3)}}, true},
		{"a loop", []polygon{{positions(0, 0, 4, 0, 4, 4, 2, 4, 2, 1, 3, 1, 3, 3, 1, 3, 1, 4, 0, 4)}}, true},
		{"a ring walked twice", []polygon{{append(append([]land.Position{}, outer...), outer[1:]...)}}, true},
		{"a hole outside", []polygon{{outer, square1(6, 1, 7, 2)}}, true},
		{"a hole across the outline", []polygon{{outer, square1(3, 1, 5, 2)}}, true},
		{"a doubled hole", []polygon{{outer, square1(1, 1, 2, 2), square1(1, 1, 2, 2)}}, true},
		{"a hole in a hole", []polygon{{outer, square1(1, 1, 3, 3), square1(1.5, 1.5, 2, 2)}}, true},
		{"nothing but a line", []polygon{{positions(0, 0, 1, 1, 2, 2)}}, true},

		{"one", []polygon{{outer}}, false},
		{"clockwise", []polygon{{positions(0, 0, 0, 4, 4, 4, 4, 0)}}, false},
		{"parts that share an edge", []polygon{{outer}, {square1(4, 1, 6, 3)}}, false},
		{"parts that share a corner", []polygon{{outer}, {square1(4, 4, 6, 6)}}, false},
		{"a hole and an island in it", []polygon{{outer, square1(1, 1, 3, 3)}, {square1(1.5, 1.5, 2, 2)}}, false},
		{"a hole that an island fills", []polygon{{outer, square1(1, 1, 3, 3)}, {square1(1, 1, 3, 3)}}, false},
		{"a hole that touches the outline", []polygon{{outer, positions(0, 2, 1, 1, 2, 2, 1, 3)}}, false},
		{"a spike without area", []polygon{{positions(0, 0, 4, 0, 4, 4, 5, 5, 4, 4, 0, 4)}}, false},
		{"a point twice", []polygon{{positions(0, 0, 4, 0, 4, 0, 4, 4, 0, 4)}}, false},
		{"a sliver", []polygon{{outer}, {square1(3.9999999, 1, 6, 3)}}, false},
		{"coordinates in metres", []polygon{{square1(5e5, 1e6, 6e5, 2e6)}, {square1(6e5, 1e6, 7e5, 2e6)}}, false},
		{"many corners", []polygon{{circle(0, 0, 1, 30000), circle(0, 0, 0.5, 30000)}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			region := land.Region{Name: "here", Polygons: c.polygons}
			_, err := land.NewRegion("here", c.polygons)
			_, onMap := land.Frame{Regions: []land.Region{region}, Rows: 4}.Map()
			if (err != nil) != c.refused || strings.HasPrefix(c.name, "coord") == false && (onMap != nil) != c.refused {
				t.Errorf("errors %v and %v on a map", err, onMap)
			}
			must.Be(t, !c.refused || strings.Contains(err.Error(), `land: region "here": its polygons`), "%v", err)
		})
	}
	_, err := land.NewRegion("two buffers", []polygon{{square1(36, 0, 40, 4)}, {square1(38, 0, 42, 4)}})
	if want := `its rings cross themselves, or holes are outside, as at (39, 2), in 33% of its area; ` +
		`set Repair`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	// The map that ships has none, nor have the rings that a shapefile nests.
	for _, r := range append(land.Countries(), land.Lakes()...) {
		must.Get(land.NewRegion(r.Name, r.Polygons))(t)
	}
	files := map[string][]byte{".shp": shp(5, []ring{box(0, 0, 4, 4, true), box(2, 0, 6, 4, true)}),
		".dbf": dbf([]string{"A"}, []string{"1"}), ".prj": []byte(wgs84)}
	must.Refuse((land.Shapefile{}).Read(write(t, files)))(t, `shape 0: region "A": its polygons overlap`)
}

// The areas of random regions that they cover once and several times are those that Shapely finds; see
// testdata/overlap.py.
func TestOverlapsAgainstShapely(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/overlap.json"))(t)
	var rows []struct {
		Polygons    [][][][2]float64
		Once, Wrong float64
	}
	err := json.Unmarshal(text, &rows)
	must.Need(t, err == nil && len(rows) == 40, "%v %v", len(rows), err)
	for i, row := range rows {
		r := land.Region{Name: "r"}
		for _, p := range row.Polygons {
			var polygon [][]land.Position
			for _, ring := range p {
				var positions []land.Position
				for _, at := range ring {
					positions = append(positions, land.Position{Lon: at[0], Lat: at[1]})
				}
				polygon = append(polygon, positions)
			}
			r.Polygons = append(r.Polygons, polygon)
		}
		once, wrong := land.Overlaps(r)
		must.Be(t, math.Abs(once-row.Once) <= 1e-9 && math.Abs(wrong-row.Wrong) <= 1e-9,
			"region %d: %.9g once and %.9g otherwise, want %.9g and %.9g", i, once, wrong, row.Once, row.Wrong)
		if _, err := land.NewRegion("r", r.Polygons); (err != nil) != (row.Wrong > 1e-9) {
			t.Errorf("region %d, of which %g is covered twice: error %v", i, row.Wrong, err)
		}
	}
}
