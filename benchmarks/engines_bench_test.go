package benchmarks

import (
	"context"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkEngines is one posterior on every engine for processors: 500 draws of the curve with
// Poisson data of low rate, and 8 draws of an image of 32×32 cells (one on pure Go, where it
// takes more than a minute), with the networks that ship. It reports the seconds of compiling, and
// those of a draw. XLA is there after `expfam install -xla`. docker/README.md has the table.
func BenchmarkEngines(b *testing.B) {
	for _, spec := range []string{"go", "onnx", "xla:cpu"} {
		b.Run(spec, func(b *testing.B) {
			e, err := engine.Open(spec)
			if err != nil {
				b.Skip(err)
			}
			b.Run("curve", func(b *testing.B) {
				prior := must.Get(learn.Load("../notebooks/weights/gp-experts-score.safetensors"))(b)
				data := must.Get(PoissonLow.Simulate(1))(b)
				onEngine(b, prior, PoissonLow.Likelihood, data.Obs, diffusion.Sampler{Engine: e, Draws: 500})
			})
			b.Run("image", func(b *testing.B) {
				prior := resized(b, imagePrior(b, 64).(*learn.Prior), 32)
				x0 := make([]float64, prior.Dim())
				scenes.Procedural{Rows: 32, Cols: 32, Plain: true}.Draw(expfam.Stream(1, "benchmark"), x0)
				data := must.Get(grid.Cox{Grid: grid.Grid{Rows: 32, Cols: 32}, Replicates: 10, Seed: 1}.Simulate(x0))(b)
				draws := 8
				if spec == "go" {
					draws = 1
				}
				onEngine(b, prior, data.Likelihood, data.Seen, diffusion.Sampler{Engine: e, Draws: draws})
			})
		})
	}
}

// onEngine samples a posterior on compiled graphs.
func onEngine(b *testing.B, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations, s diffusion.Sampler) {
	compiled := must.Get(diffusion.Compile(prior, like, s))(b)
	defer compiled.Close()
	var seconds, compile float64
	for b.Loop() {
		post := must.Get(compiled.Sample(context.Background(), obs, 1))(b)
		seconds, compile = seconds+post.Info.Seconds, max(compile, post.Info.Compile)
	}
	b.ReportMetric(seconds/float64(b.N*s.Draws), "s/draw")
	b.ReportMetric(compile, "s-compile")
}
