package expfam

import (
	"context"

	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/store"
)

// Fingerprint returns a key of the likelihood. It covers every family and every link, with
// what their methods return for fixed numbers, and the weights and the offset of every operator.
func (f *Forward) Fingerprint() string {
	if f.Plain() {
		return fingerprintOfOne(f.Parts[0].Terms)
	}
	var all []any
	for _, s := range f.Parts {
		all = append(all, fingerprintOfOne(s.Terms))
		if s.Sum != nil {
			all = append(all, "sum", fingerprintOfOne(s.Sum))
		}
		if s.Operator != nil {
			all = append(all, fingerprint.NameOf(s.Operator), s.H.Start, s.H.Cell, s.H.Weight, s.Offset)
		}
	}
	return store.Key(spreadRevision, sightRevision, all)
}

// sightRevision is part of the key of posteriors whose data look through an operator. It goes up
// when the draws of these posteriors change, and the draws of others do not.
const sightRevision = 2

// spreadRevision is part of the same key. It goes up with the revision of the tables of correlations in package
// diffusion, from which the variances of what data look at are made.
const spreadRevision = 3

// fingerprintOfOne returns the key of one likelihood without its operator.
func fingerprintOfOne(t *Terms) string {
	link := []any{fingerprint.NameOf(t.Link)}
	if t.formula != nil {
		link = append(link, t.formula.String())
		for _, x := range []float64{-2, -0.3, 0, 0.7, 3} {
			link = append(link, t.Link.At(x))
		}
	} else {
		link = append(link, t.LinkKey())
	}
	f, n, conjugate := t.Family, t.natural, t.Family.Conjugate()
	values := []any{n.Eta.String(), n.Partition.String(), n.Low, n.High,
		fingerprint.NameOf(conjugate), fingerprint.FieldsOf(conjugate), conjugate.Coordinate().String()}
	for _, y := range []float64{-1.5, 0, 0.25, 1, 2, 7} {
		for _, known := range []Known{{}, Given(1), Given(3)} {
			values = append(values, fingerprint.Attempt(func() (any, error) { return f.Reduce(y, known) }))
		}
	}
	if own, ok := f.(General); ok {
		values = append(values, own.Coordinate().String())
		for _, u := range []float64{-3, -0.7, 0, 0.4, 2.5} {
			for _, t := range []Term{{Stat: 0, Size: 1}, {Stat: 1, Size: 1}, {Stat: 2.5, Size: 4},
				{Stat: 3, Size: 70}} {
				values = append(values, fingerprint.Attempt(func() (any, error) {
					value, slope, information := own.At(u, t)
					return []float64{value, slope, -information}, nil
				}))
			}
		}
	}
	return store.Key(link, fingerprint.NameOf(f), fingerprint.FieldsOf(f), values)
}

// Stored returns the posterior that sample makes, or the stored result of an earlier call with the same likelihood,
// observations and parts. A package with its own sampler stores its posteriors by this method. Families and links are
// compared by their types, their texts and the results of their methods at fixed numbers. The parts are everything else
// that determines the draws: the prior, the options with the seed, and a revision that is raised when the code changes
// (see [store.Key] for how parts are compared). With fresh, nothing is loaded and nothing is stored. The log goes to
// the logger of ctx ([WithLogger]).
func (f *Forward) Stored(ctx context.Context, fresh bool, obs Observations, sample func() (*Posterior, error),
	parts ...any) (*Posterior, error) {
	if fresh {
		return sample()
	}
	codec := store.Codec[*Posterior]{File: (*Posterior).File, From: f.terms.Likelihood.Restore}
	return store.OnceContext(ctx, "posterior", store.Key("stored", f.Fingerprint(), []Term(obs), parts), codec, sample)
}
