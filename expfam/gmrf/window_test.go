package gmrf

import (
	"math"
	"slices"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/internal/must"
)

// TestWindow: hyperparameters of a grid of less than two windows a side are those of the part with the most data, the
// field that of the whole grid under them.
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
	all, seen := prior.parts(obs, 10)
	must.Need(t, len(all) == 1, "%d windows", len(all))
	part := all[0]
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
	for _, c := range []struct{ rows, data, want int }{
		{64, 4096, 0}, {128, 9000, 0}, {129, 16641, 64}, {256, 65536, 64}, {256, 200, 0}, {257, 200, 64},
	} {
		obs := make(expfam.Observations, c.rows*c.rows)
		for j := range c.data {
			obs[j] = expfam.Term{Stat: 1, Size: 1}
		}
		m := &model{prior: Prior{Grid: grid.Grid{Rows: c.rows, Cols: c.rows}}, obs: obs, cellwise: true}
		side, err := m.window(Options{})
		must.Be(t, side == c.want && err == nil, "%d rows with %d data: a window of %d, %v", c.rows, c.data, side, err)
		m.cellwise = false
		side, err = m.window(Options{})
		must.Be(t, side == 0 && err == nil, "%d rows behind an operator: %d, %v", c.rows, side, err)
	}
}

// TestWindows: of a grid of two windows a side each quarter has one, and their log evidence is the sum of those of the
// windows alone.
func TestWindows(t *testing.T) {
	g := grid.Grid{Rows: 17, Cols: 16}
	_, obs := scattered(t, Prior{Grid: g, Range: 4, SD: 0.3, KnownLevel: true}, 0.05, 4)
	for _, j := range []int{0, 5, 8, 15} {
		obs[j] = expfam.Term{} // so the windows of the first quarters begin in the second row
	}
	known := Prior{Grid: g, Range: 4, SD: 0.3}
	all, seen := known.parts(obs, 7)
	like := expfam.Likelihood{Family: expfam.BetaBinomial{Correlation: 0.05}, Link: prevalence.Link}
	sum, from := 0., 0
	for _, p := range all {
		to := from + p.Dim()
		_, alone := must.Get2(joint.Largest(t.Context(), unknown{gp.Unknown{Of: p}}, like, seen[from:to]))(t)
		sum, from = sum+alone.LogEvidence(), to
	}
	_, together := must.Get2(joint.Largest(t.Context(), unknown{gp.Unknown{Of: all}}, like, seen))(t)
	must.Be(t, len(all) == 4 && from == len(seen) && math.Abs(together.LogEvidence()-sum) < 1e-6*math.Abs(sum),
		"%d windows have a log evidence of %v, and %v alone", len(all), together.LogEvidence(), sum)
	at := map[[2]float64]expfam.Term{}
	for j, term := range obs {
		x, y := g.Centre(j)
		at[[2]float64{x, y}] = term
	}
	for k, p := range all {
		for j := range p.Dim() {
			x, y := p.Grid.Centre(j)
			must.Need(t, seen[49*k+j] == at[[2]float64{x, y}], "window %d has other data at (%g, %g)", k, x, y)
		}
	}
}

// A quarter without any structure does not decide about the others.
func TestWindowsSeeAllQuarters(t *testing.T) {
	g := grid.Grid{Rows: 32, Cols: 32}
	truth := Prior{Grid: g, Range: 4, SD: 0.7, Level: 2, KnownLevel: true}
	x := must.Get(truth.Draw(expfam.Stream(3, "quarters")))(t)
	rng, y := expfam.Stream(4, "quarters"), make([]float64, len(x))
	for j, v := range x {
		if r, c := g.Cell(j); r < 16 && c < 16 {
			v = 2
		}
		y[j] = expfam.Poisson{}.Rand(math.Exp(v), expfam.Known{}, rng)
	}
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	post := must.Get(Sample(Prior{Grid: g}, like, must.Get(like.Observe1(y...))(t), Options{Draws: 1, Window: 16,
		Fresh: true}))(t)
	d := post.Info.Diagnostics
	must.Be(t, d["range"] > 2 && d["range"] < 8 && d["sd"] > 0.4 && d["data"] == 1024, "%v", d)
}
