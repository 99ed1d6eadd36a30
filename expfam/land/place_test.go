package land_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// TestPlacesOfGeoJSON: points are read with their names, which may be alike, and their properties.
func TestPlacesOfGeoJSON(t *testing.T) {
	read := func(o land.GeoJSON, features string) ([]land.Place, error) {
		path := filepath.Join(t.TempDir(), "sites.geojson")
		must.Do(t, os.WriteFile(path, []byte(`{"type":"FeatureCollection","features":[`+features+`]}`), 0o600))
		return o.ReadPlaces(path)
	}
	feature := func(kind, at, name string) string {
		return fmt.Sprintf(`{"type":"Feature","properties":{"name":%q,"n":7},"geometry":{"type":%q,"coordinates":%s}}`,
			name, kind, at)
	}
	places := must.Get(read(land.GeoJSON{}, feature("Point", "[36.5,-1.25,1700]", "a")+","+
		feature("MultiPoint", "[[37,0]]", "a")))(t)
	must.Equal(t, places, []land.Place{
		{Name: "a", At: land.Position{Lon: 36.5, Lat: -1.25}, Properties: map[string]any{"name": "a", "n": 7.}},
		{Name: "a", At: land.Position{Lon: 37, Lat: 0}, Properties: map[string]any{"name": "a", "n": 7.}}})
	turned := must.Get(read(land.GeoJSON{Order: land.LatitudeFirst}, feature("Point", "[-1.25,36.5]", "a")))(t)
	must.Equal(t, turned[0].At, land.Position{Lon: 36.5, Lat: -1.25})
	for at, want := range map[string]string{
		feature("Point", "[500000,4e6]", "x"):                `feature 0: place "x" is at (500000, 4e+06)`,
		feature("Point", "[1,null]", "x"):                    "one of its coordinates is null",
		feature("Point", "[1]", "x"):                         "a place has a longitude and a latitude",
		feature("MultiPoint", "[[1,2],[3,4]]", "x"):          "it has 2 points",
		feature("Polygon", "["+square+"]", "x"):              "read regions by Read",
		`{"type":"Feature","properties":{},"geometry":null}`: "has no geometry",
		"": "there are no features",
	} {
		must.Refuse(read(land.GeoJSON{}, at))(t, want)
	}
}

// points is a .shp file of points.
func points(at ...[2]float64) []byte {
	b := make([]byte, 100)
	for i, p := range at {
		b = binary.BigEndian.AppendUint32(b, uint32(i+1))
		b = binary.BigEndian.AppendUint32(b, 10)
		b = binary.LittleEndian.AppendUint32(b, 1)
		for _, v := range p {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	binary.BigEndian.PutUint32(b, 9994)
	binary.BigEndian.PutUint32(b[24:], uint32(len(b)/2))
	return b
}

// TestPlacesOfShapefile: points are read, also in coordinates of a map.
func TestPlacesOfShapefile(t *testing.T) {
	table := dbf([]string{"West", "West"}, []string{"1", "2"})
	path := write(t, map[string][]byte{".shp": points([2]float64{36, -1}, [2]float64{37, 2}), ".dbf": table,
		".prj": []byte(wgs84)})
	places := must.Get(land.Shapefile{Name: "NAME_1"}.ReadPlaces(path))(t)
	must.Equal(t, []land.Position{places[0].At, places[1].At}, []land.Position{{Lon: 36, Lat: -1}, {Lon: 37, Lat: 2}})
	must.Equal(t, places[1].Name, "West")
	utm := geodesy.UTM(37, false)
	x, y := utm.Project(39.25, -6.75)
	path = write(t, map[string][]byte{".shp": points([2]float64{x, y}), ".dbf": dbf([]string{"A"}, []string{"1"})})
	places = must.Get(land.Shapefile{From: utm}.ReadPlaces(path))(t)
	must.Absolute(t, "lon", places[0].At.Lon, 39.25, 1e-9)
	must.Absolute(t, "lat", places[0].At.Lat, -6.75, 1e-9)
	must.Refuse(land.Shapefile{}.Read(path))(t, "that names the coordinates is missing")
	must.Refuse(land.Shapefile{WGS84: true}.ReadPlaces(path))(t, `place "A" is at`)
	must.Refuse(land.Shapefile{WGS84: true}.Read(path))(t, "read points by ReadPlaces")
}
