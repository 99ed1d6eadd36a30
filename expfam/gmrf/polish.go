package gmrf

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
)

const (
	// skewed is the shift of the mean off the mode, in posterior standard deviations of a cell, from which draws of the
	// normal approximation are not taken as they are. The first-order correction of the mean (see centre) leaves an
	// error of the size of its square, and the quantiles are off by a similar amount.
	skewed = 0.15
	// farSkewed is the root mean square of the shifts of all cells from which the normal approximation is only a start.
	farSkewed = 0.3
	// most is the number of transitions that a draw takes at most, and least the number from which they are worth it.
	mostTransitions, leastTransitions = 40, 3
	// work is the number of multiplications that the transitions of a draw may take: a hundredth of a second. Where
	// the normal approximation is only a start, they may take ten times as many.
	work = 1.5e7
	// turn is the mean length of a trajectory: a quarter of the period of a normal posterior.
	turn = math.Pi / 2
	// heldTargets is the memory, in bytes, that the approximations at all points of the hyperparameters may take.
	heldTargets = 1 << 30
)

// polish makes draws of the normal approximations exact. Each draw takes some transitions of Hamiltonian Monte Carlo
// (Neal 2011, section 5) in the coordinates of [target], and as many moves between neighbouring points of the
// hyperparameters, if there are several. Both leave the joint posterior of field and hyperparameters invariant.
type polish struct {
	model       *model
	mode        *Approximation
	points      []weighted
	index       map[[4]int]int // of the points
	transitions int
	step        float64 // of the leapfrog steps

	mu   sync.Mutex
	held []*target // at the points, made when they are needed. They depend on the mode and their point alone.
}

// newPolish returns the polish that the posterior needs, nil if none. points are the points of the hyperparameters and
// mode is the approximation at the first of them.
func newPolish(ctx context.Context, m *model, mode *Approximation, points []weighted) (*polish, error) {
	p := &polish{model: m, mode: mode, points: points, held: make([]*target, len(points)), index: map[[4]int]int{}}
	for k, point := range points {
		p.index[point.at] = k
	}
	worst, whole := mode.skewness()
	// Some ten gradients a transition, each of two solves and a pass over the data.
	gradient := 4*float64(m.precision.symbolic.Entries()) + 300*float64(m.precision.N)
	transitions := func(budget float64) int { return int(math.Min(budget/(10*gradient), mostTransitions)) }
	if transitions(work) < leastTransitions && whole < farSkewed/2 || transitions(10*work) < leastTransitions {
		return nil, nil
	}
	if p.moves() {
		for k, point := range points {
			if point.weight < 0.02 {
				continue
			}
			t, err := p.at(ctx, k)
			if err != nil {
				return nil, err
			}
			most, rms := t.skewness()
			worst, whole = math.Max(worst, most), math.Max(whole, rms)
		}
	}
	if worst < skewed && mode.notConcave == 0 {
		return nil, nil
	}
	budget := work
	if whole > farSkewed {
		budget *= 10
	}
	if p.transitions = transitions(budget); p.transitions < leastTransitions {
		return nil, nil
	}
	return p, p.adapt(ctx)
}

// moves reports whether the draws move between the points: all targets fit into memory.
func (p *polish) moves() bool {
	return len(p.points) > 1 && 16*float64(p.model.precision.symbolic.Entries())*float64(len(p.points)) < heldTargets
}

// skewness returns the largest shift of the mean of a cell off its mode, in standard deviations, and the root mean
// square of the shifts of all cells.
func (a *Approximation) skewness() (most, rms float64) {
	a.centre()
	for i, v := range a.mean {
		if a.variance[i] > 0 {
			off := math.Abs(v-a.moved[i]) / math.Sqrt(a.variance[i])
			most, rms = math.Max(most, off), rms+off*off/float64(len(a.mean))
		}
	}
	return most, math.Sqrt(rms)
}

// at returns the target at point k.
func (p *polish) at(ctx context.Context, k int) (*target, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held[k] == nil {
		start := &Approximation{x: p.mode.x, level: p.mode.level} // without its factor, which must not be overwritten
		a, err := p.model.laplace(ctx, p.points[k].hyper, start)
		if err != nil {
			return nil, err
		}
		a.centre()
		if p.held[k], err = p.model.target(a, p.points[k]); err != nil {
			return nil, err
		}
	}
	return p.held[k], nil
}

