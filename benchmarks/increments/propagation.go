package increments

import (
	"cmp"
	"context"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
)

// Propagation is a diffusion for independent increments that approximates p(x₀ | x_t, y) by expectation propagation
// (Minka 2001). Increments given x_t may be far from normal: those of [BernoulliLaplace] are either at a
// point or spread out. diffusion.Quadrature takes increments given x_t for normal, and Propagation does not. It
// replaces the prior of increment j by a site N(u; ηⱼ/λⱼ, 1/λⱼ), so that
//
//	p(u | x_t, y) ≈ N(y; A u, s²) Π N(x_t/√α; u, σ²) sites
//
// is a normal distribution. Without its own site, increment j has the cavity N(cⱼ, vⱼ), which acts like an observation
// cⱼ of the increment in noise of variance vⱼ. The product of the prior and the cavity has the moments of the prior at
// cⱼ and this noise level. The new site gives the normal distribution these moments. The prior is therefore evaluated
// with a noise level for every cell, which [Mixture.Moments] accepts, and no Jacobian is needed. Counts get sites of
// their own, and the moments of p(y_k | z_k) and its cavity are integrals over one variable.
//
// A step draws x₀′ from the normal distribution, and x_s from q(x_s | x_t, x₀′), as diffusion.CovarianceSteps does. The
// first x_t adds noise to a draw that is made without any x_t.
type Propagation struct {
	Model Model
	// Steps is the number of noise levels from Start to End, in equal ratios. Default 30 levels, from 10 to 0.01 in
	// units of the increments.
	Steps      int
	Start, End float64
	// Rounds is the number of rounds of propagation at a level. They start from the sites of the level before. First is
	// the number of rounds without x_t, before the first level. Default 5 and 30.
	Rounds, First int
	// Damping is the share of the way to their new values that sites move in a round. Default 0.7.
	Damping float64
	// Hold leaves a site as it is in those first rounds in which its precision would become negative. Default false:
	// the site moves towards a precision of 0. Counts of signals with large jumps need Hold. The increments between two
	// data that share a large jump have sites of one precision. Without Hold this precision falls to 0, jumps up and
	// falls again, for as long as 1600 rounds and also under dampings of 0.3 and 0.15, and all draws may be far off.
	// With Hold the sites stand still after some 30 rounds.
	Hold bool
	// Moves is the number of sweeps of a Markov chain at the end. The chain starts from each draw of the last level,
	// and leaves the exact posterior of normal data invariant. Default none, because moves use the density of the prior
	// in closed form: the prior must be a [Mixture]. A network has no such density, so moves are for priors of
	// independent increments alone. A sweep computes a logarithm for every increment and every normal distribution of
	// the mixture, as an evaluation of the prior does, and counts as one evaluation. It takes four times as long, 10 ms
	// for 50 draws under 21 normal distributions, because matrices are updated. After five sweeps, draws of
	// Bernoulli-Laplace signals differ from exact ones by less than their own errors, and [Propagated] takes ten.
	Moves int
}

func (m Propagation) orDefault() Propagation {
	m.Steps, m.Start, m.End = cmp.Or(m.Steps, 30), cmp.Or(m.Start, 10), cmp.Or(m.End, 0.01)
	m.Rounds, m.First, m.Damping = cmp.Or(m.Rounds, 5), cmp.Or(m.First, 30), cmp.Or(m.Damping, 0.7)
	return m
}

func (m Propagation) String() string {
	m = m.orDefault()
	more := ""
	if m.Hold {
		more = ", first rounds held"
	}
	if m.Moves > 0 {
		more += fmt.Sprintf(", moves=%d", m.Moves)
	}
	return fmt.Sprintf("propagation(%d+%d×%d, σ=%g…%g, damping=%g%s), %v", m.First, m.Steps, m.Rounds, m.Start, m.End,
		m.Damping, more, m.Model.Prior)
}

// Check returns an error for impossible numbers of steps, rounds and moves, noise levels or damping.
func (m Propagation) Check() error {
	m = m.orDefault()
	if m.Steps < 2 || m.Rounds < 1 || m.First < 1 || !(0 < m.End && m.End < m.Start) ||
		!(0 < m.Damping && m.Damping <= 1) {
		return fmt.Errorf("increments: %v; give at least two steps and one round, 0 < End < Start, and a damping "+
			"in (0, 1]", m)
	}
	if _, closed := m.Model.Prior.(*Mixture); m.Moves < 0 || m.Moves > 0 && !closed {
		return fmt.Errorf("increments: %d sweeps of moves under %v; take a Mixture as prior and a positive number, "+
			"or no moves", m.Moves, m.Model.Prior)
	}
	return nil
}

