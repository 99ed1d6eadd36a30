package benchmarks

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
)

// TestRealMap goes the whole way from real tables to maps, if EXPFAM_TEST_DATA has them: every row is used or refused
// with a reason, posteriors by the library's sampler and by Laplace's approximation are scored on cells held out, and
// the layers of a map come back from their file.
func TestRealMap(t *testing.T) {
	path := filepath.Join(os.Getenv("EXPFAM_TEST_DATA"), "malaria", "pfpr_partial.csv")
	if _, err := os.Stat(path); err != nil {
		t.Skip("set EXPFAM_TEST_DATA to a folder with malaria/pfpr_partial.csv")
	}
	table, err := survey.Table{}.Read(path)
	must.Do(t, err)
	m, err := land.Frame{Country: "Kenya", Rows: 20}.Map()
	must.Do(t, err)
	cells, err := survey.Aggregate(m, table.Sites)
	must.Do(t, err)
	t.Logf("%.300s", cells)
	for name, r := range map[string]survey.Report{"table": table.Report, "map": cells.Report} {
		reasons := 0
		for _, reason := range r.Reasons {
			reasons += reason.Rows
		}
		must.Be(t, r.Rows == r.Used+r.FilteredRows()+r.Refused && r.Refused == reasons,
			"%s: of %d rows %d are used, %d filtered and %d refused, %d with a reason", name, r.Rows, r.Used,
			r.FilteredRows(), r.Refused, reasons)
	}
	must.Be(t, cells.Report.Rows == table.Report.Used && cells.Report.Used >= 1000,
		"%d surveys reach the map, of which it uses %d", cells.Report.Rows, cells.Report.Used)
	p, err := Surveyed(cells)
	must.Do(t, err)
	scores, err := p.CompareContext(t.Context(), calibrate.Splits{Times: 1, Seed: 1}, MapMethods(nil, 50)...)
	must.Do(t, err)
	t.Logf("\n%v", scores)
	// Surveys scatter far more than the Binomial's: its log score is out by as much, and a constant is no map.
	const ours = "ours, Gaussian field"
	for _, other := range []string{"constant", "GMRF, alpha 2"} {
		d := scores.Minus(ours, other, func(s MapScore) float64 { return s.Held.Log })
		must.Be(t, d.Mean > 0, "log score above that of %s: %v", other, d)
	}
	if c := scores.Of(ours, func(s MapScore) float64 { return s.Held.Coverage }); !(c.Mean > 0.8) { // 20 cells
		t.Errorf("95%% intervals hold %v of the counts", c)
	}

	dispersion, err := gmrf.Overdispersion(gmrf.Prior{Grid: p.Grid}, p.Likelihood, p.Obs)
	must.Be(t, err == nil && dispersion.Correlation > 2*dispersion.SE, "%v, %v", dispersion, err)
	post, err := MapMethods(nil, 50)[0].Sample(t.Context(), p, p.Obs, 1)
	must.Do(t, err)
	low, high := post.EqualTailed(0.95)
	layers := raster.Layers{Grid: p.Grid, Layers: []raster.Layer{{Name: "median", Values: post.Median()},
		{Name: "low", Values: low}, {Name: "high", Values: high}, {Name: "above 20%", Values: post.Theta().Above(0.2)}}}
	file := filepath.Join(t.TempDir(), "kenya.tif")
	for _, write := range []error{layers.GeoTIFF(file), layers.GeoJSON(file + ".geojson"), layers.CSV(file + ".csv")} {
		must.Do(t, write)
	}
	back, err := raster.GeoTIFF{Band: 1}.Read(file)
	must.Do(t, err)
	for j, v := range post.Median() {
		if back.Grid.Inside(j) != p.Grid.Inside(j) || p.Grid.Inside(j) && math.Abs(back.Values[j]-v) > 1e-7 { // float32
			t.Fatalf("cell %d comes back as %g, not %g", j, back.Values[j], v)
		}
	}
}
