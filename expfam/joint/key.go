package joint

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/store"
)

// key returns the key under which a posterior is stored.
func (m *model) key(o Options) (key string, err error) {
	zero := make([]float64, len(m.parameters))
	values := m.values(zero)
	like, obs, err := m.like.With(values[m.own:], m.obs)
	if err != nil {
		return "", err
	}
	forward, err := like.Forward(m.cells)
	if err != nil {
		return "", err
	}
	var mean, cov []float64 // the name of a sparse prior has all of its numbers
	if m.sparse == nil {
		var k *mat.SymDense
		if mean, k, err = m.normal(values[:m.own]); err != nil {
			return "", err
		}
		cov = k.RawSymmetric().Data
	}
	var texts []string
	for _, p := range m.parameters {
		texts = append(texts, p.Name, p.Unit, law.Text(p.Law))
	}
	o.Fresh = false
	all := []any{"joint", revision, m.name, texts, mean, cov, forward.Fingerprint(), []expfam.Term(obs), o}
	if m.sparse == nil && m.cells > leaveCells {
		all = append(all, "low rank")
	}
	return store.Key(all...), nil
}

// Stored returns the posterior that sample makes, or the stored result of an earlier call with the same key, whose
// likelihood has the medians of its unknown constants. The first parameters, so many as before says, are no constants.
// With fresh, nothing is loaded and nothing is stored.
func Stored(ctx context.Context, fresh bool, key string, like expfam.Likelihood, obs expfam.Observations, before int,
	sample func() (*expfam.Posterior, error)) (*expfam.Posterior, error) {
	if fresh {
		return sample()
	}
	return store.OnceContext(ctx, "posterior", key, store.Codec[*expfam.Posterior]{File: (*expfam.Posterior).File,
		From: func(f *store.File) (*expfam.Posterior, error) { return restore(like, obs, before, f) }}, sample)
}

// restore returns the posterior of a file.
func restore(like expfam.Likelihood, obs expfam.Observations, before int, f *store.File) (*expfam.Posterior, error) {
	var stored expfam.Posterior
	err := stored.RestoreParameters(f)
	if err != nil {
		return nil, err
	}
	parameters := stored.Parameters
	if len(parameters) < before {
		return nil, fmt.Errorf("joint: the file has %d parameters, and the model has more", len(parameters))
	}
	if like, _, err = AtMedians(like, obs, parameters[before:]); err != nil {
		return nil, err
	}
	return like.Restore(f)
}

// AtMedians returns a likelihood and its observations with the unknown constants at the medians of their draws.
func AtMedians(like expfam.Likelihood, obs expfam.Observations, constants []expfam.ParameterDraws) (expfam.Likelihood,
	expfam.Observations, error) {
	var medians []float64
	for _, p := range constants {
		medians = append(medians, p.Median())
	}
	like, obs, err := like.With(medians, obs)
	if err != nil {
		return like, nil, err
	}
	terms, err := like.Terms()
	if err != nil {
		return like, nil, err
	}
	return terms.Likelihood, obs, nil
}
