package land_test

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// TestFrom: a shapefile of UTM or of another datum is read if its coordinates are named, and refused if they are not.
func TestFrom(t *testing.T) {
	x, y := geodesy.UTM(18, true).Project(-75.9, 42.1)
	path := write(t, map[string][]byte{".shp": shp(5, []ring{box(x, y, x+1000, y+1000, true)}),
		".dbf": dbf([]string{"tract"}, []string{"12"}), ".prj": []byte(`PROJCS["WGS_1984_UTM_Zone_18N"]`)})
	must.Refuse(land.Shapefile{}.Read(path))(t, "WGS_1984_UTM_Zone_18N", "name them by From")
	region := must.Get(land.Shapefile{From: geodesy.UTM(18, true)}.Read(path))(t)[0]
	must.Absolute(t, "west", region.Box().West, -75.9, 1e-3)
	must.Absolute(t, "south", region.Box().South, 42.1, 1e-3)
	// A square of a kilometre, measured on the sphere instead of the ellipsoid.
	must.Absolute(t, "km²", region.AreaKm2(), 1, 5e-3)
}

// TestDeclared: what the .prj says is read without a From, and a From that it contradicts is refused.
func TestDeclared(t *testing.T) {
	prj := func(name, datum, more string) []byte {
		return []byte(`GEOGCS["` + name + `",DATUM["` + datum + `",SPHEROID["GRS_1980",6378137.0,298.257222101]],` +
			`PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]` + more + `]`)
	}
	utm := func(zone string, meridian, north string) []byte {
		return []byte(`PROJCS["` + zone + `",` + string(prj("GCS_SIRGAS_2000", "D_SIRGAS_2000", "")) +
			`,PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",` + north +
			`],PARAMETER["Central_Meridian",` + meridian + `],PARAMETER["Scale_Factor",0.9996],` +
			`PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]`)
	}
	read := func(prj []byte, x, y float64, o land.Shapefile) ([]land.Region, error) {
		size := 1000.0
		if x < 360 {
			size = 0.01
		}
		return o.Read(write(t, map[string][]byte{".shp": shp(5, []ring{box(x, y, x+size, y+size, true)}),
			".dbf": dbf([]string{"A"}, []string{"1"}), ".prj": prj}))
	}
	for datum, want := range map[string]string{"D_North_American_1983": "NAD83", "D_ETRS_1989": "ETRS89",
		"D_SIRGAS_2000": "SIRGAS 2000", "GDA2020": "GDA2020", "D_Hartebeesthoek_1994": "Hartebeesthoek94",
		"D_WGS_1984": ""} {
		r := must.Get(read(prj("GCS", datum, ""), 30, -2, land.Shapefile{}))(t, datum)[0]
		must.Be(t, r.Datum == want && r.Box().West == 30, "%s: %q at %v", datum, r.Datum, r.Box())
		m := must.Get(land.Frame{Regions: []land.Region{r}, Rows: 4}.Map())(t)
		must.Be(t, strings.Contains(m.String(), "are read as WGS 84") == (want != ""), "%v", m)
	}
	x, y := geodesy.UTM(23, false).Project(-46.6, -23.5)
	south := utm("SIRGAS_2000_UTM_Zone_23S", "-45.0", "10000000.0")
	for _, o := range []land.Shapefile{{}, {From: geodesy.UTM(23, false)}} {
		r := must.Get(read(south, x, y, o))(t)[0]
		must.Absolute(t, "west", r.Box().West, -46.6, 1e-3)
		must.Absolute(t, "south", r.Box().South, -23.5, 1e-3)
	}
	for _, from := range []land.Coordinates{geodesy.UTM(23, true), geodesy.UTM(24, false), geodesy.WebMercator{},
		geodesy.NAD27.With(geodesy.UTM(23, false))} {
		must.Refuse(read(south, x, y, land.Shapefile{From: from}))(t, "and the file says that its coordinates are")
	}
	must.Refuse(read(south, x, y, land.Shapefile{WGS84: true}))(t, "WGS84 is set, and its .prj says")
	must.Refuse(read(south, 30, -2, land.Shapefile{}))(t, "look like degrees")
	must.Refuse(read(prj("GCS", "Moon_2000", ""), 30, -2, land.Shapefile{}))(t, "not known to be from Greenwich")
}
