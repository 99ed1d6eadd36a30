package expfam_test

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkEvidence is the gradient of the log evidence in both network
// coordinates, float32, for 500 draws of 30 cells.
func BenchmarkEvidence(b *testing.B) {
	enginetest.Benchmark(b, func(b *testing.B, e *engine.Engine) {
		for _, k := range conjugates {
			b.Run(k.name, func(b *testing.B) {
				exec := must.Get(graph.NewExec(e.Backend, func(loc, logConc, stat, size *node) []*node {
					return graph.Gradient(graph.ReduceAllSum(k.c.LogEvidence(loc, logConc, stat, size)), loc, logConc)
				}))(b)
				defer exec.Finalize()
				loc, logConc := make([][]float32, 500), make([][]float32, 500)
				stat, size := make([]float32, 30), make([]float32, 30)
				for i := range loc {
					loc[i], logConc[i] = make([]float32, 30), make([]float32, 30)
					for j := range loc[i] {
						loc[i][j], logConc[i][j] = float32(i%7)/4-1, float32(j)/3
						stat[j], size[j] = float32(j%5), 5
					}
				}
				exec.MustCall(loc, logConc, stat, size)
				for b.Loop() {
					exec.MustCall(loc, logConc, stat, size)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/15000, "ns/cell")
			})
		}
	})
}

// BenchmarkProject is the KL-optimal conjugate with its derivative in the mean,
// float32, for 500 draws of 30 cells: by closed form and by quadrature.
func BenchmarkProject(b *testing.B) {
	enginetest.Benchmark(b, func(b *testing.B, e *engine.Engine) {
		for _, l := range []Likelihood{{Family: Poisson{}}, {Family: Poisson{}, Link: MustLink("softplus(x)")},
			{Family: Binomial{}}} {
			b.Run(l.String(), func(b *testing.B) {
				exec := must.Get(graph.NewExec(e.Backend, func(m, v *node) []*node {
					loc, conc := Must(l.Terms()).Project(m, v)
					return append(graph.Gradient(graph.ReduceAllSum(graph.Add(loc, conc)), m), loc, conc)
				}))(b)
				defer exec.Finalize()
				mean := make([][]float32, 500)
				for i := range mean {
					mean[i] = slices.Repeat([]float32{float32(i%7)/4 - 1}, 30)
				}
				exec.MustCall(mean, float32(0.1))
				for b.Loop() {
					exec.MustCall(mean, float32(0.1))
				}
			})
		}
	})
}
