package gp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/internal/speak"
)

// Options are the options of [Stationary.Sample].
type Options struct {
	Draws int // default 500
	Seed  uint64
	// Fresh ignores what is stored and stores nothing.
	Fresh bool
}

// stationaryRevision is part of the key of stored posteriors. Raise it when a change of the code makes the same
// arguments give other draws.
const stationaryRevision = 9

// Sample makes independent draws of the posterior of x₀. A draw is a point of Laplace's approximation in the modes of
// the torus ([latent.ModeTarget]) after transitions of Hamiltonian Monte Carlo, as many as chains of a short run took
// to forget where they began. Draw k depends on the data, the seed and k alone. Info.Diagnostics has
//
//	moves   transitions of a draw
//	accept  mean acceptance probability of the transitions
//	mixed   1 if the chains of the short run forgot their starts, else 0
//
// The data may have an operator, linear or of sums of intensities.
//
// The result is stored, and a second call with the same arguments loads it. An interrupt returns the finished draws
// with an error that is [expfam.ErrInterrupted].
func (s *Stationary) Sample(like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, end := speak.Work("stationary Gaussian process", "")
	defer end()
	return s.SampleContext(ctx, like, obs, o)
}

// SampleContext is [Stationary.Sample] with a context: it ends when ctx ends; see [diffusion.SampleContext].
func (s *Stationary) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	forward, err := like.Forward(s.Dim())
	if err == nil {
		err = forward.Check(obs)
	}
	if err != nil {
		return nil, fmt.Errorf("gp: stationary: %w", err)
	}
	draw := func() (*expfam.Posterior, error) { return s.sample(ctx, forward, obs, o) }
	post, err := forward.Stored(ctx, o.Fresh, obs, draw, "stationary", stationaryRevision, s, o)
	if post != nil {
		post.Info.Rows, post.Info.Cols = s.Rows, s.Cols
		post.Examine(forward, obs)
	}
	return post, err
}

// sample makes the draws of [Stationary.Sample].
func (s *Stationary) sample(ctx context.Context, forward *expfam.Forward, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	start := time.Now()
	o.Draws = cmp.Or(o.Draws, 500)
	d := s.Dim()
	if o.Draws < 1 {
		return nil, fmt.Errorf("gp: stationary: %d draws; ask for at least 1, or 0 for 500", o.Draws)
	}
	speak.Say(ctx, "looking for the mode")
	target, err := latent.ByModes(ctx, s.diagonal(), forward.LogLikelihood(obs))
	var pilot *latent.Pilot
	if err == nil {
		pilot, err = latent.NewPilot(ctx, target,
			func(name string) *rand.Rand { return expfam.Stream(0, "stationary/"+name) })
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("gp: %w while the mode was sought", expfam.ErrInterrupted)
	}
	if err != nil {
		return nil, fmt.Errorf("gp: stationary: %w", err)
	}
	post := &expfam.Posterior{X: mat.NewDense(o.Draws, d, nil), Likelihood: forward.Terms().Likelihood,
		Info: expfam.Info{Method: s.String(), Engine: "go", Seed: o.Seed, Missing: obs.Blanks(),
			Diagnostics: map[string]float64{"moves": float64(pilot.Moves), "accept": pilot.Accept, "mixed": 0}}}
	if pilot.Mixed {
		post.Info.Diagnostics["mixed"] = 1
	}
	draws := speak.NewPace(ctx, "gp: stationary", fmt.Sprintf("%d draws of %d by %d cells", o.Draws, s.Rows, s.Cols),
		o.Draws)
	finished := make([]bool, o.Draws)
	_, _ = latent.Moves{Pilot: pilot, N: pilot.Moves, Laplace: true,
		Random: func(k int) *rand.Rand { return expfam.Stream(o.Seed, fmt.Sprintf("stationary/draw-%d", k)) },
		Done: func(k int) {
			finished[k] = true
			draws.Step(math.NaN())
		}}.Apply(ctx, post.X) // draws that are not finished tell of an interrupt
	if k := slices.Index(finished, false); k >= 0 {
		err := fmt.Errorf("gp: %w after %d of %d draws", expfam.ErrInterrupted, k, o.Draws)
		if k == 0 {
			return nil, err
		}
		post.X = mat.DenseCopyOf(post.X.Slice(0, k, 0, d))
		return post, err
	}
	post.SetCertificate(post.Certify(s, obs))
	post.Info.Seconds = time.Since(start).Seconds()
	return post, nil
}
