package viz_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// hundred has draws 0 to 100 in both cells, of sizes 100 and 200.
func hundred(y ...float64) viz.Predictive {
	m := mat.NewDense(101, 2, nil)
	m.Apply(func(i, j int, _ float64) float64 { return float64(i) }, m)
	return viz.Predictive{Draws: m, Observed: y, Sizes: []float64{100, 200}, Level: 0.9}
}

// The 90% interval is 5 to 95: its ends are inside, what is beyond is not.
func TestPredictiveInside(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want string
	}{{[]float64{5, 95}, "hold 100% of 2 cells"}, {[]float64{4, 50}, "hold 50% of 2 cells"},
		{[]float64{4, 96}, "hold 0% of 2 cells"}} {
		chart := must.Get(hundred(c.y...).Chart())(t)
		must.Be(t, strings.Contains(chart.Note, c.want), "observed %v: %q, want %q", c.y, chart.Note, c.want)
	}
}

func TestPredictiveErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*viz.Predictive)
		want   string
	}{
		{"no draws", func(v *viz.Predictive) { v.Draws = nil }, "predictive: no draws; give Draws"},
		{"lengths", func(v *viz.Predictive) { v.Sizes = v.Sizes[1:] },
			"predictive: 101 draws of 2 cells, 2 observed, 1 sizes; give draws, and one of the others for each cell"},
		{"size", func(v *viz.Predictive) { v.Sizes[1] = 0 },
			"predictive: cell 1 has 96 observed of size 0; both must be finite, the size positive"},
		{"level", func(v *viz.Predictive) { v.Level = 1 }, "predictive: level 1; give one in (0, 1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := hundred(5, 96)
			c.change(&v)
			_, err := v.Encode(viz.SVG)
			must.Be(t, err != nil && err.Error() == c.want, "got  %v\nwant %s", err, c.want)
		})
	}
}
