package form

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// What a guess loses is the difference of mean log scores, zero for the best curve and positive for every other.
func TestLost(t *testing.T) {
	draws := []float64{1, 2, 4, 7}
	score := func(m, s float64) (sum float64) {
		for _, x := range draws {
			sum += logNormal(x, m, s) / float64(len(draws))
		}
		return sum
	}
	mean, variance := stat.PopMeanVariance(draws, nil)
	best := score(mean, math.Sqrt(variance))
	for _, c := range [][2]float64{{mean, math.Sqrt(variance)}, {3, 1}, {9, 5}} {
		lost := must.Get(Lost(c[0], c[1], draws))(t)
		must.Be(t, math.Abs(lost-(best-score(c[0], c[1]))) < 1e-12, "%g lost, want %g", lost, best-score(c[0], c[1]))
	}
	must.Refuse(Lost(1, 0, draws))(t, "positive width")
	must.Refuse(Lost(1, 1, nil))(t, "0 draws")
}

// The answer is hidden until the reader checks.
func TestGuess(t *testing.T) {
	asked := 0
	g := Guess{Question: "Where?", XLabel: "x", High: 10, Draws: func() ([]float64, error) {
		asked++
		return []float64{3, 4, 5}, nil
	}}
	before := must.Get(g.figure(5, 1, false))(t).(viz.Lines)
	must.Be(t, asked == 0 && len(before.Lines) == 1, "the answer was drawn before the check")
	after := must.Get(g.figure(5, 1, true))(t).(viz.Lines)
	must.Be(t, asked == 1 && len(after.Lines) == 2 && strings.Contains(after.Title, "nats"), "%v", after.Title)
	// Four of eight draws are at the upper end of the frame, which belongs to it: half of the area is in the last bin.
	last := g.bars([]float64{1, 2, 3, 4, 10, 10, 10, 10})
	must.Equal(t, last.Y[len(last.Y)-1]*(last.X[len(last.X)-1]-last.X[len(last.X)-2]), 0.5)
}

// The gain over no opinion is the mean over a flat answer of at most 0 nats, and positive for a guess that is right.
func TestGained(t *testing.T) {
	g := Guess{Low: 2, High: 12, Draws: func() ([]float64, error) { return []float64{7}, nil }}
	var mean float64
	for k := range 1000 {
		mean += g.Gained(7, 2, 2+10*(float64(k)+0.5)/1000) / 1000
	}
	flat := -math.Log(2) - math.Log(2*math.Pi)/2 - 25./3/8 + math.Log(10) // the variance of the flat answer is 100/12
	must.Be(t, math.Abs(mean-flat) < 1e-5 && mean < 0, "%g gained on average, want %g", mean, flat)
	for _, c := range []struct {
		middle, width float64
		title         string
	}{{7, 1, "The answer is 7; your log score is 1.38 nats above"}, {10, 0.5, "no opinion has a log score"}} {
		fig := must.Get(g.figure(c.middle, c.width, true))(t).(viz.Lines)
		must.Be(t, strings.Contains(fig.Title, c.title) && len(fig.Lines) == 2, "%s", fig.Title)
	}
}
