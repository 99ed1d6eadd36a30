package diffusion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/speak"
)

// Compiled is a sampler whose graphs are compiled. It samples any observations of the same cells without compiling
// again. The exception are observations that need other graphs than the ones before them; very precise observations do.
// One goroutine at a time may use it.
type Compiled struct {
	*setup
	compiler *compiler
	moments  *moments // of the prior's cells, once something asked for them
}

// Compile checks the likelihood, builds the sampler's graphs and compiles them.
// Named constants of the link are compiled in; see [Live].
func Compile(prior expfam.Prior, like expfam.Likelihood, s Sampler) (*Compiled, error) {
	return CompileContext(context.Background(), prior, like, s)
}

// CompileContext is [Compile] with a context: it begins no work when ctx is done, and logs
// to the logger of ctx. A compilation that has begun is finished.
func CompileContext(ctx context.Context, prior expfam.Prior, like expfam.Likelihood, s Sampler) (*Compiled, error) {
	if err := checkNoUnknowns(prior, like, "Compile"); err != nil {
		return nil, err
	}
	c, err := s.prepare(ctx, prior, like)
	if err != nil {
		return nil, err
	}
	return c, c.compile(ctx)
}

// checkNoUnknowns refuses a model with unknown parameters or with cells ahead of the data, of which [Sample] makes
// their values.
func checkNoUnknowns(prior expfam.Prior, like expfam.Likelihood, what string) error {
	if hasUnknowns(prior, like) || augmentationOf(prior).extraCells() > 0 {
		return fmt.Errorf("sample: the model has unknown parameters, which %s does not draw; take Sample", what)
	}
	return nil
}

// prepare returns the sampler with its defaults and without graphs.
func (s Sampler) prepare(ctx context.Context, prior expfam.Prior, like expfam.Likelihood) (*Compiled, error) {
	s, err := s.orDefault(prior)
	if err != nil {
		return nil, err
	}
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	return prepare(ctx, prior, terms, s)
}

// prepare returns a sampler without graphs; see [newSetup].
func prepare(ctx context.Context, prior expfam.Prior, terms *expfam.Terms, s Sampler) (*Compiled, error) {
	setup, err := newSetup(ctx, prior, terms, s)
	if err != nil {
		return nil, err
	}
	return &Compiled{setup: setup, compiler: newCompiler(setup)}, nil
}

// compile compiles the graphs for data that ask for nothing special, and logs what a run will take.
func (c *Compiled) compile(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("sample: %w before compiling", expfam.ErrInterrupted)
	}
	if _, err := c.compiler.ready(c.plain(), c.steps); err != nil {
		return err
	}
	c.sampler.announce(ctx, c.Plan())
	return nil
}

// Plan returns the expected cost of a run.
func (c *Compiled) Plan() Plan {
	s, products := c.sampler, slices.Collect(maps.Values(c.compiler.compiled[c.plain()].products))
	return Plan{
		Draws: s.Draws, Batch: s.Batch, Batches: batchCount(s.Draws, s.Batch), Evaluations: len(c.steps),
		Memory: int64(s.needs(c.prior, slices.Max(products)).
			of(c.block, c.workers)) + batchesInFlight*int64(s.DType.Size()*c.prior.Dim()*s.Batch),
	}
}

// Sample draws from the posterior given observations, without the store. The function [Sample]
// loads and stores its result. Info has the certificate under a Gaussian prior, and no other checks.
func (c *Compiled) Sample(ctx context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error) {
	post, err := c.sample(ctx, obs, seed, nil)
	if post != nil && c.linear() {
		post.SetCertificate(post.Certify(c.prior, obs))
	}
	return post, err
}

// sample takes the draws that former runs have stored, makes the missing ones and stores
// them batch by batch. With stored nil it makes all draws and stores none.
func (c *Compiled) sample(ctx context.Context, obs expfam.Observations, seed uint64,
	stored *storage) (*expfam.Posterior, error) {
	began, d, draws := time.Now(), c.prior.Dim(), c.sampler.Draws
	if err := c.check(obs); err != nil {
		return nil, err
	}
	if c.direct() {
		if err := c.affordable(); err != nil {
			return nil, err
		}
		speak.Say(ctx, "mode of the posterior, and pilot chains")
		if p, err := c.polish(ctx, obs); err != nil || p != nil && p.pilot.Mixed {
			if err == nil {
				err = c.possible(obs)
			}
			if err != nil {
				return nil, err
			}
			return c.sampleDirect(ctx, obs, seed, p, stored, began)
		}
	}
	if err := c.compile(ctx); err != nil {
		return nil, err
	}
	r, err := c.run(ctx, obs)
	if err != nil {
		return nil, err
	}
	polish, err := c.polish(ctx, obs)
	if err != nil {
		return nil, err
	}
	post := &expfam.Posterior{X: mat.NewDense(draws, d, nil), Likelihood: c.terms.Likelihood, Info: expfam.Info{
		Method:      fmt.Sprintf("%v, %v", r.graphs.guidance, r.method),
		Engine:      c.sampler.Engine.String(),
		Seed:        seed,
		First:       c.sampler.First,
		Evaluations: len(r.steps),
		Products:    r.graphs.taken(r.setup, r.steps),
		Missing:     obs.Blanks(),
		Compile:     c.compiler.seconds,
		Memory:      c.Plan().Memory,
		Seconds:     secondsSince(began),
	}}
	defer func() { polish.report(&post.Info) }()
	for range r.workers {
		pair := c.observationTensors(r.graphs, obs)
		defer engine.Release(pair[:]...)
		r.data = append(r.data, pair)
	}
	whole, err := c.batches(post, stored, func(x *mat.Dense, first int) error {
		if err := r.batch(seed, first).move(ctx, post.X); err != nil {
			return err
		}
		return polish.apply(ctx, x, seed, c.sampler.First+first)
	})
	if err == nil && r.imputed != nil {
		post.Info.Diagnostics = map[string]float64{"gaps": observedShare(r.imputed), "uneven": r.uneven}
	}
	return whole, err
}

// batches fills the draws of a posterior, batch by batch, with those that former runs have stored and by move, which
// writes the draws x from number first on. After an interrupt it returns the posterior with the finished batches.
func (c *Compiled) batches(post *expfam.Posterior, stored *storage, move func(x *mat.Dense, first int) error) (
	*expfam.Posterior, error) {
	draws, d := post.Dims()
	for first := 0; first < draws; {
		n, seconds := stored.load(post.X, first)
		if n == 0 {
			n = min(c.sampler.Batch, draws-first)
			start := time.Now()
			err := move(post.X.Slice(first, first+n, 0, d).(*mat.Dense), first)
			if errors.Is(err, expfam.ErrInterrupted) && first > 0 {
				post.X = mat.DenseCopyOf(post.X.Slice(0, first, 0, d))
				return post, fmt.Errorf("sample: %w after %d of %d draws%s", expfam.ErrInterrupted, first, draws,
					stored.hint())
			}
			if err != nil {
				return nil, fmt.Errorf("sample: %w", err)
			}
			if seconds = secondsSince(start); first+n < draws {
				stored.save(post.X, first, n, seconds)
			}
		}
		first, post.Info.Seconds = first+n, post.Info.Seconds+seconds
	}
	return post, nil
}

// Close frees the compiled graphs.
func (c *Compiled) Close() { c.compiler.close() }
