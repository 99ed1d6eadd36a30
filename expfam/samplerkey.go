package expfam

import (
	"github.com/expfam/lab/expfam/internal/graphprint"
	"github.com/expfam/lab/expfam/store"
)

// samplerRevision is part of the key of stored posteriors: it goes up when the
// same configuration gives other draws.
const samplerRevision = 6

// run is a hash of all that determines draws but their numbers: the graph of a step,
// in which the prior, the guidance, the link and the family are what their code makes
// of them, the numbers of all steps, the data, the seed and the engine. With a corrector
// draws depend on the batch in which they moved. Types and texts are in it so that two
// configurations that agree by chance keep their own names.
func (s Sampler) run(prior Prior, like Likelihood, obs Observations) (string, error) {
	c, err := prepare(prior, like, s, false)
	if err != nil {
		return "", err
	}
	program, err := graphprint.Of(s.Engine.Backend, c.shapes(2), c.graph(false))
	if err != nil {
		return "", c.refused(err)
	}
	var coupling []float64
	if c.coupled {
		for _, step := range c.steps {
			coupling = append(coupling, prior.(Coupled).Coupling(step.Level.Sigma()))
		}
	}
	batch := 0
	if s.corrects() {
		batch = s.Batch
	}
	return store.Key("draws", samplerRevision, program, c.steps, coupling, nameOf(prior), fingerprintOf(c.like), nameOf(s.Guidance), nameOf(s.Method),
		[]Term(obs), s.Seed, s.Engine.String(), s.Engine.Version(), s.DType.String(), batch), nil
}

// entry is where the result is stored; nil if it is not: a Go function as link
// has no text that determines it.
func (s Sampler) entry(like Likelihood, run string) (*store.Store, string) {
	if s.Fresh {
		return nil, ""
	}
	if _, formula := LinkFormula(like.Link); !formula {
		return nil, ""
	}
	return store.Use(), store.Key("posterior", run, s.First, s.Draws)
}
