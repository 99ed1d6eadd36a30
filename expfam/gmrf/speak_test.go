package gmrf

import (
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/speaktest"
	"github.com/expfam/lab/internal/must"
)

// In a cell a fit says which hyperparameters it looks for and how far it is, then how many draws are made.
func TestSampleSpeaks(t *testing.T) {
	prior := Prior{Grid: grid.Grid{Rows: 5, Cols: 4}}
	like := expfam.Likelihood{Family: expfam.Binomial{Trials: 10}}
	y := make([]float64, 20)
	for k := range y {
		y[k] = float64((3*k + k*k) % 8)
	}
	obs := expfam.Must(like.Observe1(y...))
	t.Run("draws", func(t *testing.T) {
		bars := speaktest.Listen(t)
		must.Get(Sample(prior, like, obs, Options{Draws: 30, Fresh: true}))(t)
		b := bars.One(t)
		must.Be(t, b.First == 0 && b.Last == 30 && b.Total == 30 && b.Plan == "30 draws of 20 cells" && b.Ended,
			"%+v", b)
		must.Be(t, strings.HasPrefix(b.Plans[0], "5 by 4 cells; to fit range, sd takes some 45 fits of about "),
			"%q comes first", b.Plans[0])
		must.Be(t, b.Said[0] == "fit 1" && strings.HasPrefix(b.Said[1], "fit 2, ") &&
			slices.Contains(b.Said, "variances of the cells"),
			"%q", b.Said)
	})
	t.Run("mixed", func(t *testing.T) {
		bars := speaktest.Listen(t)
		must.Get(Sample(prior, like, obs, Options{Draws: 30, Integrate: true, Fresh: true}))(t)
		if b := bars.One(t); !slices.Contains(b.Said, "fit 1") || b.Last != 30 {
			t.Errorf("%+v", b)
		}
	})
	t.Run("hyperparameters that are given", func(t *testing.T) {
		bars := speaktest.Listen(t)
		must.Get(Fit(Prior{Grid: prior.Grid, Range: 2, SD: 1}, like, obs))(t)
		if b := bars.One(t); b.Plan != "5 by 4 cells, the hyperparameters are given" ||
			!slices.Equal(b.Said, []string{"fit 1"}) || !b.Ended {
			t.Errorf("%+v", b)
		}
	})
	t.Run("overdispersion", func(t *testing.T) {
		bars := speaktest.Listen(t)
		must.Get(Overdispersion(prior, like, obs))(t)
		b := bars.One(t)
		must.Be(t, strings.HasPrefix(b.Plans[0], "5 by 4 cells; to fit range, sd, correlation takes some ") && b.Ended,
			"%+v", b)
	})
}
