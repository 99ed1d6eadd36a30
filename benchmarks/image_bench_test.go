package benchmarks

import (
	"context"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkImageSamplers is forty draws of 64×64 cells by the default of image priors, and by that of all other priors
// far from a Gaussian.
func BenchmarkImageSamplers(b *testing.B) {
	prior := imagePrior(b, 64)
	images := must.Get(problem.Images("../notebooks/photos", 0, 64, 10, 1))(b)
	for _, c := range []struct {
		name   string
		method diffusion.Method
	}{{"default", nil}, {"restarts", diffusion.Restarts{}}} {
		b.Run(c.name, func(b *testing.B) {
			compiled := must.Get(diffusion.Compile(prior, images[0].Likelihood,
				diffusion.Sampler{Draws: 40, Batch: 8, Method: c.method}))(b)
			defer compiled.Close()
			for b.Loop() {
				must.Get(compiled.Sample(context.Background(), images[0].Seen, 1))(b)
			}
		})
	}
}

// imagePrior is the network that ships, for side × side cells. Tests on it are skipped without ONNX Runtime.
func imagePrior(tb testing.TB, side int) expfam.Prior {
	tb.Helper()
	if _, err := engine.Open("onnx"); err != nil {
		tb.Skipf("without ONNX Runtime a U-Net takes minutes: %v", err)
	}
	return resized(tb, must.Get(learn.Load("../notebooks/weights/images-score.safetensors"))(tb), side)
}

// resized is the network on a square grid: as it was trained, or its pyramid.
func resized(tb testing.TB, p *learn.Prior, side int) expfam.Prior {
	tb.Helper()
	if rows, cols := p.Lattice(); side == rows && side == cols {
		return p
	}
	return must.Get(p.Grid(side, side))(tb)
}
