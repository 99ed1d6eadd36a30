package diffusion_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Where few events meet a prior of a wide log rate, the draws of the diffusion are far off: they expect up to 46 events
// for one. The transitions at the end bring them to the posterior: they expect what Hamiltonian Monte Carlo expects,
// and the certificate agrees.
func TestFewEvents(t *testing.T) {
	const cells, people = 64, 1e4
	for name, c := range map[string]struct {
		prior gmrf.Prior
		at    []int
	}{
		"four, wide": {gmrf.Prior{Range: 5.91, SD: 2.93, Level: -14.7, LevelSD: 6.1}, []int{9, 10, 17, 18}},
		"none, wide": {gmrf.Prior{Range: 5.91, SD: 2.93, Level: -14.7, LevelSD: 20}, nil},
		"one, wider": {gmrf.Prior{Range: 30.8, SD: 10.1, Level: -7, LevelSD: 21}, []int{9}},
		"nine, wide": {gmrf.Prior{Range: 6.97, SD: 2.66, Level: -13.7, LevelSD: 5.83},
			[]int{9, 10, 11, 17, 18, 19, 25, 26, 27}},
		"four, narrow": {gmrf.Prior{Range: 5.91, SD: 1, Level: -12, LevelSD: 1}, []int{9, 10, 17, 18}},
		"none, middle": {gmrf.Prior{Range: 5.91, SD: 1, Level: -12, LevelSD: 1}, nil},
		"none, narrow": {gmrf.Prior{Range: 5.91, SD: 0.5, Level: -12, LevelSD: 0.5}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if !*fulltest.Full && name != "one, wider" {
				t.Skip("runs with -full")
			}
			y, known := make([]float64, cells), slices.Repeat([]float64{people}, cells)
			for _, j := range c.at {
				y[j] = 1
			}
			like := expfam.Likelihood{Family: expfam.Poisson{}}
			obs := expfam.Must(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{known}}))
			c.prior.Grid = grid.Grid{Rows: 8, Cols: 8}
			prior := expfam.Must(c.prior.Gaussian())
			const draws = 2000
			post, err := Sample(prior, like, obs, Sampler{Draws: draws, Fresh: true, Engine: enginetest.Fast(t)})
			must.Do(t, err)
			long, err := hmc.Sample(prior, like, obs,
				hmc.Options{Draws: fulltest.N(1000, 2500), Accept: 0.95, Fresh: true})
			var failure *hmc.NotConverged
			if errors.As(err, &failure) && failure.RHat < 1.01 && failure.Divergences < 5 {
				err = nil // a few trajectories that meet the wall of exp(x) spoil no total
			}
			must.Do(t, err)
			expected := func(p *expfam.Posterior) (mean, se float64) {
				mean, sd := stat.MeanStdDev(p.Functional(func(theta []float64) float64 {
					return people * floats.Sum(theta)
				}), nil)
				return mean, sd / math.Sqrt(p.Effective())
			}
			got, se := expected(post)
			want, more := expected(long)
			t.Logf("%.3g ± %.2g events expected, %.3g ± %.2g by HMC: %v, %v", got, se, want, more,
				post.Info.Certificate, post.Info.Diagnostics)
			// A tenth, and three standard errors of the two means.
			must.Be(t, math.Abs(got-want) <= 0.1*want+3*math.Hypot(se, more),
				"%.3g ± %.2g events expected, %.3g ± %.2g by HMC", got, se, want, more)
			v := post.Info.Certificate.Verdict()
			must.Be(t, v != "wrong" && !strings.Contains(post.Alarm(), "events on average"),
				"%v; %s", post.Info.Certificate, post.Alarm())
		})
	}
}
