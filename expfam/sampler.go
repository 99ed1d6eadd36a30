package expfam

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/gomlx/compute/dtypes"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/store"
)

// Sampler says how to draw from a posterior. The zero value is the library's
// default: 500 draws, evidence by quadrature with correlations between cells,
// 30 evaluations of the prior's network.
type Sampler struct {
	Draws int // default 500
	// Seed of the draws. Draw k depends on Seed and k, not on Draws or Batch;
	// with a corrector, whose step is an average over the batch, on these too.
	Seed uint64
	// Method is the discretisation of the reverse diffusion. Default
	// Restarts{}.
	Method Method
	// Guidance is the approximation of the likelihood score. Default
	// Quadrature{}.
	Guidance Guidance
	// Batch is how many draws move together. Default: as many as hold four
	// million values of x_t (at least 1).
	Batch int
	// Engine runs the trajectory. Default engine.Default().
	Engine *engine.Engine
	// DType of the trajectory, Float32 or Float64. Default Float32.
	DType dtypes.DType
	// Fresh ignores what is stored and stores nothing.
	Fresh bool
	// Progress is called after each step with the number of steps done and
	// in all, and the noise level. Default none.
	Progress func(done, total int, sigma float64)
}

func (s Sampler) orDefault(prior Prior) (Sampler, error) {
	if prior == nil {
		return s, errors.New("sample: there is no prior; train one with expfam.Train, load one with expfam.LoadPrior or take one of package gp")
	}
	dim := prior.Dim()
	if dim < 1 {
		return s, fmt.Errorf("sample: the prior %v has %d cells; it needs at least 1", prior, dim)
	}
	if s.Draws == 0 {
		s.Draws = 500
	}
	if s.Draws < 0 || s.Batch < 0 {
		return s, fmt.Errorf("sample: %d draws in batches of %d; both must be positive", s.Draws, s.Batch)
	}
	if s.Method == nil {
		s.Method = Restarts{}
	}
	if s.Guidance == nil {
		s.Guidance = Quadrature{}
	}
	if s.Batch == 0 {
		s.Batch = max(1, 1<<22/dim)
	}
	s.Batch = min(s.Batch, s.Draws)
	if s.DType == dtypes.InvalidDType {
		s.DType = dtypes.Float32
	}
	if s.DType != dtypes.Float32 && s.DType != dtypes.Float64 {
		return s, fmt.Errorf("sample: dtype %s; use Float32 or Float64", s.DType)
	}
	if s.Engine == nil {
		e, err := engine.Default()
		if err != nil {
			return s, err
		}
		s.Engine = e
	}
	return s, nil
}

// Sample draws from the posterior of x₀ under a prior and a likelihood, given
// observations of its cells.
//
// The result is stored under a hash of everything that determines it, and a
// second call with the same arguments loads it. An interrupt (Ctrl-C, the
// notebook's stop button) returns the draws that are finished with an error
// that is [ErrInterrupted].
func Sample(prior Prior, like Likelihood, obs Observations, s Sampler) (*Posterior, error) {
	s, err := s.orDefault(prior)
	if err != nil {
		return nil, err
	}
	like.Link = like.link()
	cache, key, err := s.entry(prior, like, obs)
	if err != nil {
		return nil, err
	}
	if cache != nil {
		f, found, err := cache.Get("posterior", key)
		if err != nil {
			return nil, fmt.Errorf("sample: %w", err)
		}
		if found {
			post, err := PosteriorOf(f, like)
			if err == nil {
				return post, nil
			}
			slog.Warn("sample: the stored posterior is not used and will be made again", "reason", err)
		}
	}
	compiled, err := Compile(prior, like, s)
	if err != nil {
		return nil, err
	}
	defer compiled.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	post, err := compiled.Sample(ctx, obs, s.Seed)
	if err != nil || cache == nil {
		return post, err
	}
	f, err := post.File()
	if err != nil {
		return nil, err
	}
	return post, cache.Put("posterior", key, f)
}

// samplerRevision is part of the key of stored posteriors: it goes up when the
// same configuration gives other draws.
const samplerRevision = 4

// entry is where the result is stored; nil if it is not: a Go function as link
// has no text that determines it.
func (s Sampler) entry(prior Prior, like Likelihood, obs Observations) (*store.Store, string, error) {
	if s.Fresh {
		return nil, "", nil
	}
	if _, formula := LinkFormula(like.Link); !formula {
		return nil, "", nil
	}
	cache, err := store.Open("")
	if err != nil {
		return nil, "", fmt.Errorf("sample: %w; set Fresh to sample without a store", err)
	}
	key := store.Key("posterior", samplerRevision, prior.String(), like.String(), []Term(obs),
		s.Guidance, s.Method, s.Draws, s.Seed, s.Engine.String(), s.DType.String())
	return cache, key, nil
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
