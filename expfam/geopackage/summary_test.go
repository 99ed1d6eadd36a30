package geopackage

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// What the draws say is in the file, beside the properties that were there; draws of other regions are refused.
func TestWriteSummary(t *testing.T) {
	square := func(name string, x float64) land.Region {
		return land.Region{Name: name, Properties: map[string]any{"cases": 3.0},
			Polygons: [][][]land.Position{{{{Lon: x,
				Lat: 1}, {Lon: x + 1, Lat: 1}, {Lon: x + 1, Lat: 2}, {Lon: x, Lat: 2}, {Lon: x, Lat: 1}}}}}
	}
	of := []land.Region{square("a", 0), square("b", 1)}
	x := mat.NewDense(5, 2, []float64{1, 10, 2, 20, 3, 30, 4, 40, 5, 50})
	post := &expfam.Posterior{X: x, Info: expfam.Info{Names: []string{"a", "b"}}}
	path := filepath.Join(t.TempDir(), "risks.gpkg")
	must.Do(t, WriteSummary(path, of, post, 2.5, 40))
	back := must.Get(Layer{}.Read(path))(t)
	for name, want := range map[string][2]float64{"median": {3, 30}, "mean": {3, 30}, "low_95": {1.1, 11},
		"high_95": {4.9, 49}, "above_2.5": {0.6, 1}, "above_40": {0, 0.2}, "cases": {3, 3}} {
		got := must.Get(land.Numbers(back, name))(t)
		must.Absolute(t, name, got[0], want[0], 1e-12)
		must.Absolute(t, name, got[1], want[1], 1e-12)
	}
	must.Be(t, of[0].Properties["median"] == nil, "the regions of the caller have changed")
	must.Err(t, WriteSummary(path, []land.Region{of[1], of[0]}, post),
		`cell 0 of the draws is "a", and region 0 is "b"`)
	must.Err(t, WriteSummary(path, of[:1], post), "draws of 2 cells and 1 regions")
	must.Err(t, WriteSummary(path, back, post), "already")
	must.Err(t, WriteSummary(path, of, nil), "no draws")
}
