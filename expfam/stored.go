package expfam

import (
	"context"

	"github.com/expfam/lab/expfam/store"
)

// Stored is the posterior that sample makes, or the one that it made for an
// earlier call with the same likelihood, observations and parts. Families and links
// are told apart by their types and texts and by what their methods make of fixed
// numbers. Parts are all else that determines the draws: the prior, the options with
// the seed, and a revision that goes up with the code ([store.Key] says how they are
// told apart). A package with a sampler of its own keeps its posteriors by it, as
// [Sample] does. With a Go function as link, which no text determines,
// nothing is stored. The context has the logger ([WithLogger]).
func Stored(ctx context.Context, t *Terms, obs Observations, sample func() (*Posterior, error), parts ...any) (*Posterior, error) {
	if t.formula == nil {
		return sample()
	}
	f, err := t.Forward(t.operatorCells())
	if err != nil {
		return nil, err
	}
	codec := store.Codec[*Posterior]{File: (*Posterior).File,
		From: func(f *store.File) (*Posterior, error) { return posteriorOf(f, t.Likelihood) }}
	return store.OnceContext(ctx, "posterior", store.Key("stored", fingerprintOf(t, f), []Term(obs), parts), codec, sample)
}
