package expfam

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomlx/compute/dtypes"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/logging"
	"github.com/expfam/lab/internal/interrupt"
	"github.com/expfam/lab/internal/speak"
)

// Sampler says how to draw from a posterior. The zero value is the library's
// default: 500 draws, evidence by quadrature with correlations between cells,
// 30 evaluations of the prior's network.
type Sampler struct {
	Draws int // default 500
	// First is the number of the first of these draws, when they are a share of a
	// longer run; see [Sampler.Share].
	First int
	// Seed of the draws. Draw k depends on Seed and k, to the bit on one engine and
	// processor, not on Draws, Batch, Memory or what the store holds; with a corrector,
	// whose step is an average over the batch, on the batch too.
	Seed uint64
	// Method is the discretisation of the reverse diffusion. Default
	// Restarts{}. A method that is a [Refiner] takes more steps where the data are
	// more precise than its last noise level, or surprise the prior.
	Method Method
	// Guidance is the approximation of the likelihood score. Default
	// Quadrature{}.
	Guidance Guidance
	// Batch is how many draws go through all steps before the next ones begin: what an
	// interrupt loses at most, and what Progress and Watch see at once. Default: as many
	// as keep an engine busy and fit into Memory, at least 1, in batches of about the
	// same size. The engine is busy with 2²⁵ numbers in an evaluation: four million
	// values of x_t under a Gaussian process, 64 thousand under the default U-Net.
	// Whatever the batch, engines evaluate blocks of one size, 128 draws (32 in pure Go) of a small
	// network and one of a U-Net: small batches of small networks cost as much as these.
	Batch int
	// Memory in bytes bounds the default Batch: it has no more draws than would fit if
	// all of them were evaluated at once. The blocks that are take less, see [Plan].
	// Default: a quarter of what the machine has free, at most 4 GB. With a
	// corrector, whose batches are blocks and determine its draws, no bound.
	Memory int64
	// Engine runs the trajectory. Default engine.Default().
	Engine *engine.Engine
	// DType of the trajectory, Float32 or Float64. Default Float32; what the data
	// need Float64 for is computed in Float64 all the same.
	DType dtypes.DType
	// Fresh ignores what is stored and stores nothing.
	Fresh bool
	// Progress is called after each step with the number of steps done and
	// in all, those of all batches, and the noise level. A run that goes on
	// from draws of a former one starts with their steps done. Default none; a cell of a
	// notebook then shows a bar.
	Progress func(done, total int, sigma float64)
	// Watch is called after each step with the noise level from which it went and
	// the estimates of x₀ there, E[x₀ | x_t, y], of the draws of a batch, of
	// which first is the first. Draws that are loaded have no steps: set Fresh.
	// Default none.
	Watch func(first int, sigma float64, estimate *Draws)
	// Plan is called once, between compiling and the first step, with what a
	// run will take. Default: a line in the log if it takes several batches, or in the bar.
	Plan func(Plan)
}

func (s Sampler) orDefault(prior Prior) (Sampler, error) {
	if prior == nil {
		return s, errors.New("sample: there is no prior; train one with learn.Train, load one with learn.Load or take one of package gp")
	}
	if err := CheckPrior(prior); err != nil {
		return s, fmt.Errorf("sample: %w", err)
	}
	dim := prior.Dim()
	if dim < 1 {
		return s, fmt.Errorf("sample: the prior %v has %d cells; it needs at least 1", prior, dim)
	}
	if s.Draws == 0 {
		s.Draws = 500
	}
	if s.Draws < 0 || s.First < 0 || s.Batch < 0 || s.Memory < 0 {
		return s, fmt.Errorf("sample: %d draws from number %d on in batches of %d in %d bytes; none may be negative", s.Draws, s.First, s.Batch, s.Memory)
	}
	if err := s.fit(dim); err != nil {
		return s, err
	}
	if s.Method == nil {
		s.Method = Restarts{}
	}
	if s.Guidance == nil {
		s.Guidance = Quadrature{}
	}
	if c, ok := s.Guidance.(Checker); ok {
		if err := c.Check(); err != nil {
			return s, fmt.Errorf("sample: %w", err)
		}
	}
	if s.DType == dtypes.InvalidDType {
		s.DType = dtypes.Float32
	}
	if s.DType != dtypes.Float32 && s.DType != dtypes.Float64 {
		return s, fmt.Errorf("sample: dtype %s; use Float32 or Float64", s.DType)
	}
	if s.First > 0 && s.corrects() && (s.Batch == 0 || s.First%s.Batch != 0) {
		return s, fmt.Errorf("sample: draws from number %d on in batches of %d with a corrector, by which draws of a batch depend on each other; set Batch, and First to a multiple of it", s.First, s.Batch)
	}
	if s.Engine == nil {
		e, err := engine.Default()
		if err != nil {
			return s, err
		}
		s.Engine = e
	}
	if s.Batch == 0 {
		s.Batch = s.batch(prior)
	}
	if s.First == 0 { // the last share of a run has its batches, full or not
		s.Batch = min(s.Batch, s.Draws)
	}
	return s, nil
}

