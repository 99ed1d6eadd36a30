package land_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/expfam/lab/expfam/land"
)

// A map of districts of one's own, and what is around it.
func ExampleFrame_districts() {
	dir, err := os.MkdirTemp("", "land")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "districts.geojson")
	const text = `{"type": "FeatureCollection", "features": [
		{"type": "Feature", "properties": {"name": "West"}, "geometry": {"type": "Polygon", "coordinates": [[[36, -1], [37, -1], [37, 0], [36, 0], [36, -1]]]}},
		{"type": "Feature", "properties": {"name": "East"}, "geometry": {"type": "Polygon", "coordinates": [[[37, -1], [38, -1], [38, 0], [37, 0], [37, -1]]]}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	districts, err := land.GeoJSON{}.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := land.Frame{Regions: districts, Rows: 2, Cols: 4}.Map()
	fmt.Println(m.Country, err)
	fmt.Println(m)
	fmt.Printf("%s has %.0f km²; north of it is %s\n", districts[0], districts[0].AreaKm2(),
		m.Elsewhere(land.Position{Lon: 36.5, Lat: 0.5}))
	// Output:
	// [0 0 1 1 0 0 1 1] <nil>
	// 2 × 4 cells of 0.5° by 0.5°, lon-lat; 8 on land, 3091 to 3091 km² each, 24727 km² in all; 0 in lakes
	// West has 12364 km²; north of it is Kenya
}
