package survey_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
)

// strip is a map of 1° cells along the equator from 0 to 5° East, of which the first, the second and the last are land.
func strip() *land.Map {
	return &land.Map{Projection: land.LonLat{}, Grid: grid.Grid{Rows: 1, Cols: 5, X: grid.Axis{First: 0.5, Step: 1},
		Y:      grid.Axis{Step: -1},
		Radius: grid.EarthRadius, Outside: []bool{false, false, true, true, false}}}
}

func TestAggregate(t *testing.T) {
	cells, err := survey.Aggregate(strip(), []survey.Site{
		{Lon: 0.2, Lat: 0.1, Examined: 10, Positive: 3},
		{Lon: 0.9, Lat: -0.1, Examined: 5, Positive: 1},
		{Lon: 2.9, Lat: 0.1, Examined: 7, Positive: 7},          // one cell from the second
		{Lon: 3.1, Lat: 0.1, Examined: 8, Positive: 0},          // one cell from the last
		{Lon: 3.1, Lat: 0.6, Examined: 8, Positive: 0, Line: 7}, // north of the map
		{Lon: 1, Lat: 0.2, Examined: 1, Positive: 2},
		{Lon: math.NaN(), Lat: 0.2, Examined: 1, Positive: 1},
	})
	must.Do(t, err)
	r := cells.Report
	if balance(r) != nil || r.Rows != 7 || r.Used != 4 || r.Moved != 2 || r.Refused != 3 || r.Refusals[0].Line != 7 {
		t.Error(r)
	}
	for j, want := range [][3]float64{{2, 15, 4}, {1, 7, 7}, {}, {}, {1, 8, 0}} {
		must.Equal(t, [3]float64{float64(cells.Surveys[j]), cells.Examined[j], cells.Positive[j]}, want, "cell", j)
	}
	obs := must.Get(expfam.Likelihood{Family: expfam.Binomial{}}.Observe(cells.Data()))(t)
	for j, missing := range []bool{false, false, true, true, false} {
		if obs.Missing()[j] != missing || obs[j].Size != cells.Examined[j] || obs[j].Stat != cells.Positive[j] {
			t.Errorf("cell %d: %+v", j, obs[j])
		}
	}
	for j, rate := range cells.Rate().Values {
		if seen := cells.Surveys[j] > 0; seen == math.IsNaN(rate) || seen &&
			rate != []float64{4. / 15, 1, 2: 0, 4: 0}[j] || cells.Rate().Grid.Inside(j) != (cells.Surveys[j] > 0) {
			t.Errorf("cell %d has rate %g", j, rate)
		}
	}
	far := strip()
	far.Grid.Outside[1] = true
	cells, err = survey.Aggregate(far, []survey.Site{{Lon: 2.5, Lat: 0.1, Examined: 7, Positive: 7,
		Name: "<b>Sea</b>"}})
	must.Be(t, err == nil && cells.Report.Refused == 1 &&
		strings.Contains(cells.Report.String(), `"<b>Sea</b>" at longitude 2.5`),
		"%v %v", cells, err)
}

func field(m *land.Map) []float64 {
	x := make([]float64, m.Grid.Len())
	for j := range x {
		p := m.Centre(j)
		x[j] = 0.5 * math.Sin(p.Lon/8) * math.Cos(p.Lat/7)
	}
	return x
}

// On the map of a country its neighbours are named, also where a cell of the country is next to them.
func TestNeighboursAreNamed(t *testing.T) {
	m := must.Get(land.Frame{Country: "Kenya", Rows: 32}.Map())(t)
	for _, c := range []struct {
		name     string
		lon, lat float64
		says     string // "" if it is used
	}{
		{"Nairobi", 36.82, -1.29, ""},
		{"Busia, at the border, where it is Kenya's", 34.12, 0.46, ""},
		{"Kampala, beyond the map", 32.58, 0.35, "filtered: 1 in Uganda, which the map does not have"},
		{"Mbale", 34.18, 1.08, "filtered: 1 in Uganda"},
		{"Arusha", 36.68, -3.37, "filtered: 1 in Tanzania"},
		{"Lake Turkana, beside the land", 36.1, 3.6, "remark: 1 sites in Lake Turkana, which went to the nearest " +
			"cell on land, first longitude 36.1"},
		{"the Indian Ocean", 41.5, -4, " is more than a cell away from the map's land"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cells := must.Get(survey.Aggregate(m,
				[]survey.Site{{Lon: c.lon, Lat: c.lat, Examined: 10, Positive: 1}}))(t)
			must.Do(t, balance(cells.Report))
			if text := cells.Report.String(); !strings.Contains(text, c.says) ||
				(cells.Report.Used == 1) != (c.says == "" || strings.HasPrefix(c.says, "remark")) {
				t.Errorf("the report is %s, want one with %q", text, c.says)
			}
		})
	}
}

// On a finer map the same place is too far from land, and the lake is named.
func TestLakesAreNamed(t *testing.T) {
	m := must.Get(land.Frame{Country: "Kenya", Rows: 200}.Map())(t)
	cells, err := survey.Aggregate(m, []survey.Site{{Lon: 36.1, Lat: 3.6, Examined: 10, Positive: 1, Name: "Lodwar"}})
	const want = `in a lake: "Lodwar" at longitude 36.1, latitude 3.6 is in Lake Turkana; check its coordinates; ` +
		`for a place on`
	must.Be(t, err == nil && cells.Report.Refused == 1 && strings.Contains(cells.Report.String(), want),
		"%v, %v; want %s", cells, err, want)
}

// Fields are what ObserveField takes: the same as Data.
func TestFields(t *testing.T) {
	cells := must.Get(survey.Aggregate(strip(), []survey.Site{{Lon: 0.2, Lat: 0.1, Examined: 10, Positive: 3},
		{Lon: 4.9, Lat: -0.1, Examined: 5, Positive: 0}}))(t)
	like := expfam.Likelihood{Family: expfam.Binomial{}}
	want := must.Get(like.Observe(cells.Data()))(t)
	got, err := like.ObserveField(cells.Fields())
	must.Be(t, err == nil && slices.Equal(got, want), "%v, %v; want %v", got, err, want)
	must.Equal(t, got.Missing(), []bool{false, true, true, true, false}, "missing")
}