// adapt finds the leapfrog step at the most probable point. Pilot chains take transitions, and the logarithm of the
// step follows their acceptance, towards 0.8 (Andrieu & Thoms 2008, Statistics and Computing 18, algorithm 4).
func (p *polish) adapt(ctx context.Context) error {
	best := 0
	for k, point := range p.points {
		if point.weight > p.points[best].weight {
			best = k
		}
	}
	t, err := p.at(ctx, best)
	if err != nil {
		return err
	}
	const chains, transitions = 6, 25
	logStep := math.Log(math.Min(0.5, math.Pow(float64(t.dims()), -0.25)))
	walkers := make([]*walker, chains)
	for c := range walkers {
		rng := expfam.Stream(uint64(c), "gmrf/pilot")
		walkers[c] = newWalker(t, rng, t.start(rng))
	}
	for i := range transitions {
		if ctx.Err() != nil {
			break
		}
		for _, w := range walkers {
			logStep += (w.transition(math.Exp(logStep)) - 0.8) / math.Pow(float64(i+1), 0.6)
		}
	}
	p.step = math.Exp(math.Min(logStep, 0))
	return nil
}

// start returns one of several draws of the normal approximation, chosen by their weights: the ratios of the posterior
// density and the density of the approximation (Rubin 1988, sampling-importance resampling). A draw that lies far
// off, where a log rate is large, would hardly move.
func (t *target) start(rng *rand.Rand) (best state) {
	const candidates = 10
	u, gradient, most := make([]float64, t.dims()), make([]float64, t.dims()), math.Inf(-1)
	for range candidates {
		s := state{t.levelMean, append([]float64(nil), t.fieldMean...), append([]float64(nil), t.mean...)}
		for k := range u {
			u[k] = rng.NormFloat64()
		}
		t.add(&s, 1, u)
		// The candidate with the largest log weight plus Gumbel noise is a draw by the weights.
		weight := t.logDensity(s, gradient) + floats.Dot(u, u)/2 - math.Log(rng.ExpFloat64())
		if weight > most || best.x == nil {
			best, most = s, weight
		}
	}
	return best
}

// draw returns a draw of level, field and x₀, the point of the hyperparameters at which it ends, and the share of
// transitions that were accepted. It starts at point k.
func (p *polish) draw(ctx context.Context, k int, rng *rand.Rand) (state, int, float64, error) {
	t, err := p.at(ctx, k)
	if err != nil {
		return state{}, 0, 0, err
	}
	w := newWalker(t, rng, t.start(rng))
	accepted := 0.0
	for range p.transitions {
		if err := ctx.Err(); err != nil {
			return state{}, 0, 0, err
		}
		accepted += w.transition(p.step) / float64(p.transitions)
		if !p.moves() {
			continue
		}
		if k, err = p.move(ctx, k, w); err != nil {
			return state{}, 0, 0, err
		}
	}
	return w.now, k, accepted, nil
}

// walker is a chain at a target.
type walker struct {
	t                  *target
	rng                *rand.Rand
	now                state
	logp               float64
	gradient, momentum []float64
	trial              []float64 // gradient at the end of a trajectory
}

// newWalker returns a chain at s. If the density there is 0, the chain starts at the mode.
func newWalker(t *target, rng *rand.Rand, s state) *walker {
	n := t.dims()
	w := &walker{t: t, rng: rng, gradient: make([]float64, n), momentum: make([]float64, n), trial: make([]float64, n)}
	if w.set(s); math.IsInf(w.logp, -1) {
		w.set(state{t.level, append([]float64(nil), t.x...), append([]float64(nil), t.moved...)})
	}
	return w
}

// set moves the chain to s.
func (w *walker) set(s state) {
	w.now = s
	w.logp = w.t.logDensity(s, w.gradient)
}

// transition makes one transition and returns its acceptance probability. Step and length are drawn anew for each,
// because a posterior with a long tail on one side has no step that suits it everywhere.
func (w *walker) transition(step float64) float64 {
	for k := range w.momentum {
		w.momentum[k] = w.rng.NormFloat64()
	}
	step *= 0.4 + 0.8*w.rng.Float64()
	steps := int(math.Ceil(turn * (0.5 + w.rng.Float64()) / step))
	before := w.logp - floats.Dot(w.momentum, w.momentum)/2
	s, logp := w.now.clone(), w.logp
	copy(w.trial, w.gradient)
	for range min(steps, 200) {
		floats.AddScaled(w.momentum, step/2, w.trial)
		w.t.add(&s, step, w.momentum)
		logp = w.t.logDensity(s, w.trial)
		floats.AddScaled(w.momentum, step/2, w.trial)
		if !(before-logp < 1000) {
			break
		}
	}
	accept := math.Min(1, math.Exp(logp-floats.Dot(w.momentum, w.momentum)/2-before))
	if math.IsNaN(accept) {
		accept = 0
	}
	if w.rng.Float64() < accept {
		w.now, w.logp = s, logp
		w.gradient, w.trial = w.trial, w.gradient
	}
	return accept
}
