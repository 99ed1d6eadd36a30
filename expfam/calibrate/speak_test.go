package calibrate

import (
	"context"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/speaktest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/internal/speak"
)

// In a cell simulations speak of their own accord, and their samplers do not.
func TestSBCSpeaks(t *testing.T) {
	model := Joint{Prior: few, Likelihood: normal}
	chains := func(_ context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error) {
		return hmc.Sample(few, normal, obs, hmc.Options{Warmup: 200, Draws: 500, Seed: seed})
	}
	t.Run("a sampler of chains", func(t *testing.T) {
		bars := speaktest.Listen(t)
		run(t, SBC{Model: model, Simulations: 3, Seed: 1, Sample: chains})
		b := bars.One(t)
		must.Be(t, b.First == 0 && b.Last == 3 && b.Total == 3 && b.Value > 0 && b.Ended &&
			b.Label == "simulations" && b.Name == "seconds each",
			"%+v", b)
		must.Equal(t, b.Plan, "3 simulations, a posterior each, 4 quantities", "plan")
	})
	t.Run("the library's", func(t *testing.T) {
		bars := speaktest.Listen(t)
		s := SBC{Model: model, Simulations: 2, Seed: 1}
		must.Get(s.RunSampler(few, normal, diffusion.Sampler{Engine: enginetest.Open(t, "go"), Draws: 20}))(t)
		b := bars.One(t)
		must.Be(t, b.Last == 2 && b.Total == 2 && b.Said[0] == "compiling the sampler", "%+v", b)
	})
	t.Run("watched otherwise", func(t *testing.T) {
		bars := speaktest.Listen(t)
		run(t, SBC{Model: model, Simulations: 2, Seed: 1, Sample: chains, Progress: func(int, int, float64) {}})
		all := bars.All()
		must.Be(t, len(all) <= 0, "%+v", all)
	})
}

// So do other checks that fit a model several times.
func TestRepeatedFitsSpeak(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 1, 4, 1, 5, 2))
	fit := func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
		must.Be(t, speak.From(ctx) == nil, "a fit has the bar of the whole")
		return hmc.Sample(gp.RBF{Cells: 6, Length: 0.3}, like, obs, hmc.Options{Warmup: 200, Draws: 1000})
	}
	for _, c := range []struct {
		name, plan  string
		do          func() error
		total, said int // at least
	}{
		{"thinning", "3 fits", func() error { _, err := Thinning{Parts: 3}.Run(like, obs, fit); return err }, 3, 0},
		{"evidence", "levels from the prior to the posterior, 100 at most",
			func() error { _, err := Tempering{}.Run(like, obs, fit); return err }, 0, 3},
		{"leave-one-out", "6 data are left out for real", func() error {
			post, err := fit(t.Context(), like, obs)
			if err != nil {
				return err
			}
			n, cells := post.Dims()
			for i := range n { // rates up to e⁶ for counts of a few: weights whose tail is heavy, for each datum
				for j := range cells {
					post.X.Set(i, j, 6*float64(i)/float64(n))
				}
			}
			_, err = LOO{Refit: fit}.Run(post, obs)
			return err
		}, 6, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			bars := speaktest.Listen(t)
			must.Do(t, c.do())
			var b speaktest.Bar
			for _, one := range bars.All() {
				if one.Label == c.name {
					b = one
				} else if c.name != "leave-one-out" { // which has a posterior to begin with
					t.Errorf("a fit has a bar: %+v", one)
				}
			}
			must.Be(t, b.Plan == c.plan && b.Total == c.total && b.Last == c.total && len(b.Said) >= c.said && b.Ended,
				"%+v", b)
		})
	}
}
