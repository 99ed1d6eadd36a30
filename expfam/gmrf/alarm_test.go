package gmrf

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Maps of few events or few data are integrated over the hyperparameters and raise no alarm but that of means that
// the data do not bound. Their posterior means expect the events that were seen.
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
	const tail = "the mean is above its own 97.5% point"
	for name, c := range map[string]struct {
		prior    Prior
		y        []float64
		exposure float64
		says     string // "" for no alarm
	}{
		"no event":                     {Prior{}, none, 1e5, ""},
		"an outbreak":                  {Prior{}, outbreak, 1e4, ""},
		"one datum":                    {Prior{}, seen(1, 7), 1, tail}, // the data do not bound θ elsewhere
		"nine data, sd given":          {Prior{SD: 1}, seen(9, 7), 1, ""},
		"three data, all given":        {Prior{SD: 1, Range: 6}, seen(3, 7), 1, ""},
		"sixteen data":                 {Prior{}, seen(16, 7), 1, ""},
		"a map of counts":              {Prior{}, many, 1, ""},
		"no event, all given":          {Prior{SD: 1, Range: 6, Level: -11, LevelSD: 1}, none, 1e5, ""},
		"no event, a wide prior given": {Prior{SD: 4, Range: 6, LevelSD: 4}, none, 1e5, ""},
		"an outbreak, known and small": {Prior{SD: 1.5, Range: 3, Level: -8, LevelSD: 1}, outbreak, 1e4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if !*fulltest.Full && slices.Contains([]string{"nine data, sd given", "sixteen data",
				"an outbreak, known and small"}, name) {
				t.Skip("between others; runs with -full")
			}
			like := expfam.Likelihood{Family: expfam.Poisson{}}
			known := of(func(int) float64 { return c.exposure })
			obs := expfam.Must(like.Observe(expfam.Data{Y: [][]float64{c.y}, Known: [][]float64{known}}))
			c.prior.Grid = g
			post := must.Get(Sample(c.prior, like, obs, Options{Seed: 1, Fresh: true}))(t)
			if got := post.Alarm(); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
				t.Errorf("alarm %q, want %q; %v", got, c.says, post.Info.Diagnostics)
			}
			seen, expected := 0.0, 0.0
			for j, theta := range post.Mean() {
				if obs[j].Size > 0 {
					seen, expected = seen+obs[j].Stat, expected+c.exposure*theta
				}
			}
			must.Be(t, c.prior.Level != 0 || math.Abs(expected-seen) <= 1+0.1*seen,
				"the posterior means expect %.3g events, and %.3g were seen", expected, seen)
		})
	}
}

// Where nothing is integrated, as with a window, an alarm says so.
func TestAlarmOfWindow(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	y := slices.Repeat([]float64{math.NaN()}, 100)
	y[33], y[55], y[56] = 7, 3, 4
	obs := expfam.Must(like.Observe1(y...))
	prior := Prior{Grid: grid.Grid{Rows: 10, Cols: 10}}
	post := expfam.Must(Sample(prior, like, obs, Options{Draws: 20, Window: 6, Fresh: true}))
	if got := post.Alarm(); !strings.Contains(got, "fitted to 3 data and are taken as known") {
		t.Errorf("alarm %q; %v", got, post.Info.Diagnostics)
	}
	for j := range y {
		y[j] = 5 // they vary less than Poisson counts do, so the field vanishes
	}
	obs = expfam.Must(like.Observe1(y...))
	post = expfam.Must(Sample(prior, like, obs, Options{Draws: 20, Window: 6, Fresh: true}))
	if got := post.Alarm(); !strings.Contains(got, "at bounds of their searches") || !strings.Contains(got, "sd 0.01") {
		t.Errorf("alarm %q; %v", got, post.Info.Diagnostics)
	}
}
