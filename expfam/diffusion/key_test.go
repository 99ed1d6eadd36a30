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
)

// weights are those of the one-dimensional benchmark.
const weights = "../../notebooks/weights/gp-experts-score.safetensors"

// A network's graph is made from a map of weights, in another order each time.
func TestKeysAreStable(t *testing.T) {
	vector, err := learn.Load(weights)
	if err != nil {
		t.Fatal(err)
	}
	network, err := learn.LoadInference("../../notebooks/weights/gp-experts-poisson.safetensors",
		expfam.Likelihood{Family: expfam.Poisson{}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "altered")
	f, err := store.Read(weights)
	if err != nil {
		t.Fatal(err)
	}
	tensor, _ := f.Tensor("weights")
	values := tensor.Data.([]float32)
	values[len(values)/2] *= 1 + 1e-6
	if err := store.Write(path, f); err != nil {
		t.Fatal(err)
	}
	altered, err := learn.Load(path)
	if err != nil {
		t.Fatal(err)
	}
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
		if len(seen) != 1 {
			t.Errorf("%d keys of one configuration", len(seen))
		}
		if seen[key(altered)] {
			t.Error("one weight of 270 thousand has no part in the key")
		}
	})
}

// nameless is a learned prior by another name.
type nameless struct{ *learn.Prior }

func (nameless) String() string { return "nameless" }

// BenchmarkKey is what a call of Sample that loads its result spends on finding it.
func BenchmarkKey(b *testing.B) {
	vector, err := learn.Load(weights)
	if err != nil {
		b.Fatal(err)
	}
	image, err := learn.Load("../../notebooks/weights/images-score.safetensors")
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.Default()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		f     expfam.Family
	}{{"vector/poisson", vector, expfam.Poisson{}}, {"vector/betabinomial", vector,
		expfam.BetaBinomial{Trials: 30, Correlation: 0.1}}, {"image/poisson", image, expfam.Poisson{}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := PosteriorKey(c.prior, expfam.Likelihood{Family: c.f}, Sampler{Engine: e}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
