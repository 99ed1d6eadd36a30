package expfam

import (
	"context"

	"github.com/expfam/lab/expfam/store"
)

// Stored returns the posterior that sample makes, or the stored result of an earlier call with
// the same likelihood, observations and parts. A package with its own sampler stores its
// posteriors by this method. Families and links are compared by their types, their
// texts and the results of their methods at fixed numbers. The parts are everything else that
// determines the draws: the prior, the options with the seed, and a revision that is
// raised when the code changes ([store.Key] says how parts are compared). The log goes to the
// logger of ctx ([WithLogger]).
func (f *Forward) Stored(ctx context.Context, obs Observations, sample func() (*Posterior, error),
	parts ...any) (*Posterior, error) {
	codec := store.Codec[*Posterior]{File: (*Posterior).File,
		From: f.terms.Likelihood.Restore}
	return store.OnceContext(ctx, "posterior", store.Key("stored", f.Fingerprint(), []Term(obs), parts), codec, sample)
}
