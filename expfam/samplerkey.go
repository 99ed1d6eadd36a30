package expfam

import (
	"context"

	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/internal/graphprint"
	"github.com/expfam/lab/expfam/store"
)

// samplerRevision is part of the key of stored posteriors: it goes up when the
// same configuration gives other draws.
const samplerRevision = 8

// run is a hash of all that determines draws but their numbers: the graph of a step,
// in which the prior, the guidance, the link and the family are what their code makes
// of them, the numbers of all steps, the data, the seed and the engine. With a corrector
// draws depend on the batch in which they moved. Types and texts are in it so that two
// configurations that agree by chance keep their own names.
func (c *Compiled) run(obs Observations) (string, error) {
	s, prior := c.sampler, c.prior
	g := c.graphsOf(c.plain())
	var program string
	for _, k := range c.kinds() {
		if k == corrector { // what it computes is in the affine graph
			continue
		}
		print, err := graphprint.Of(s.Engine.Backend, c.shapes(g.variant, 2, k), c.graph(g, k))
		if err != nil {
			return "", c.refused(err)
		}
		program += print
	}
	var coupling []float64
	if g.coupled {
		for _, step := range c.steps {
			coupling = append(coupling, prior.(Coupled).Coupling(step.Level.Sigma()))
		}
	}
	batch := 0
	if s.corrects() {
		batch = s.Batch
	}
	return store.Key("draws", samplerRevision, program, c.steps, coupling, c.adapts(), fingerprint.NameOf(prior), fingerprintOf(c.terms, c.forward), fingerprint.NameOf(s.Guidance), fingerprint.NameOf(s.Method),
		[]Term(obs), s.Seed, s.Engine.String(), s.Engine.Version(), s.DType.String(), batch), nil
}

// entry is where the result is stored; nil if it is not: a Go function as link
// has no text that determines it.
func (c *Compiled) entry(ctx context.Context, run string) (*store.Store, string) {
	s := c.sampler
	if s.Fresh || c.terms.formula == nil {
		return nil, ""
	}
	return store.UseContext(ctx), store.Key("posterior", run, s.First, s.Draws)
}

// adapts is what a prior and a method of one's own make of a demand; see
// [Compiled.fit].
func (c *Compiled) adapts() []any {
	var all []any
	if m, ok := c.sampler.Method.(Refiner); ok {
		for _, d := range []Demand{{End: 1e-3, Misfit: 1}, {End: 1e-5, Misfit: 50}} {
			all = append(all, m.Refine(d).Steps())
		}
	}
	if p, ok := c.prior.(Ranged); ok {
		low, high := p.Range()
		all = append(all, low, high)
	}
	if p, ok := c.prior.(Linear); ok {
		v := make([]float64, c.prior.Dim())
		for j := range v {
			v[j] = 1 / float64(j+1)
		}
		all = append(all, p.Multiply(v))
	}
	return all
}
