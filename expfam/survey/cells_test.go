package survey_test

import (
	"bytes"
	"fmt"
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

func simulate(t *testing.T, c survey.Campaign, f land.Frame) *survey.Simulated {
	t.Helper()
	m := must.Get(f.Map())(t)
	return must.Get(c.Simulate(m, field(m)))(t)
}

func TestCampaign(t *testing.T) {
	for _, c := range []struct {
		name  string
		frame land.Frame
	}{{"64", land.Frame{}}, {"256", land.Frame{Rows: 256}}, {"Nigeria", land.Frame{Country: "NG"}},
		{"equal areas", land.Frame{Rows: 40, Projection: land.EqualArea{Parallel: 15}}}} {
		t.Run(c.name, func(t *testing.T) {
			s := simulate(t, survey.Campaign{Seed: 1}, c.frame)
			cells := s.Cells
			t.Log(s)
			must.Equal(t, cells.Occupied(), int(math.Ceil(0.1*float64(len(s.Theta)))), "cells have surveys")
			r := cells.Report
			must.Be(t, balance(r) == nil && r.Used == len(s.Sites) && r.Moved == 0, "%v", r)
			for j, k := range cells.Surveys {
				if !cells.Map.Grid.Inside(j) && (k > 0 || s.Theta[j] != 0) || k == 0 && cells.Examined[j] != 0 {
					t.Fatalf("cell %d: %d surveys, theta %g", j, k, s.Theta[j])
				}
			}
			must.Be(t, strings.HasPrefix(s.String(), "simulated survey campaign, no real data") &&
				strings.HasPrefix(s.Sites[0].Name, "simulated"),
				"%v", s)
		})
	}
}

// TestCampaignIsATable: what is simulated passes the checks of a table, and comes back the same.
func TestCampaignIsATable(t *testing.T) {
	s := simulate(t, survey.Campaign{Seed: 2}, land.Frame{})
	var text bytes.Buffer
	must.Do(t, survey.WriteCSV(&text, s.Sites))
	i := 0
	again, _ := survey.NewCells(s.Cells.Map)
	r, err := survey.Table{}.Scan(&text, func(site survey.Site) {
		site.Line = 0
		must.Be(t, site == s.Sites[i], "%+v came back as %+v", s.Sites[i], site)
		i++
		again.Add(site)
	})
	must.Be(t, err == nil && r.Used == len(s.Sites) && r.Refused == 0, "%v %v", r, err)
	for j, n := range s.Cells.Examined {
		must.Need(t, again.Examined[j] == n && again.Positive[j] == s.Cells.Positive[j], "cell %d", j)
	}
}

func TestCampaignStatistics(t *testing.T) {
	for _, rho := range []float64{0, 0.05, 0.9} {
		s := simulate(t, survey.Campaign{Seed: 3, Scatter: survey.CellRates{Rho: rho}}, land.Frame{Rows: 128})
		var logs, squares, z2, dz2, count float64
		for _, site := range s.Sites {
			v := math.Log(float64(site.Examined))
			logs, squares = logs+v, squares+v*v
		}
		n := float64(len(s.Sites))
		mean, sd := logs/n, math.Sqrt(squares/n-logs/n*logs/n)
		// Standard errors are 1.3/√n; whole numbers from 1 up shift the mean by less than 0.03.
		if math.Abs(mean-math.Log(60)) > 4*1.3/math.Sqrt(n)+0.03 || math.Abs(sd-1.3) > 4*1.3/math.Sqrt(2*n)+0.05 {
			t.Errorf("log examined: mean %g, standard deviation %g of %g", mean, sd, n)
		}
		for j, n := range s.Cells.Examined {
			if n == 0 {
				continue
			}
			// Var y = n θ (1 − θ) (1 + (n − 1) ρ), exactly.
			theta := s.Theta[j]
			z := (s.Cells.Positive[j] - n*theta) / math.Sqrt(n*theta*(1-theta)*(1+(n-1)*rho))
			z2, dz2, count = z2+z*z, dz2+z*z*z*z, count+1
		}
		z2, dz2 = z2/count, dz2/count
		se := math.Sqrt((dz2 - z2*z2) / count)
		must.Be(t, math.Abs(z2-1) <= 4*se, "rho %g: the squared residuals have mean %g ± %g, not 1", rho, z2, se)
	}
}

func TestCampaignIsSeeded(t *testing.T) {
	a, b, c := simulate(t, survey.Campaign{Seed: 4}, land.Frame{}), simulate(t, survey.Campaign{Seed: 4}, land.Frame{}),
		simulate(t, survey.Campaign{Seed: 5}, land.Frame{})
	for i, site := range a.Sites {
		must.Need(t, site == b.Sites[i], "the same seed gives other surveys")
	}
	must.Be(t, c.Sites[0] != a.Sites[0], "another seed gives the same surveys")
	// Places and numbers examined don't depend on the truth.
	d, err := survey.Campaign{Seed: 4}.Simulate(a.Cells.Map, make([]float64, len(a.Theta)))
	must.Need(t, err == nil && len(d.Sites) == len(a.Sites), "%v", err)
	for i, site := range a.Sites {
		site.Positive = d.Sites[i].Positive
		must.Need(t, site == d.Sites[i], "places depend on the truth")
	}
}

func TestCampaignErrors(t *testing.T) {
	m := must.Get(land.Frame{Rows: 16}.Map())(t)
	for _, c := range []struct {
		campaign survey.Campaign
		cells    int
		want     string
	}{
		{survey.Campaign{}, 3, "3 cells on a map of 16 by 16"},
		{survey.Campaign{Cells: 0.9}, 256, "nine tenths"},
		{survey.Campaign{Cells: math.NaN()}, 256, "nine tenths"},
		{survey.Campaign{Examined: -1}, 256, "a median of -1"},
		{survey.Campaign{Scatter: survey.CellRates{Rho: 1}}, 256, "[0, 1)"},
		{survey.Campaign{Scatter: survey.VillageRates{Rho: -0.1}}, 256, "[0, 1)"},
		{survey.Campaign{Likelihood: expfam.Likelihood{Family: expfam.Poisson{}}}, 256, "Binomial"},
	} {
		must.Refuse(c.campaign.Simulate(m, make([]float64, c.cells)))(t, c.want)
	}
	must.Refuse((survey.Campaign{}).Simulate(nil, nil))(t)
}

// TestCampaignIsClustered: the quantiles that the documentation states.
func TestCampaignIsClustered(t *testing.T) {
	s := simulate(t, survey.Campaign{Seed: 1}, land.Frame{Rows: 256})
	var surveys []int
	var examined []float64
	for j, k := range s.Cells.Surveys {
		if k > 0 {
			surveys, examined = append(surveys, k), append(examined, s.Cells.Examined[j])
		}
	}
	slices.Sort(surveys)
	slices.Sort(examined)
	n := len(surveys)
	got := []float64{float64(len(s.Sites)) / float64(n), float64(surveys[n/2]), float64(surveys[n*9/10]),
		float64(surveys[n*95/100]), examined[n/2]}
	for i, want := range []float64{4.5, 2, 8, 13, 190} {
		// The heaviest towns take a share that differs between seeds.
		must.Absolute(t, fmt.Sprintf("%v", got), got[i]/want, 1, 0.25)
	}
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
