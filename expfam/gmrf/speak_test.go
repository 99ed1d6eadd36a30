package gmrf

import (
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
	bars := speaktest.Listen(t)
	must.Get(Sample(prior, like, obs, Options{Draws: 30, Fresh: true}))(t)
	b := bars.One(t)
	must.Be(t, b.First == 0 && b.Last == 30 && b.Total == 30 && b.Ended &&
		b.Plan == "30 draws of 20 cells and 2 parameters", "%+v", b)
	must.Be(t, b.Plans[0] == "values of the parameters are weighed" && b.Said[1] == "point 1", "%q, then %q",
		b.Plans[0], b.Said[:2])
}
