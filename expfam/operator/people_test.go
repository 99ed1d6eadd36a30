package operator

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/internal/must"
)

// Districts of which the first two have edges on whole degrees, and the others do not.
const provinces = `{"type": "FeatureCollection", "features": [
{"type": "Feature", "properties": {"name": "coast"}, "geometry": {"type": "Polygon",
	"coordinates": [[[30,-2],[33,-2],[33,0],[31,0],[31,2],[30,2],[30,-2]]]}},
{"type": "Feature", "properties": {"name": "plain"}, "geometry": {"type": "Polygon",
	"coordinates": [[[33,-2],[36,-2],[36,2],[31,2],[31,0],[33,0],[33,-2]]]}},
{"type": "Feature", "properties": {"name": "hills"}, "geometry": {"type": "Polygon",
	"coordinates": [[[30.13,-1.71],[34.42,-0.93],[33.07,1.38],[30.61,1.02],[30.13,-1.71]],
[[31.5,-0.5],[31.5,0.37],[32.21,0.11],[31.5,-0.5]]]}},
{"type": "Feature", "properties": {"name": "isles"}, "geometry": {"type": "MultiPolygon",
	"coordinates": [[[[34.5,0.21],[35.9,0.33],[35.2,1.77],[34.5,0.21]]],
[[[35.01,-1.9],[35.64,-1.02],[34.87,-1.11],[35.01,-1.9]]]]}}]}`

// settlement is a raster of people with cells of a size in degrees, of which some have no value.
func settlement(size float64) grid.Field {
	f := grid.Field{Grid: grid.Grid{Rows: int(math.Round(4 / size)), Cols: int(math.Round(6 / size)),
		Radius: grid.EarthRadius}, Counts: true}
	f.Grid.X, f.Grid.Y = grid.Axis{First: 30 + size/2, Step: size}, grid.Axis{First: 2 - size/2, Step: -size}
	for j := range f.Grid.Len() {
		r, c := f.Grid.Cell(j)
		v := float64((7*r + 13*c + r*c) % 101 * ((r*r+3*c)%7 + 1))
		if (r+2*c)%17 == 0 {
			v = math.NaN()
		}
		f.Values = append(f.Values, v)
	}
	return f
}

// The people of districts are those of other programs: by shares of area on the raster's own cells, at three
// resolutions, and by cells of a map of three resolutions where the districts follow them. The numbers are of
// testdata/people.py. With EXPFAM_TEST_PYTHON the script runs again, on rasters of more resolutions.
func TestPeopleOfDistricts(t *testing.T) {
	folder := t.TempDir()
	outlines := filepath.Join(folder, "districts.geojson")
	must.Do(t, os.WriteFile(outlines, []byte(provinces), 0o600))
	districts := must.Get(land.GeoJSON{}.Read(outlines))(t)
	want := map[float64]zonal{
		0.5:  {[]float64{5101, 12607, 6387.728649886301, 1230.6344240711112}, []float64{5101, 12607, 5940, 1065}},
		0.25: {[]float64{23686, 46540, 24994.142141308206, 4332.105488506134}, []float64{23686, 46540, 24455, 4920}},
		0.1: {[]float64{144998, 309677, 154267.2130308755, 25924.620729397528},
			[]float64{144998, 309677, 154956, 25965}},
	}
	python, sizes := os.Getenv("EXPFAM_TEST_PYTHON"), []float64{0.5, 0.25, 0.1}
	if python != "" {
		want, sizes = map[float64]zonal{}, append(sizes, 0.2, 0.05)
	}
	for _, size := range sizes {
		field := settlement(size)
		path := filepath.Join(folder, fmt.Sprintf("ppp_%g.tif", size))
		layer := raster.Layers{Grid: field.Grid, Layers: []raster.Layer{{Name: "people", Values: field.Values}}}
		must.Do(t, layer.GeoTIFF(path))
		back, err := raster.GeoTIFF{}.Read(path)
		must.Need(t, err == nil && back.Counts && back.Sum() == field.Sum(),
			"%v comes back as %v, %v", field, back, err)
		of, known := want[size]
		if !known {
			of = must.Get(zonalSums(python, path, outlines))(t)
			t.Logf("%g: %+v", size, of)
		}
		sums := func(g grid.Grid) []float64 {
			t.Helper()
			people := must.Get(back.SumOnto(g, nil))(t)
			return product(&Polygons{Grid: g, Regions: districts, Weights: people}, ones(g.Len()))
		}
		check := func(name string, got, want []float64) {
			t.Helper()
			for k, v := range got {
				if !(math.Abs(v/want[k]-1) < 1e-6) {
					t.Errorf("%s: %s has %.9g people, want %.9g", name, districts[k].Name, v, want[k])
				}
			}
		}
		own := field.Grid
		check(fmt.Sprintf("cells of %g°", size), sums(own), of.Exact)
		for _, cell := range []float64{1, 0.5, 0.2} {
			g := settlement(cell).Grid
			check(fmt.Sprintf("cells of %g° on a map of %g°", size, cell), sums(g)[:2], of.Exact[:2])
			check(fmt.Sprintf("centres of %g° on a map of %g°", size, cell), sums(g)[:2], of.Centre[:2])
		}
	}
}

// zonal has the sums of testdata/people.py, of every district.
type zonal struct{ Exact, Centre []float64 }

func zonalSums(python, raster, districts string) (z zonal, err error) {
	out, err := exec.Command(python, "testdata/people.py", raster, districts).Output()
	if err == nil {
		err = json.Unmarshal(out, &z)
	}
	return z, err
}
