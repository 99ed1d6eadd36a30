package increments

import (
	"context"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
)

// Method makes draws of signals given data.
type Method interface {
	String() string
	// Open compiles the method for a problem and a number of draws.
	Open(ctx context.Context, p *Problem, draws int) (Opened, error)
}

// Opened is a method that is ready for any data of its problem.
type Opened interface {
	// Sample makes draws of the signal, (draws, cells). It also returns the number of evaluations of the network per
	// draw.
	Sample(ctx context.Context, y []float64, seed uint64) (draws *mat.Dense, evaluations int, err error)
	Close()
}

// Guided is a sampler of the library on a model: a method of steps and a guidance.
type Guided struct {
	Model   Model
	Sampler diffusion.Sampler
}

func (g Guided) String() string {
	return fmt.Sprintf("%v, %v, %v", g.Sampler.Method, g.Sampler.Guidance, g.Model.Prior)
}

// Chung is [CDPS] on a model.
type Chung struct {
	CDPS
	Model Model
}

func (c Chung) String() string { return fmt.Sprintf("%v, %v", c.CDPS, c.Model.Prior) }

// Open implements [Method].
func (c Chung) Open(ctx context.Context, p *Problem, draws int) (Opened, error) {
	c.A = c.Model.operator(p)
	return Guided{c.Model, diffusion.Sampler{Method: c.CDPS, Guidance: c.CDPS}}.Open(ctx, p, draws)
}

type guided struct {
	Guided
	compiled *diffusion.Compiled
	like     expfam.Likelihood
}

// Open implements [Method].
func (g Guided) Open(ctx context.Context, p *Problem, draws int) (Opened, error) {
	like := g.Model.likelihood(p)
	s := g.Sampler
	s.Draws = draws
	c, err := diffusion.CompileContext(ctx, g.Model.Prior, like, s)
	if err != nil {
		return nil, fmt.Errorf("increments: %v, %v: %w", g, p, err)
	}
	return &guided{g, c, like}, nil
}

func (g *guided) Sample(ctx context.Context, y []float64, seed uint64) (*mat.Dense, int, error) {
	obs, err := g.like.Observe1(y...)
	if err != nil {
		return nil, 0, err
	}
	post, err := g.compiled.Sample(ctx, obs, seed)
	if err != nil {
		return nil, 0, err
	}
	return g.Model.signals(post.X), post.Info.Evaluations, nil
}

func (g *guided) Close() { g.compiled.Close() }

// PlugAndPlay is [DPnP] on a model.
type PlugAndPlay struct {
	DPnP
	Model Model
}

func (s PlugAndPlay) String() string { return fmt.Sprintf("%v, %v", s.DPnP, s.Model.Prior) }

type split struct {
	PlugAndPlay
	*splitGibbs
	draws int
}

// Open implements [Method].
func (s PlugAndPlay) Open(_ context.Context, p *Problem, draws int) (Opened, error) {
	gibbs, err := newSplitGibbs(s.DPnP, s.Model.Prior, s.Model.operator(p), p.Noise)
	if err != nil {
		return nil, fmt.Errorf("increments: %v, %v: %w", s, p, err)
	}
	return &split{s, gibbs, draws}, nil
}

func (s *split) Sample(_ context.Context, y []float64, seed uint64) (*mat.Dense, int, error) {
	x, err := s.sample(y, s.draws, seed)
	if err != nil {
		return nil, 0, err
	}
	m := s.splitGibbs.DPnP
	return s.Model.signals(x), m.Rounds * m.Steps, nil
}

func (s *split) Close() { s.close() }

// Run scores a method on test signal k, whose exact posterior is truth.
func Run(ctx context.Context, o Opened, p *Problem, k int, signal Signal, truth *Truth) (Score, error) {
	start := time.Now()
	draws, evaluations, err := o.Sample(ctx, signal.Y, uint64(k))
	if err != nil {
		return Score{}, fmt.Errorf("increments: %v, signal %d: %w", p, k, err)
	}
	s := p.Score(draws, signal, truth)
	s.Signal, s.Evaluations, s.Seconds = k, evaluations, time.Since(start).Seconds()
	return s, nil
}
