package gmrf

import (
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// 500 draws of a map with four events: hyperparameters integrated out, forty transitions a draw.
func BenchmarkRareEvents(b *testing.B) {
	g := grid.Grid{Rows: 8, Cols: 8}
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := events(b, g, like, 1e4, map[int]float64{9: 1, 10: 1, 17: 1, 18: 1})
	for b.Loop() {
		post := must.Get(Sample(Prior{Grid: g}, like, obs, Options{Seed: 1, Fresh: true}))(b)
		b.ReportMetric(post.Info.Diagnostics["nodes"], "nodes")
	}
}