// Sample draws from the posterior of x₀ under a prior and a likelihood, given
// observations of its cells.
//
// It looks at the data before the first step. Where they fix a cell far below the
// last noise level the diffusion ends lower; where a log-likelihood has more digits
// than Float32 the evidence is computed in Float64. Data for which no posterior can
// be sampled are refused with the cell and the cause: an observation 30 prior
// standard deviations out, a field that a Gaussian prior cannot have made, an offset
// that Float64 does not resolve.
//
// The result is stored under a hash of everything that determines it, and a
// second call with the same arguments loads it. The hash sees what code computes, of
// families, links, priors and guidances of one's own as well: edited code samples
// again. An interrupt (Ctrl-C, the notebook's stop button) returns the draws of the
// batches that are finished with an error that is [ErrInterrupted]. They are stored as well, and a later
// call goes on from there. Draw k being the same in every run, the later call
// may ask for other Draws and another Batch, and a call for more draws than a
// finished run has makes only those that are missing. A store that can't be
// written is a warning in the log, before the first step where that can be known,
// and the draws are returned all the same.
func Sample(prior Prior, like Likelihood, obs Observations, s Sampler) (*Posterior, error) {
	ctx, stop := interrupt.Context()
	defer stop()
	ctx, end := speak.With(ctx, "sampling", "noise level")
	defer end()
	return SampleContext(ctx, prior, like, obs, s)
}

// SampleContext is [Sample] for programs that decide themselves what ends their work: it
// ends with ctx, as Sample does with an interrupt, to which it does not listen. Its log
// goes to the logger of ctx ([WithLogger]).
func SampleContext(ctx context.Context, prior Prior, like Likelihood, obs Observations, s Sampler) (post *Posterior, err error) {
	if s, err = s.orDefault(prior); err != nil {
		return nil, err
	}
	if bar := speak.From(ctx); bar != nil && s.Progress == nil {
		s.Progress = bar.Step
	}
	terms, err := like.Terms()
	if err != nil {
		return nil, err
	}
	compiled, err := prepare(prior, terms, s)
	if err != nil {
		return nil, err
	}
	run, err := compiled.run(obs)
	if err != nil {
		return nil, err
	}
	defer func() {
		if post != nil {
			post.Info.Run = run
			post.Info.Rows, post.Info.Cols = shapeOf(prior)
		}
	}()
	cache, key := compiled.entry(ctx, run)
	if f, found := cache.Load("posterior", key); found {
		post, err := posteriorOf(f, terms.Likelihood)
		if err == nil {
			return post, nil
		}
		logging.From(ctx).Warn("sample: the stored posterior is not used and will be made again", "reason", err)
	}
	former := compiled.partial(ctx, cache, run)
	if post := former.prefix(s.Draws); post != nil {
		return post, nil
	}
	// The batches and the posterior that they become, in float64.
	cache.Ready("posterior", 2*8*int64(s.Draws)*int64(prior.Dim()))
	if err := compiled.compile(ctx); err != nil {
		return nil, err
	}
	defer compiled.Close()
	post, err = compiled.sample(ctx, obs, s.Seed, former)
	if err != nil || cache == nil {
		return post, err
	}
	f, err := post.File()
	if err != nil {
		return post, err
	}
	if cache.Keep("posterior", key, f) {
		former.finish(key, s.Draws)
	}
	return post, nil
}

// Must returns v, or panics with err: for lessons, where a cell has no caller
// to return an error to.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// since is the wall time from start, in seconds.
func since(start time.Time) float64 { return time.Since(start).Seconds() }
