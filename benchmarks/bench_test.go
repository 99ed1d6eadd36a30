package benchmarks

import (
	"context"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkPosterior is 500 draws with the shipped network, by the default method and by restarts, on compiled graphs.
func BenchmarkPosterior(b *testing.B) {
	prior := must.Get(learn.Load("../notebooks/weights/gp-experts-score.safetensors"))(b)
	for _, spec := range []string{"go", "onnx"} {
		b.Run(spec, func(b *testing.B) {
			e, err := engine.Open(spec)
			if err != nil {
				b.Skip(err)
			}
			for _, c := range Cases {
				for _, m := range []diffusion.Method{diffusion.CovarianceSteps{}, diffusion.Restarts{}} {
					name, _, _ := strings.Cut(m.String(), "(")
					b.Run(c.Name+"/"+name, func(b *testing.B) {
						data, err := c.Simulate(1)
						must.Do(b, err)
						compiled, err := diffusion.Compile(prior, c.Likelihood, diffusion.Sampler{Engine: e, Method: m})
						must.Do(b, err)
						defer compiled.Close()
						// The first run also looks at the prior, and compiles for all workers.
						must.Get(compiled.Sample(context.Background(), data.Obs, 1))(b)
						for b.Loop() {
							must.Get(compiled.Sample(context.Background(), data.Obs, 1))(b)
						}
					})
				}
			}
		})
	}
}

// BenchmarkLive is what a control of the lesson on links costs, 500 draws with the shipped network: the move of a
// link's constant, and a new formula, which compiles.
func BenchmarkLive(b *testing.B) {
	prior := must.Get(learn.Load("../notebooks/weights/gp-experts-score.safetensors"))(b)
	data := must.Get(PoissonLow.Simulate(4))(b)
	for _, c := range []struct{ name, one, two string }{
		{"constant", "k*sigmoid(s*x)", "k*sigmoid(s*x)"},
		{"formula", "exp(s*x)", "k*sigmoid(s*x)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			live := &diffusion.Live{Prior: prior, Keep: 1}
			defer live.Close()
			sample := func(text string, s float64) {
				like := expfam.Likelihood{Family: expfam.Poisson{},
					Link: expfam.MustLink(text, expfam.Constants{"k": 8, "s": s})}
				must.Get(live.Sample(like, data.Obs))(b)
			}
			sample(c.two, 1)
			for i := 0; b.Loop(); i++ {
				text := c.one
				if i%2 == 1 {
					text = c.two
				}
				sample(text, 1+0.1*float64(i%9))
			}
		})
	}
}

// BenchmarkTraining is the whole training of the networks that ship: the score
// network, which serves all cases, and one inference network.
func BenchmarkTraining(b *testing.B) {
	b.Run("score", func(b *testing.B) {
		for b.Loop() {
			must.Get(learn.Train(problem.Prior, learn.Training{Fresh: true}))(b)
		}
	})
	b.Run("inference", func(b *testing.B) {
		for b.Loop() {
			must.Get(learn.TrainInference(problem.Prior, PoissonLow.Likelihood, learn.Training{Fresh: true}))(b)
		}
	})
}
