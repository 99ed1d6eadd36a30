package land_test

import (
	"testing"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/internal/neartest"
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
	neartest.Absolute(t, "west", region.Box().West, -75.9, 1e-3)
	neartest.Absolute(t, "south", region.Box().South, 42.1, 1e-3)
	// A square of a kilometre, measured on the sphere instead of the ellipsoid.
	neartest.Absolute(t, "km²", region.AreaKm2(), 1, 5e-3)
}
