package geodesy

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// reference has longitude, latitude and the two coordinates of PROJ; testdata/reference.py has made it.
func reference(t *testing.T) (r struct{ Projections, Shifts map[string][][4]float64 }) {
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/reference.json"))(t), &r))
	return r
}

// TestProjections: coordinates are those of PROJ, to its last digit of a micrometre, up to 21 degrees from the
// meridian, and turn back into the same longitude and latitude.
func TestProjections(t *testing.T) {
	systems := map[string]System{"UTM 18 north": UTM(18, true), "UTM 60 south": UTM(60, false),
		"web Mercator": WebMercator{},
		"North Carolina": Lambert{Ellipsoid: GRS80, South: 36.1666666666666, North: 34.3333333333333, Meridian: -79,
			Origin: 33.75, FalseEast: 609601.22},
		"one parallel": Lambert{Ellipsoid: Clarke1866, South: 46.5, North: 46.5, Meridian: 3, Origin: 46.5,
			Scale: 0.9998, FalseEast: 7e5, FalseNorth: 6.6e6},
		"southern cone": Lambert{Ellipsoid: GRS80, South: -36, North: -38, Meridian: 145, Origin: -37,
			FalseEast: 2.5e6, FalseNorth: 2.5e6},
		"conterminous United States": Albers{Ellipsoid: GRS80, South: 29.5, North: 45.5, Meridian: -96, Origin: 23},
		"Australia":                  Albers{Ellipsoid: GRS80, South: -18, North: -36, Meridian: 132},
		"National Grid":              BritishGrid.of}
	for name, system := range systems {
		for _, lat := range []float64{-90.1, 95, math.Inf(1)} {
			x, y := system.Project(0, lat)
			must.Be(t, math.IsNaN(y), "%s of latitude %g: %g, %g", name, lat, x, y)
		}
	}
	for name, places := range reference(t).Projections {
		for _, c := range places {
			at := fmt.Sprintf("%s of %g, %g: ", name, c[0], c[1])
			x, y := systems[name].Project(c[0], c[1])
			// Metres. Far from the meridian, PROJ's series and this one are cut at the same order but summed otherwise.
			must.Absolute(t, at+"x", x, c[2], 2e-6)
			must.Absolute(t, at+"y", y, c[3], 2e-6)
			lon, lat := systems[name].LonLat(x, y)
			must.Absolute(t, at+"longitude", lon, c[0], 1e-10)
			must.Absolute(t, at+"latitude", lat, c[1], 1e-10)
		}
	}
}

// TestDatum: the shift is that of PROJ with the same numbers, and is taken back.
func TestDatum(t *testing.T) {
	for name, places := range reference(t).Shifts {
		d := map[string]Datum{"NAD27": NAD27, "OSGB36": OSGB36}[name]
		for _, c := range places {
			lon, lat := d.LonLat(c[0], c[1])
			must.Absolute(t, name+": longitude", lon, c[2], 1e-11)
			must.Absolute(t, name+": latitude", lat, c[3], 1e-11)
			// The heights of some 50 m are left out in both directions, which moves a place by some millimetres.
			lon, lat = d.Project(lon, lat)
			must.Absolute(t, name+": longitude back", lon, c[0], 5e-8)
			must.Absolute(t, name+": latitude back", lat, c[1], 5e-8)
		}
	}
	x, y := BritishGrid.Project(-2, 53)
	lon, lat := BritishGrid.LonLat(x, y)
	must.Absolute(t, "longitude by the grid", lon, -2, 5e-8)
	must.Absolute(t, "latitude by the grid", lat, 53, 5e-8)
}

// TestZones: a zone that does not exist gives no coordinates.
func TestZones(t *testing.T) {
	for _, zone := range []int{-1, 0, 61} {
		x, y := UTM(zone, true).Project(3, 50)
		must.Be(t, math.IsNaN(x), "zone %d: %g, %g, want NaN", zone, x, y)
	}
}

// TestNumbersOfText: numbers of well-known text are finite.
func TestNumbersOfText(t *testing.T) {
	n := must.Get(parseWKT(`SPHEROID["x",6378137,NaN,inf,1e999,"7"]`))(t)
	for i, want := range []bool{false, true, false, false, false, true, false} {
		_, ok := n.number(i)
		must.Equal(t, ok, want, i)
	}
}
