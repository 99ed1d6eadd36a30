package counts

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/speak"
)

// Pooled assumes that θ is the same in all cells. With yⱼ positives of nⱼ trials in cell j the posterior is
//
//	θ | y ~ Beta(a + Σ yⱼ, b + Σ (nⱼ − yⱼ)).
//
// Its intervals are intervals of the pooled rate. If cells differ, the intervals are far too
// short for single cells; [Raw] allows for differences.
type Pooled struct {
	// Prior is the prior of θ. Default Beta(½, ½), Jeffreys'.
	Prior expfam.Standard
}

// Sample makes independent draws. Info.Diagnostics has the parameters of the posterior, posterior_a and posterior_b.
func (p Pooled) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return p.SampleContext(ctx, like, obs, o)
}

// SampleContext is [Pooled.Sample] that ends with ctx.
func (p Pooled) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	if err := checkTrials(like, obs); err != nil {
		return nil, err
	}
	shared, err := jeffreys(p.Prior)
	if err != nil {
		return nil, err
	}
	for _, t := range obs {
		shared = shared.Update(t)
	}
	post, err := o.draws(ctx, like, obs, "pooled", func(k int, theta []float64) {
		v := inside(shared.Rand(expfam.Stream(o.Seed, fmt.Sprintf("counts/pooled/draw-%d", k))))
		for j := range theta {
			theta[j] = v
		}
	})
	if post != nil {
		post.Info.Diagnostics["posterior_a"], post.Info.Diagnostics["posterior_b"] = shared.A, shared.B
	}
	return post, err
}
