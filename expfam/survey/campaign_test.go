package survey_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
)

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
