package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/internal/speak"
)

// Nugget chooses the standard deviation of a nugget (expfam.Nugget) by [Thinning]. For each standard deviation in
// SDs, the prior with that nugget is fitted to a part of every observation, and scored on the remaining part. Use
// Nugget when the posterior under the prior alone fails expfam.Posterior.LocalVariance. It samples once for each
// nugget and each part:
//
//	fit, err := calibrate.Nugget{Sampler: diffusion.Sampler{Draws: 100}}.Run(prior, like, obs)
//	post, err := diffusion.Sample(fit.Prior, like, obs, diffusion.Sampler{})
//
// With few draws the score is too low. A datum loses about V/(2n M²), where M and V are the mean and the variance of
// its likelihood over the draws, and n is the number of draws. This favours small nuggets: on 64 × 64 cells with ten
// counts each and a true nugget of 0.1, ten draws made 0.05 the best.
type Nugget struct {
	// SDs are the standard deviations that are compared, in units of x₀. Default 0, 0.05, 0.1, 0.2, 0.4.
	SDs []float64
	// Thinning splits the data. The default of Parts is 2 here: each half is fitted once.
	Thinning Thinning
	Sampler  diffusion.Sampler
}

// NuggetFit is the nugget that predicts best.
type NuggetFit struct {
	SD    float64
	Prior expfam.Prior // with the nugget; the prior itself if SD is 0
	// Comparison has all nuggets from best to worst; their names are "nugget 0.1".
	Comparison Comparison
}

// Run fits and scores all nuggets. An interrupt is [expfam.ErrInterrupted].
func (n Nugget) Run(prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations) (*NuggetFit, error) {
	ctx, end := speak.Work("nugget", "")
	defer end()
	return n.RunContext(ctx, prior, like, obs)
}

// RunContext is [Nugget.Run] with a context: it ends when ctx ends.
func (n Nugget) RunContext(ctx context.Context, prior expfam.Prior, like expfam.Likelihood,
	obs expfam.Observations) (*NuggetFit, error) {
	if n.SDs == nil {
		n.SDs = []float64{0, 0.05, 0.1, 0.2, 0.4}
	}
	if len(n.SDs) < 2 {
		return nil, errors.New("calibrate: nugget: give at least 2 SDs to choose from")
	}
	n.Thinning.Parts = cmp.Or(n.Thinning.Parts, 2)
	priors, models := make(map[string]expfam.Prior), make([]Candidate, len(n.SDs))
	sds := make(map[string]float64)
	steps := speak.NewPace(ctx, "calibrate: nugget", fmt.Sprintf("%d nuggets", len(n.SDs)), len(n.SDs))
	part, end := steps.Parts(ctx)
	defer end()
	for i, sd := range n.SDs {
		with := prior
		if sd != 0 {
			with = expfam.Nugget(prior, sd)
		}
		elpd, err := n.Thinning.RunContext(part, like, obs,
			func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
				return diffusion.SampleContext(ctx, with, like, obs, n.Sampler)
			})
		if err != nil {
			return nil, fmt.Errorf("calibrate: nugget %g: %w", sd, err)
		}
		name := fmt.Sprintf("nugget %g", sd)
		models[i], priors[name], sds[name] = Candidate{Name: name, Elpd: elpd}, with, sd
		steps.Step(sd)
	}
	ranked, err := Compare(models...)
	if err != nil {
		return nil, err
	}
	best := ranked[0].Name
	return &NuggetFit{SD: sds[best], Prior: priors[best], Comparison: ranked}, nil
}
