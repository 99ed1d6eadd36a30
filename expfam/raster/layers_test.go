package raster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// atlas is two layers on a grid with a cell outside, a missing value, and numbers that single precision rounds.
func atlas(x, y grid.Axis, radius float64) Layers {
	g := grid.Grid{Rows: 3, Cols: 4, X: x, Y: y, Radius: radius, Outside: make([]bool, 12)}
	g.Outside[5] = true
	l := Layers{Grid: g, Layers: []Layer{{"median", make([]float64, 12)}, {`a "sd" <&,`, make([]float64, 12)}}}
	for j := range 12 {
		l.Layers[0].Values[j], l.Layers[1].Values[j] = float64(j)/7, -1e30*float64(j)
	}
	l.Layers[0].Values[5] = math.Inf(1) // outside: nobody's business
	l.Layers[1].Values[2] = math.NaN()
	return l
}

func TestGeoTIFFRoundTrip(t *testing.T) {
	for name, l := range map[string]Layers{
		"north on top": atlas(grid.Axis{First: -17.3, Step: 0.7}, grid.Axis{First: 36.6, Step: -0.3},
			grid.EarthRadius),
		"both reversed":   atlas(grid.Axis{First: 40, Step: -2}, grid.Axis{First: -30, Step: 1.5}, grid.EarthRadius),
		"a plane":         atlas(grid.Axis{First: 1e6, Step: 500}, grid.Axis{First: 2e6, Step: -250}, 0),
		"an image's axes": atlas(grid.Axis{}, grid.Axis{}, 0),
	} {
		path := filepath.Join(t.TempDir(), "a.tif")
		must.Do(t, l.GeoTIFF(path), name)
		for band, layer := range l.Layers {
			f := must.Get(GeoTIFF{Band: band + 1}.Read(path))(t, name)
			must.Equal(t, f.Grid.Radius, l.Grid.Radius, name, "radius")
			for j := range l.Grid.Len() {
				x, y := l.Grid.Centre(j)
				i, ok := f.Grid.Locate(x, y)
				must.Need(t, ok, "%s: cell %d is not on the grid that was read", name, j)
				// The corner is rounded once, the centre again.
				if u, v := f.Grid.Centre(i); math.Abs(u-x)+math.Abs(v-y) > 1e-14*(math.Abs(x)+math.Abs(y)+1) {
					t.Errorf("%s: cell %d is at (%v, %v), want (%v, %v)", name, j, u, v, x, y)
				}
				want := float64(float32(layer.Values[j]))
				if missing := !l.Grid.Inside(j) || math.IsNaN(want); missing {
					must.Be(t, !f.Grid.Inside(i), "%s: layer %d, cell %d is inside", name, band, j)
				} else if f.Values[i] != want || !f.Grid.Inside(i) {
					t.Errorf("%s: layer %d, cell %d is %g, want %g", name, band, j, f.Values[i], want)
				}
			}
		}
	}
	// Many strips, and one band, whose file has no tag of further samples.
	large := Layers{Grid: grid.Grid{Rows: 300, Cols: 200}, Layers: []Layer{{"j", make([]float64, 60000)}}}
	for j := range large.Layers[0].Values {
		large.Layers[0].Values[j] = float64(j)
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	must.Do(t, large.GeoTIFF(path))
	f := must.Get(GeoTIFF{}.Read(path))(t)
	for j, v := range f.Values {
		must.Need(t, v == float64(j), "cell %d is %g", j, v)
	}
}

func TestGeoJSON(t *testing.T) {
	for name, l := range map[string]Layers{
		"north on top": atlas(grid.Axis{First: -17.5, Step: 0.5}, grid.Axis{First: 36.5, Step: -0.25},
			grid.EarthRadius),
		"both reversed": atlas(grid.Axis{First: 40, Step: -2}, grid.Axis{First: -30, Step: 1.5}, grid.EarthRadius),
		"a pole":        atlas(grid.Axis{First: 0, Step: 10}, grid.Axis{First: 90, Step: -1}, grid.EarthRadius),
	} {
		path := filepath.Join(t.TempDir(), "a.geojson")
		must.Do(t, l.GeoJSON(path), name)
		data := must.Get(os.ReadFile(path))(t)
		var got struct {
			Type     string
			Features []struct {
				Type     string
				Geometry struct {
					Type        string
					Coordinates [][][2]float64
				}
				Properties map[string]*float64
			}
		}
		must.Do(t, json.Unmarshal(data, &got))
		must.Need(t, got.Type == "FeatureCollection" && len(got.Features) == 11,
			"%s: %s of %d", name, got.Type, len(got.Features))
		areas := l.Grid.Areas()
		for _, f := range got.Features {
			p := f.Properties
			j := int(*p["cell"])
			must.Be(t, f.Type == "Feature" && f.Geometry.Type == "Polygon" && len(p) == 4 && *p["area"] == areas[j] &&
				*p["median"] == l.Layers[0].Values[j],
				"%s: %+v", name, f)
			if sd := p[`a "sd" <&,`]; j == 2 && sd != nil || j != 2 && *sd != l.Layers[1].Values[j] {
				t.Errorf("%s: cell %d has sd %v", name, j, sd)
			}
			ring := f.Geometry.Coordinates[0]
			must.Need(t, len(ring) == 5 && ring[0] == ring[4], "%s: ring %v", name, ring)
			// The shoelace formula: counter-clockwise is positive.
			area, x, y := 0.0, 0.0, 0.0
			for i := range 4 {
				area += (ring[i][0]*ring[i+1][1] - ring[i+1][0]*ring[i][1]) / 2
				x, y = x+ring[i][0]/4, y+ring[i][1]/4
			}
			ax, ay := l.Grid.Axes()
			want := math.Abs(ax.Step * ay.Step)
			if name == "a pole" && j < 4 {
				want /= 2 // the half beyond the pole is cut
			}
			must.Absolute(t, fmt.Sprintf("%s: cell %d", name, j), area, want, 1e-9)
			i, ok := l.Grid.Locate(x, y)
			must.Be(t, ok && i == j, "%s: cell %d lies around (%g, %g)", name, j, x, y)
		}
	}
	projected := atlas(grid.Axis{First: 100, Step: 50}, grid.Axis{First: 0, Step: -50}, 0)
	must.Says(t, "projected", projected.GeoJSON(filepath.Join(t.TempDir(), "a")), "Layers.LonLat")
	projected.LonLat = func(x, y float64) (float64, float64) { return x / 111, y / 111 }
	path := filepath.Join(t.TempDir(), "a.geojson")
	must.Do(t, projected.GeoJSON(path))
	data, _ := os.ReadFile(path)
	corner := fmt.Sprintf("[[%s,%s],", digits(75.0/111), digits(-25.0/111))
	must.Be(t, bytes.Contains(data, []byte(corner)), "no polygon begins at %s", corner)
}

func TestLayersCSVRoundTrip(t *testing.T) {
	l := atlas(grid.Axis{First: -17.3, Step: 0.7}, grid.Axis{First: 36.6, Step: -0.3}, grid.EarthRadius)
	path := filepath.Join(t.TempDir(), "a.csv")
	must.Do(t, l.CSV(path))
	for column, want := range map[string][]float64{"median": l.Layers[0].Values, "area": l.Grid.Areas()} {
		points := must.Get(PointsCSV{X: "longitude", Y: "latitude", Weight: column}.Read(path))(t)
		counts, err := l.Grid.Count(points)
		must.Need(t, err == nil && counts.Counted == 11, "%v %v", counts, err)
		for j, v := range counts.Values {
			must.Be(t, !l.Grid.Inside(j) || v == want[j], "%s of cell %d is %v, want %v", column, j, v, want[j])
		}
	}
	data, _ := os.ReadFile(path)
	lines := strings.Split(string(data), "\n")
	want := `longitude,latitude,area,median,"a ""sd"" <&,"`
	must.Be(t, lines[0] == want && strings.HasSuffix(lines[3], ","), "header %s, third cell %s", lines[0], lines[3])
}

func TestLayersRefuse(t *testing.T) {
	ok := atlas(grid.Axis{}, grid.Axis{}, 1)
	with := func(change func(l *Layers)) Layers {
		l := atlas(grid.Axis{}, grid.Axis{}, 1)
		change(&l)
		return l
	}
	path := filepath.Join(t.TempDir(), "a")
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"none":    {Layers{Grid: ok.Grid}.CSV(path), "no layers"},
		"no grid": {Layers{}.GeoTIFF(path), "0 rows"},
		"twice": {with(func(l *Layers) { l.Layers[1].Name = "Median" }).GeoTIFF(path),
			`layer 1 has the name "Median"`},
		"unnamed": {with(func(l *Layers) { l.Layers[0].Name = " " }).GeoJSON(path), `layer 0 has the name " "`},
		"taken":   {with(func(l *Layers) { l.Layers[0].Name = "area" }).CSV(path), `"area"`},
		"short": {with(func(l *Layers) { l.Layers[0].Values = nil }).CSV(path),
			`"median" has 0 values, the grid 12`},
		"infinite": {with(func(l *Layers) { l.Layers[0].Values[3] = math.Inf(-1) }).CSV(path), "cell 3 is -Inf"},
		"too large": {with(func(l *Layers) { l.Layers[0].Values[3] = 1e39 }).GeoTIFF(path),
			"cell 3 is 1e+39; single precision"},
		"folded": {with(func(l *Layers) { l.LonLat = func(x, y float64) (float64, float64) { return -x, y } }).
			GeoJSON(path), "cell 0 reaches"},
	} {
		must.Says(t, name, c.err, c.says)
	}
	must.Refuse(os.Stat(path))(t)
}
