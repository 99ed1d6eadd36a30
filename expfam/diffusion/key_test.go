package diffusion_test

import (
	"path/filepath"
	"testing"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// weights are those of the one-dimensional benchmark.
const weights = "../../notebooks/weights/gp-experts-score.safetensors"

// A network's graph is made from a map of weights, in another order each time.
func TestKeysAreStable(t *testing.T) {
	vector := must.Get(learn.Load(weights))(t)
	network := must.Get(learn.LoadInference("../../notebooks/weights/gp-experts-poisson.safetensors",
		expfam.Likelihood{Family: expfam.Poisson{}}))(t)
	path := filepath.Join(t.TempDir(), "altered")
	f := must.Get(store.Read(weights))(t)
	tensor, _ := f.Tensor("weights")
	values := tensor.Data.([]float32)
	values[len(values)/2] *= 1 + 1e-6
	must.Do(t, store.Write(path, f))
	altered := must.Get(learn.Load(path))(t)
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		key := func(p *learn.Prior) string {
			// Without the name, which has a digest of the weights.
			return expfam.Must(PosteriorKey(nameless{p}, expfam.Likelihood{Family: expfam.Poisson{}},
				Sampler{Engine: e, Guidance: Corrected{Inference: network}}))
		}
		seen := map[string]bool{}
		for range 8 {
			seen[key(vector)] = true
		}
		must.Equal(t, len(seen), 1, "keys of one configuration")
		must.Be(t, !seen[key(altered)], "one weight of 270 thousand has no part in the key")
	})
}

// nameless is a learned prior by another name.
type nameless struct{ *learn.Prior }

func (nameless) String() string { return "nameless" }

// BenchmarkKey is what a call of Sample that loads its result spends on finding it.
func BenchmarkKey(b *testing.B) {
	vector := must.Get(learn.Load(weights))(b)
	image := must.Get(learn.Load("../../notebooks/weights/images-score.safetensors"))(b)
	e := must.Get(engine.Default())(b)
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		f     expfam.Family
	}{{"vector/poisson", vector, expfam.Poisson{}}, {"vector/betabinomial", vector,
		expfam.BetaBinomial{Trials: 30, Correlation: 0.1}}, {"image/poisson", image, expfam.Poisson{}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				must.Get(PosteriorKey(c.prior, expfam.Likelihood{Family: c.f}, Sampler{Engine: e}))(b)
			}
		})
	}
}
