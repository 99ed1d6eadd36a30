package diffusion_test

import (
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// Where few events meet a prior of a wide log rate, draws that expect twice the events raise an alarm. Under a prior of
// the width of most maps they expect the events that were seen. By Hamiltonian Monte Carlo the posterior expects 1.2
// events for none under the prior of middle width, and 2.1 under the narrow one; the sampler 2.4 and 2.6.
func TestFewEvents(t *testing.T) {
	const cells, people = 64, 1e4
	for name, c := range map[string]struct {
		prior gmrf.Prior
		at    []int
		alarm bool
	}{
		"four, wide": {gmrf.Prior{Range: 5.91, SD: 2.93, Level: -14.7, LevelSD: 6.1}, []int{9, 10, 17, 18}, true},
		"none, wide": {gmrf.Prior{Range: 5.91, SD: 2.93, Level: -14.7, LevelSD: 20}, nil, true},
		"one, wider": {gmrf.Prior{Range: 30.8, SD: 10.1, Level: -7, LevelSD: 21}, []int{9}, true},
		"nine, wide": {gmrf.Prior{Range: 6.97, SD: 2.66, Level: -13.7, LevelSD: 5.83},
			[]int{9, 10, 11, 17, 18, 19, 25, 26, 27}, true},
		"four, narrow": {gmrf.Prior{Range: 5.91, SD: 1, Level: -12, LevelSD: 1}, []int{9, 10, 17, 18}, false},
		"none, middle": {gmrf.Prior{Range: 5.91, SD: 1, Level: -12, LevelSD: 1}, nil, true},
		"none, narrow": {gmrf.Prior{Range: 5.91, SD: 0.5, Level: -12, LevelSD: 0.5}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			y, known := make([]float64, cells), make([]float64, cells)
			for j := range known {
				known[j] = people
			}
			for _, j := range c.at {
				y[j] = 1
			}
			like := expfam.Likelihood{Family: expfam.Poisson{}}
			obs := expfam.Must(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{known}}))
			c.prior.Grid = grid.Grid{Rows: 8, Cols: 8}
			post := must.Get(Sample(expfam.Must(c.prior.Gaussian()), like, obs, Sampler{Draws: 256, Fresh: true,
				Engine: enginetest.Fast(t)}))(t)
			if got := post.Alarm(); strings.Contains(got, "events on average") != c.alarm {
				total := 0.0
				for _, v := range post.Mean() {
					total += people * v
				}
				t.Errorf("%.3g events expected for %d: alarm %q", total, len(c.at), got)
			}
		})
	}
}
