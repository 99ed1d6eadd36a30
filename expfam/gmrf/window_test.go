package gmrf

import (
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// TestWindow: hyperparameters are those of the part with the most data, the field that of the whole grid under them.
func TestWindow(t *testing.T) {
	g := grid.Grid{Rows: 14, Cols: 18, X: grid.Axis{First: 3, Step: 0.5}, Y: grid.Axis{First: 8, Step: -0.5}}
	_, obs := scattered(t, Prior{Grid: g, Range: 3, SD: 0.3, KnownLevel: true}, 0.05, 4)
	for j := range obs {
		if r, c := g.Cell(j); r < 2 || r >= 12 || c < 5 || c >= 15 {
			if j%3 > 0 {
				obs[j] = expfam.Term{}
			}
		}
	}
	prior := Prior{Grid: g}
	part, seen := prior.part(obs, 10)
	x, y := part.Grid.Centre(0)
	must.Need(t, len(seen) == 100 && x == g.X.At(5) && y == g.Y.At(2) && seen[13] == obs[g.Index(3, 8)],
		"the window begins at (%g, %g) and has %d cells", x, y, len(seen))
	o := Options{Draws: 1, Overdispersed: true, Fresh: true}
	m := must.Get(newModel(part, prevalence, seen, o))(t)
	_, want := must.Get2(m.largest(t.Context()))(t)
	o.Window = 10
	got := must.Get(Sample(prior, prevalence, obs, o))(t)
	d := got.Info.Diagnostics
	must.Be(t, slices.Equal(want, []float64{d["range"], d["sd"], d["correlation"]}),
		"the hyperparameters are %v, and %v in the window alone", d, want)
	again := must.Get(Sample(prior.Fitted(got), got.Likelihood, obs, Options{Draws: 1, Fresh: true}))(t)
	must.Be(t, again.Info.Diagnostics["range"] == got.Info.Diagnostics["range"],
		"the fitted prior has %v", again.Info.Diagnostics)
	must.Refuse(Sample(prior, prevalence, obs, Options{Window: -1}))(t)
	for rows, want := range map[int]int{64: 0, 128: 0, 129: 64, 256: 64} {
		side, err := (Options{}).window(Prior{Grid: grid.Grid{Rows: rows, Cols: rows}})
		must.Be(t, side == want && err == nil, "%d rows have a window of %d, %v", rows, side, err)
	}
}
