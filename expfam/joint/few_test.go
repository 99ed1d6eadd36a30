package joint

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/internal/must"
)

// TestFewEvents: some ten events in 168 areas leave the standard deviation open, and a level with a long tail to the
// left. Where the standard deviation is near 0 the field is N(0, I), which accepts steps of any length, but elsewhere
// such steps are refused. Stein's identities hold for the draws.
func TestFewEvents(t *testing.T) {
	const rows, cols = 12, 14
	areas := rook(t, rows, cols)
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	for seed := range uint64(3) {
		rng := expfam.Stream(seed, "few")
		y, expected := make([]float64, rows*cols), make([]float64, rows*cols)
		for i := range y {
			expected[i] = 0.02 + 0.1*rng.Float64()
			y[i] = expfam.Poisson{}.Rand(1, expfam.Given(expected[i]), rng)
		}
		obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{expected}}))(t)
		for _, prior := range []gp.Family{graph.Leroux{Neighbours: areas, LevelSD: 3},
			graph.AR1{Cells: rows * cols, LevelSD: 3}} {
			post := must.Get(Sample(gp.Unknown{Of: prior}, like, obs, Options{Seed: seed, Fresh: true}))(t)
			c := post.Info.Certificate
			t.Log(prior, post.Info.Diagnostics, c)
			must.Be(t, c.Verdict() != "wrong", "%v, data %d: %v", prior, seed, c)
			// Steps aim at .9, and a trial of 24 draws tells it to ±.02.
			must.Be(t, post.Info.Diagnostics["accept"] > 0.8 && !math.IsNaN(c.P), "%v, data %d: %v", prior, seed,
				post.Info.Diagnostics)
		}
	}
}
