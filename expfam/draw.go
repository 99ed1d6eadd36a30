package expfam

import (
	"context"

	"github.com/expfam/lab/internal/interrupt"
)

// Draw draws from a prior without data, to see what the prior knows. It takes s.Draws
// draws, default 500, by s.Method; s.Guidance is not used. For a learned prior of images
// use many steps without noise, such as ODE{N: 50}: without data other methods lose the
// finest texture. The result is stored, and interrupts keep what is finished, as in
// [Sample].
func Draw(prior Prior, s Sampler) (*Posterior, error) {
	ctx, stop := interrupt.Context()
	defer stop()
	return DrawContext(ctx, prior, s)
}

// DrawContext is [Draw] that ends with ctx.
func DrawContext(ctx context.Context, prior Prior, s Sampler) (*Posterior, error) {
	s.Guidance = Unguided{}
	var nothing Observations
	if prior != nil {
		nothing = make(Observations, prior.Dim())
	}
	return SampleContext(ctx, prior, Likelihood{Family: Normal{}}, nothing, s)
}
