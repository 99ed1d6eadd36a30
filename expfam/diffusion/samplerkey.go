package diffusion

import (
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/internal/graphcheck"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/store"
)

// samplerRevision is part of the key of stored posteriors. It is raised when a change of the
// code makes the same configuration give other draws.
const samplerRevision = 22

// key returns a hash of everything that determines the draws, except which draws are asked for. It covers the graph of
// every kind of step, the numbers of all steps, the data, the seed and the engine. The graphs contain what the code of
// the prior, the guidance, the link and the family computes. With a corrector the hash covers the batch too, because
// draws depend on the batch in which they moved. It also covers the types and names of prior, guidance and method, so
// that two configurations with the same graphs by chance have results of their own.
func (c *compiler) key(obs expfam.Observations) (string, error) {
	s, prior := c.sampler, c.prior
	g := c.graphsOf(c.plain())
	var program string
	for _, p := range c.programs(c.steps) {
		if p.kind == corrector { // the affine graph contains what a corrector computes
			continue
		}
		print, err := graphcheck.Fingerprint(s.Engine.Backend, c.shapes(g.variant, 2, p.kind), c.graph(g, p))
		if err != nil {
			return "", c.compileError(err)
		}
		program += print
	}
	var coupling []float64
	if g.coupled {
		for _, step := range c.steps {
			coupling = append(coupling, c.coupling(step.Level.Sigma()))
		}
	}
	batch := 0
	if s.corrects() {
		batch = s.Batch
	}
	return store.Key("draws", samplerRevision, program, c.steps, coupling, c.adapts(), fingerprint.NameOf(prior),
		c.forward.Fingerprint(), fingerprint.NameOf(s.Guidance), fingerprint.NameOf(s.Method),
		[]expfam.Term(obs), s.Seed, s.Engine.String(), s.Engine.Version(), s.DType.String(), batch, s.Moves,
		c.usual), nil
}

// posteriorKey returns the key of the posterior of a run.
func (s *setup) posteriorKey(run string) string {
	return store.Key("posterior", run, s.sampler.First, s.sampler.Draws)
}

// adapts returns what the method makes of some demands, the default numbers of steps that a [Quadrature] sets
// itself, and what the prior knows about itself. All three influence the draws through [Compiled.run], and the
// graphs do not contain them.
func (s *setup) adapts() []any {
	var all []any
	if m, ok := s.sampler.Method.(Refiner); ok {
		for _, d := range []Demand{{End: 1e-3, Misfit: 1}, {End: 1e-5, Misfit: 50},
			{End: 1e-3, Faint: true}, {End: 1e-3, Gaps: 0.5}} {
			all = append(all, m.Refine(d).Steps())
		}
	}
	// For some data 0 means more steps than the default, and the text of Quadrature is the same for both.
	if q, ok := s.sampler.Guidance.(Quadrature); ok && (q.Steps == defaultSteps || q.Newton == usualNewton) {
		all = append(all, "quadrature", q.Steps, q.Newton)
	}
	if p, ok := s.prior.(expfam.Ranged); ok {
		low, high := p.Range()
		all = append(all, low, high)
	}
	if p, ok := s.prior.(Graded); ok {
		for sigma := 1e-3; sigma < 1e3; sigma *= 1.05 {
			all = append(all, p.Grade(sigma))
		}
	}
	if s.linear() {
		v := make([]float64, s.prior.Dim())
		for j := range v {
			v[j] = 1 / float64(j+1)
		}
		if all = append(all, s.multiply(v)); len(v) > latent.ManyCells {
			all = append(all, "turns")
		}
		// A torus has more modes than the lattice has cells.
		if of, ok := traits.Spectrum(s.prior); ok && len(of.Variances) > latent.ManyModes {
			all = append(all, "informed modes")
		}
		if of, ok := traits.Spectrum(s.prior); ok && latent.Centred(len(of.Variances)) {
			all = append(all, "centre")
		}
		if mean, l, ok := traits.Modes(s.prior, 0); ok {
			if _, rank := l.Dims(); latent.Centred(rank) {
				all = append(all, "centre of modes")
			}
			var along mat.VecDense // the modes come from a method of their own
			along.MulVec(l.T(), mat.NewVecDense(len(v), v))
			all = append(all, mean, along.RawVector().Data)
		}
	}
	return all
}
