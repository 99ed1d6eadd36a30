package microscope_test

import (
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/notebooks/microscope"
	"github.com/expfam/lab/viz"
)

func draw(t testing.TB, fig viz.Figure, err error) {
	t.Helper()
	if err == nil {
		_, err = fig.Encode(viz.SVG)
	}
	must.Be(t, err == nil, "%v", err)
}

// scope is a cell of a family as the lesson's panel sets it.
func scope(f expfam.Family, notch, time float64, prior microscope.Law) (microscope.Cell, error) {
	term, err := f.Reduce(microscope.Observation(f, notch), expfam.Known{})
	return microscope.Cell{Prior: prior, Level: level.VP{}.Level(time), Likelihood: expfam.Likelihood{Family: f},
		Term: term}, err
}

// Every corner of the lesson's panels has a figure: every two ends of every three controls come together.
func TestPanels(t *testing.T) {
	two := microscope.Mixture{{Weight: 1, Mean: -1.2, SD: 0.4}, {Weight: 1, Mean: 1, SD: 0.5}}
	for _, name := range microscope.Families() {
		t.Run(name, func(t *testing.T) {
			f := microscope.Family(name)
			for i, notch := range []float64{0, 12} {
				for j, time := range []float64{0.02, 1} {
					for k, prior := range []microscope.Law{nil, two} {
						for l, x := range []float64{-3, 3} {
							if l != (i+j+k)%2 {
								continue // half of the corners hold every three ends
							}
							m := must.Get(scope(f, notch, time, prior))(t)
							fig, err := microscope.Look(m, x)
							draw(t, fig, err)
						}
					}
				}
				cells := fulltest.N(64, 128)
				if i == 0 {
					cells = fulltest.N(2, 128) // the last notch, with the most data, asks most of many cells
				}
				fig, err := microscope.Together(expfam.Likelihood{Family: f}, microscope.Observation(f, notch), 0.99,
					cells)
				draw(t, fig, err)
			}
		})
	}
}

// What a movement of a slider costs: the figure and its drawing.
func BenchmarkLook(b *testing.B) {
	for _, f := range []expfam.Family{expfam.Poisson{}, expfam.Binomial{Trials: 12}} {
		b.Run(f.String(), func(b *testing.B) {
			time := 0.1
			for b.Loop() {
				m := must.Get(scope(f, 4, time, nil))(b)
				fig, err := microscope.Look(m, 0.5)
				draw(b, fig, err)
				time += 1e-4
			}
		})
	}
}

func BenchmarkTogether(b *testing.B) {
	for b.Loop() {
		fig, err := microscope.Together(expfam.Likelihood{Family: expfam.Poisson{}}, 8, 0.7, 8)
		draw(b, fig, err)
	}
}