type propagator struct {
	Propagation
	a       *mat.Dense
	problem *Problem
	denoise *Exec
	engine  *engine.Engine
	draws   int
}

// Open implements [Method].
func (m Propagation) Open(_ context.Context, p *Problem, draws int) (Opened, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if m.Moves > 0 && p.Counts != nil {
		return nil, fmt.Errorf("increments: %d sweeps of moves for %v; take normal data, or no moves", m.Moves, p)
	}
	e, err := engine.Default()
	if err != nil {
		return nil, err
	}
	o := &propagator{Propagation: m.orDefault(), engine: e, a: m.Model.operator(p), problem: p, draws: draws}
	if p.Counts != nil {
		o.a.Scale(1/p.power, o.a)
	}
	o.denoise, err = NewExec(e.Backend, func(x, sqrtAlpha, v *Node) []*Node {
		mean, variance := m.Model.Prior.Moments(x, level.Nodes{SqrtAlpha: sqrtAlpha, V: v})
		return []*Node{mean, BroadcastToDims(variance, mean.Shape().Dimensions...)}
	})
	return o, err
}

func (o *propagator) Close() { o.denoise.Finalize() }

// Sample implements [Opened]. Each round evaluates the prior once, and each sweep of moves counts as one evaluation.
func (o *propagator) Sample(_ context.Context, y []float64, seed uint64) (*mat.Dense, int, error) {
	rng := expfam.Stream(seed, "increments/propagation")
	all, err := o.sites(y)
	if err != nil {
		return nil, 0, err
	}
	evaluations := 0
	// settle propagates for some rounds at a noise level.
	settle := func(some []*sites, sigma float64, rounds int) error {
		for range rounds {
			if err := each(some, func(_ int, s *sites) error { return s.marginals(sigma, o.Damping) }); err != nil {
				return err
			}
			if err := o.propagate(some, sigma); err != nil {
				return err
			}
			evaluations++
		}
		return nil
	}
	// draw leaves draws of u in the sites.
	draw := func(sigma float64) error {
		for _, s := range all {
			for j := range s.draw {
				s.draw[j] = rng.NormFloat64()
			}
		}
		return each(all, func(_ int, s *sites) error { return s.sample(sigma) })
	}
	before := math.Inf(1)
	// Without x_t all draws have the same sites.
	if err := settle(all[:1], before, o.First); err != nil {
		return nil, 0, err
	}
	for _, s := range all[1:] {
		s.follow(all[0])
	}
	if err := draw(before); err != nil {
		return nil, 0, err
	}
	for _, sigma := range floats.LogSpan(make([]float64, o.Steps), o.Start, o.End) {
		kept := math.Pow(sigma/before, 2)
		fresh := sigma * math.Sqrt(1-kept)
		for _, s := range all {
			for j := range s.x {
				s.x[j] = kept*s.x[j] + (1-kept)*s.draw[j] + fresh*rng.NormFloat64()
			}
		}
		if err := settle(all, sigma, o.Rounds); err != nil {
			return nil, 0, err
		}
		if err := draw(sigma); err != nil {
			return nil, 0, err
		}
		before = sigma
	}
	if o.Moves > 0 {
		if err := o.finish(all, seed); err != nil {
			return nil, 0, err
		}
		evaluations += o.Moves
	}
	out := mat.NewDense(o.draws, Cells, nil)
	for i, s := range all {
		out.SetRow(i, s.draw)
	}
	return o.Model.signals(out), evaluations, nil
}

// propagate moves all sites towards the moments of the prior in their cavities.
func (o *propagator) propagate(all []*sites, sigma float64) error {
	in := [3][]float32{} // x_t, √α and v
	for _, s := range all {
		for j, v := range s.cavityVariance {
			l := level.At(math.Sqrt(v))
			in[0], in[1], in[2] = append(in[0], float32(l.SqrtAlpha*s.cavity[j])), append(in[1], float32(l.SqrtAlpha)),
				append(in[2], float32(l.V))
		}
	}
	var given []any
	var tensor []*tensors.Tensor
	for _, v := range in {
		t := tensors.FromFlatDataAndDimensions(v, len(all), Cells)
		given, tensor = append(given, t), append(tensor, t)
	}
	out, err := o.engine.Call(o.denoise, given...)
	if err != nil {
		return fmt.Errorf("increments: %v: %w", o.Propagation, err)
	}
	means, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return err
	}
	variances, err := tensors.CopyFlatData[float32](out[1])
	if err != nil {
		return err
	}
	for i, s := range all {
		s.match(means[i*Cells:(i+1)*Cells], variances[i*Cells:(i+1)*Cells], sigma, o.Damping, o.Hold)
	}
	return engine.Release(append(out, tensor...)...)
}
