package learn_test

import (
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// A network that was trained under exp(x) serves exp(5+x) as if it had been loaded for
// it: to the bit, by every guidance that holds one.
func TestInferenceUnderAnotherIntercept(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps, c.Batch = 300, 64
	n := learntest.TrainInference(t, few, poisson, c)
	path := filepath.Join(t.TempDir(), "inference.safetensors")
	must.Do(t, n.Save(path))
	shifted := Likelihood{Family: Poisson{}, Link: MustLink("exp(5+x)")}
	own := must.Get(learn.LoadInference(path, shifted, c.Net))(t)
	must.Be(t, own.String() != n.String(), "both networks are %v", n)
	obs := observe(t, shifted, 150, 140, 160, 148, 170, 130)
	for name, with := range map[string]func(diffusion.Inferrer) diffusion.Guidance{
		"evidence":  func(i diffusion.Inferrer) diffusion.Guidance { return diffusion.Evidence{Inference: i} },
		"tempered":  func(i diffusion.Inferrer) diffusion.Guidance { return diffusion.Tempered{Inference: i} },
		"corrected": func(i diffusion.Inferrer) diffusion.Guidance { return diffusion.Corrected{Inference: i} },
	} {
		t.Run(name, func(t *testing.T) {
			run := func(n diffusion.Inferrer) *Posterior {
				return sample(t, few, shifted, obs, diffusion.Sampler{Draws: 50, Seed: 1, Engine: c.Engine,
					Guidance: with(n), Fresh: true})
			}
			got, want := run(n), run(own)
			must.Be(t, mat.Equal(got.X, want.X), "means %.3f and %.3f", got.Latent().Mean(), want.Latent().Mean())
			// log 150 is 5.01. Under the other intercept the mean was near 5, not 0.
			for j, m := range got.Latent().Mean() {
				must.Be(t, m >= -0.5 && m <= 0.5, "cell %d has the mean %.2f", j, m)
			}
		})
	}
}

// Links that an inference network cannot serve are refused before the first step, those
// that a slider reaches among them.
func TestInferenceRefusesOtherLinks(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps = 5
	n := learntest.TrainInference(t, few, poisson, c)
	chance := learntest.TrainInference(t, few, Likelihood{Family: Binomial{Trials: 9}}, c)
	function := Likelihood{Family: Poisson{}, Link: Must(TableLink("exp", math.Exp))}
	for _, x := range []struct {
		name string
		like Likelihood
		n    *learn.Inference
		want string
	}{
		{"slope", Likelihood{Family: Poisson{}, Link: MustLink("exp(2*x)")}, n,
			`trained for "gamma, log(theta) = c + 1 x", not for "gamma, log(theta) = c + 2 x"`},
		{"curve", Likelihood{Family: Poisson{}, Link: MustLink("softplus(x)")}, n, "not for"},
		{"conjugate", Likelihood{Family: Weibull{}, Link: ExpLink}, n, "not for"},
		{"function", function, n, "not for"},
		// Beta densities of logit θ are not each other's shifts.
		{"intercept of a beta", Likelihood{Family: Binomial{Trials: 9}, Link: MustLink("sigmoid(1+x)")}, chance,
			`trained for "beta, logit(theta) = x", not for "beta, logit(theta) = x+1"`},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := diffusion.Sampler{Draws: 2, Engine: c.Engine, Guidance: diffusion.Corrected{Inference: x.n},
				Fresh: true}
			must.Refuse(diffusion.Compile(few, x.like, s))(t, x.want, "train one with TrainInference")
			must.Refuse(diffusion.Sample(few, x.like, make(Observations, 6), s))(t, x.want)
		})
	}
	t.Run("its own function", func(t *testing.T) {
		own := learntest.TrainInference(t, few, function, c)
		must.Get(diffusion.Compile(few, function,
			diffusion.Sampler{Draws: 2, Engine: c.Engine, Guidance: diffusion.Corrected{Inference: own}}))(t)
	})
	t.Run("live", func(t *testing.T) {
		live := diffusion.Live{Prior: few, Sampler: diffusion.Sampler{Draws: 3, Seed: 1, Engine: c.Engine,
			Method: diffusion.Multistep{N: 5}, Guidance: diffusion.Corrected{Inference: n}}}
		defer live.Close()
		obs := observe(t, poisson, 2, 0, 1, 1, 4, 3)
		for _, intercept := range []float64{0, 1.5} {
			got := must.Get(live.Sample(Likelihood{Family: Poisson{},
				Link: MustLink("exp(c+x)", Constants{"c": intercept})}, obs))(t)
			like := Likelihood{Family: Poisson{}, Link: MustLink("exp(c+x)", Constants{"c": intercept})}
			want := sample(t, few, like, obs,
				diffusion.Sampler{Draws: 3, Seed: 1, Engine: c.Engine, Method: diffusion.Multistep{N: 5},
					Guidance: diffusion.Corrected{Inference: n}, Fresh: true})
			for i, x := range got.X.RawMatrix().Data {
				near(t, "draw", x, want.X.RawMatrix().Data[i], 1e-4) // roundings of 6e-8 in 5 steps
			}
		}
		like := Likelihood{Family: Poisson{}, Link: MustLink("exp(s*x)", Constants{"s": 1})}
		must.Refuse(live.Sample(like, obs))(t, "not for")
	})
}

// A snapshot of a training has no coupling yet: what asks for it says so.
func TestSnapshotsHaveNoCoupling(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps = 5
	var snapshot Prior
	c.Snapshot = func(_ int, p Prior) { snapshot = p }
	done := learntest.Train(t, few, c)
	s := diffusion.Sampler{Draws: 2, Engine: c.Engine, Guidance: diffusion.Tempered{}, Fresh: true}
	must.Refuse(diffusion.Sample(snapshot, poisson, make(Observations, 6), s))(t,
		"does not know how its cells are coupled; use a guidance")
	must.Get(diffusion.Compile(done, poisson, s))(t)
	_, ok := snapshot.(Coupled)
	must.Be(t, !ok, "a snapshot says how its cells are coupled")
}
