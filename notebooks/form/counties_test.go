package form

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/geopackage"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// The counties of pages are those of the GeoPackage: names, numbers, borders, and areas within a thousandth.
func TestCounties(t *testing.T) {
	page := must.Get(land.GeoJSON{}.Read("../districts/counties.geojson"))(t)
	file := must.Get(geopackage.Layer{From: geodesy.NAD27}.Read("../districts/sids.gpkg"))(t)
	must.Equal(t, len(page), len(file), "counties")
	for _, name := range []string{"SID74", "BIR74"} {
		got, want := must.Get(land.Numbers(page, name))(t), must.Get(land.Numbers(file, name))(t)
		for i := range want {
			must.Equal(t, got[i], want[i], name)
		}
	}
	for i, c := range file {
		must.Equal(t, page[i].Name, c.Name, "name")
		// A border of 90 km that moves by 6 m at most changes an area of 600 km² by less than a thousandth.
		must.Be(t, math.Abs(page[i].AreaKm2()/c.AreaKm2()-1) < 1e-3, "%s has %.1f km², want %.1f", c.Name,
			page[i].AreaKm2(), c.AreaKm2())
	}
	a, b := must.Get(graph.Borders{}.Of(page))(t), must.Get(graph.Borders{}.Of(file))(t)
	must.Equal(t, a.String(), b.String(), "borders")
}
