package gmrf

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
)

// Maps of few events or few data raise an alarm that says what to do, and others none.
func TestAlarms(t *testing.T) {
	const cells = 64
	of := func(f func(j int) float64) []float64 {
		y := make([]float64, cells)
		for j := range y {
			y[j] = f(j)
		}
		return y
	}
	seen := func(n int, v float64) []float64 { // n cells with data
		return of(func(j int) float64 {
			if j%(cells/n) == 0 && j/(cells/n) < n {
				return v + float64(j%3)
			}
			return math.NaN()
		})
	}
	none, many := of(func(int) float64 { return 0 }), of(func(j int) float64 { return float64(5 + j%3) })
	outbreak := of(func(j int) float64 { return map[int]float64{27: 12, 28: 9, 35: 15, 36: 7}[j] })
	g := grid.Grid{Rows: 8, Cols: 8}
	few := "data and are taken as known, so the intervals are too narrow: set Integrate"
	for name, c := range map[string]struct {
		prior     Prior
		integrate bool
		y         []float64
		exposure  float64
		says      string // "" for no alarm
	}{
		"no event":                     {Prior{}, false, none, 1e5, "the mean is above its own 97.5% point"},
		"no event, integrated":         {Prior{}, true, none, 1e5, "the mean is above its own 97.5% point"},
		"an outbreak, integrated":      {Prior{}, true, outbreak, 1e4, "the mean is above its own 97.5% point"},
		"one datum":                    {Prior{}, false, seen(1, 7), 1, "fitted to 1 " + few},
		"three data":                   {Prior{}, false, seen(3, 7), 1, "fitted to 3 " + few},
		"nine data, sd given":          {Prior{SD: 1}, false, seen(9, 7), 1, "fitted to 9 " + few},
		"three data, integrated":       {Prior{}, true, seen(3, 7), 1, ""},
		"three data, all given":        {Prior{SD: 1, Range: 6}, false, seen(3, 7), 1, ""},
		"sixteen data":                 {Prior{}, false, seen(16, 7), 1, ""},
		"a map of counts":              {Prior{}, false, many, 1, ""},
		"no event, all given":          {Prior{SD: 1, Range: 6, Level: -11, LevelSD: 1}, false, none, 1e5, ""},
		"an outbreak, known and small": {Prior{SD: 1.5, Range: 3, Level: -8, LevelSD: 1}, false, outbreak, 1e4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			like := expfam.Likelihood{Family: expfam.Poisson{}}
			known := of(func(int) float64 { return c.exposure })
			obs := expfam.Must(like.Observe(expfam.Data{Y: [][]float64{c.y}, Known: [][]float64{known}}))
			c.prior.Grid = g
			post, err := Sample(c.prior, like, obs, Options{Seed: 1, Integrate: c.integrate, Fresh: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := post.Alarm(); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
				t.Errorf("alarm %q, want %q; %v", got, c.says, post.Info.Diagnostics)
			}
		})
	}
}
