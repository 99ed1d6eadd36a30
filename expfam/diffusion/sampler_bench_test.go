package diffusion_test

import (
	"testing"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkSample draws the one-dimensional benchmark's posterior of counts,
// 500 draws of 30 cells, compilation not counted.
func BenchmarkSample(b *testing.B) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	obs := observe(b, like, benchmark(b, "poisson0")...)
	for _, c := range []struct {
		name string
		s    Sampler
	}{
		{"quadrature-30", Sampler{}},
		{"independent-30", Sampler{Guidance: Quadrature{Independent: true}}},
		{"delta-30", Sampler{Guidance: Delta{}}},
		{"unguided-30", Sampler{Guidance: Unguided{}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			enginetest.Benchmark(b, func(b *testing.B, e *engine.Engine) {
				c.s.Engine = e
				compiled := must.Get(Compile(gp.RBF{}, like, c.s))(b)
				defer compiled.Close()
				for b.Loop() {
					must.Get(compiled.Sample(b.Context(), obs, 1))(b)
				}
			})
		})
	}
}

// BenchmarkCompile builds the default sampler's graphs.
func BenchmarkCompile(b *testing.B) {
	enginetest.Benchmark(b, func(b *testing.B, e *engine.Engine) {
		for b.Loop() {
			compiled := must.Get(Compile(gp.RBF{}, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink},
				Sampler{Engine: e}))(b)
			compiled.Close()
		}
	})
}
