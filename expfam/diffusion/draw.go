package diffusion

import (
	"context"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/internal/speak"
)

// Draw draws from a prior without data, to see what the prior knows. It takes s.Draws draws, default 500, by s.Method;
// s.Guidance is not used. For a learned prior of images use many steps without noise, such as ODE{N: 50}: without data,
// other methods lose the finest texture. As in [Sample], the result is stored, and an interrupted run keeps the draws
// that are finished.
func Draw(prior expfam.Prior, s Sampler) (*expfam.Posterior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return DrawContext(ctx, prior, s)
}

// DrawContext is [Draw] with a context: it ends when ctx ends.
func DrawContext(ctx context.Context, prior expfam.Prior, s Sampler) (*expfam.Posterior, error) {
	like := expfam.Likelihood{Family: expfam.Normal{}}
	if s.Guidance = (Unguided{}); isGaussian(prior) && hasUnknowns(prior, like) {
		s.Guidance = nil // package joint draws it with its parameters
	}
	var nothing expfam.Observations
	if prior != nil && traits.Check(prior) == nil { // or else SampleContext refuses it
		nothing = make(expfam.Observations, prior.Dim()-len(augmentationOf(prior).parameters))
	}
	return SampleContext(ctx, prior, like, nothing, s)
}
