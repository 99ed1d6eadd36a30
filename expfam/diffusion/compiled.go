package diffusion

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
)

// Compiled is a sampler whose graphs are compiled. It samples any observations of the
// same cells without compiling again. The exception are observations that need other
// graphs than the ones before them; very precise observations do. One goroutine at a time
// may use it.
type Compiled struct {
	prior   expfam.Prior
	terms   *expfam.Terms
	forward *expfam.Forward
	sampler Sampler
	block   int    // number of draws in one evaluation
	steps   []Step // steps of the method as it was given, before data refine it
	graphs  map[variant]*graphs
	// mean and sd are the mean and standard deviation of the prior per cell, once something asked for them.
	mean, sd []float64
	// correlation and tables are the correlations of the prior's cells, once an operator asked for them.
	correlation, tables *correlations
	roots               map[float64][]float64 // see [Compiled.rooted]
	compiling           float64               // seconds that compiling took
	// constants names the constants of the link that are inputs of the graphs, and values has their values.
	constants []string
	values    []float64
}

// Compile checks the likelihood, builds the sampler's graphs and compiles them.
// Named constants of the link are compiled in; see [Live].
func Compile(prior expfam.Prior, like expfam.Likelihood, s Sampler) (*Compiled, error) {
	return CompileContext(context.Background(), prior, like, s)
}

// CompileContext is [Compile] with a context: it begins no work when ctx is done, and logs
// to the logger of ctx. A compilation that has begun is finished.
func CompileContext(ctx context.Context, prior expfam.Prior, like expfam.Likelihood, s Sampler) (*Compiled, error) {
	s, err := s.orDefault(prior)
	if err != nil {
		return nil, err
	}
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	c, err := prepare(ctx, prior, terms, s)
	if err != nil {
		return nil, err
	}
	return c, c.compile(ctx)
}

// prepare returns a sampler without graphs. s has its defaults, but may lack a method: then the
// method is the one that suits the prior.
func prepare(ctx context.Context, prior expfam.Prior, terms *expfam.Terms, s Sampler) (*Compiled, error) {
	forward, err := terms.Forward(prior.Dim())
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	c := &Compiled{prior: prior, terms: terms, forward: forward, sampler: s, block: s.block(prior),
		graphs: make(map[variant]*graphs)}
	if s.Method == nil {
		if c.sampler.Method, err = c.suited(ctx); err != nil {
			return nil, err
		}
	}
	if c.steps, err = c.trajectory(c.sampler.Method); err != nil {
		return nil, err
	}
	return c, c.sampler.draws(c.steps)
}

// compile compiles the graphs for data that ask for nothing special, and logs what a run
// will take.
func (c *Compiled) compile(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("sample: %w before compiling", expfam.ErrInterrupted)
	}
	if _, err := c.ready(c.plain()); err != nil {
		return err
	}
	c.sampler.announce(ctx, c.Plan())
	return nil
}

// Close frees the compiled graphs.
func (c *Compiled) Close() {
	for _, g := range c.graphs {
		g.close()
	}
}
