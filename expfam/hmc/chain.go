package hmc

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// divergent is the error in energy beyond which a trajectory has left the
// Hamiltonian flow (Stan's default).
const divergent = 1000

// maxLeapfrog bounds one trajectory, for chains whose step size collapses.
const maxLeapfrog = 1000

// record is what one chain leaves.
type record struct {
	x         [][]float64 // x₀, (draws, cells)
	energy    []float64   // of every draw
	accept    []float64   // acceptance probability of every draw's transition
	diverging []float64   // 1 where it diverged, else 0
	gradients int         // with warm-up
	step      float64
}

// walker is the state of one chain: a point u, its log density and gradient.
type walker struct {
	t              *target
	rng            *rand.Rand
	u, g           []float64
	logp           float64
	trial, trialG  []float64
	momentum       []float64
	x, slope       []float64
	gradients      int
	energyNow      float64 // of the point kept, with the momentum it came with
	lastDivergence bool
}

// run is one chain, and nothing if ctx is done before its end. After each transition it calls step, with 1 if one of those that are
// kept diverged, else 0.
func run(ctx context.Context, t *target, o Options, rng *rand.Rand, step func(diverged float64)) record {
	r := t.rank()
	w := &walker{
		t: t, rng: rng,
		u: make([]float64, r), g: make([]float64, r),
		trial: make([]float64, r), trialG: make([]float64, r), momentum: make([]float64, r),
		x: make([]float64, t.cells()), slope: make([]float64, t.cells()),
	}
	w.start()
	// The step of a standard normal scales as dim^(−1/4) (Beskos et al. 2013).
	adapt := newDualAveraging(math.Pow(float64(r), -0.25), o.Accept)
	for range o.Warmup {
		if ctx.Err() != nil {
			return record{}
		}
		adapt.update(w.move(adapt.step(), o.Length))
		step(0)
	}
	out := record{
		x: make([][]float64, o.Draws), energy: make([]float64, o.Draws), step: adapt.final(),
		accept: make([]float64, o.Draws), diverging: make([]float64, o.Draws),
	}
	for i := range o.Draws {
		if ctx.Err() != nil {
			return record{}
		}
		out.accept[i] = w.move(out.step, o.Length)
		if w.lastDivergence {
			out.diverging[i] = 1
		}
		out.energy[i] = w.energyNow
		out.x[i] = make([]float64, t.cells())
		t.place(w.u, out.x[i])
		step(out.diverging[i])
	}
	out.gradients = w.gradients
	return out
}

// start places the chain twice as far out as a whitened normal posterior
// lies, and closer until the density is finite.
func (w *walker) start() {
	for k := range w.u {
		w.u[k] = 2 * w.rng.NormFloat64()
	}
	for range 60 {
		w.logp = w.density(w.u, w.g)
		if !math.IsInf(w.logp, -1) {
			return
		}
		floats.Scale(0.5, w.u)
	}
}

func (w *walker) density(u, g []float64) float64 {
	w.gradients++
	return w.t.logDensity(u, g, w.x, w.slope)
}

// move makes one transition and returns its acceptance probability. The
// length of the trajectory is uniform between half and one and a half times
// the given one: a fixed one can be a period of some coordinate (Neal 2011,
// section 5.4.3.2).
func (w *walker) move(step, length float64) float64 {
	for k := range w.momentum {
		w.momentum[k] = w.rng.NormFloat64()
	}
	steps := math.Ceil(length * (0.5 + w.rng.Float64()) / step)
	before := w.energy(w.logp)
	w.energyNow, w.lastDivergence = before, false

	copy(w.trial, w.u)
	copy(w.trialG, w.g)
	logp := w.logp
	for range int(math.Min(steps, maxLeapfrog)) {
		floats.AddScaled(w.momentum, step/2, w.trialG)
		floats.AddScaled(w.trial, step, w.momentum)
		logp = w.density(w.trial, w.trialG)
		floats.AddScaled(w.momentum, step/2, w.trialG)
		if after := w.energy(logp); !(after-before < divergent) {
			w.lastDivergence = true
			// The number is drawn all the same, so that a stream is used alike
			// whatever happens.
			w.rng.Float64()
			return 0
		}
	}
	after := w.energy(logp)
	accept := math.Min(1, math.Exp(before-after))
	if w.rng.Float64() < accept {
		w.u, w.trial = w.trial, w.u
		w.g, w.trialG = w.trialG, w.g
		w.logp, w.energyNow = logp, after
	}
	return accept
}

// energy is −log p(u | y) + |momentum|²/2.
func (w *walker) energy(logp float64) float64 {
	return floats.Dot(w.momentum, w.momentum)/2 - logp
}

// dualAveraging adapts log ε so that the mean acceptance probability is the
// wanted one: Hoffman & Gelman (2014), JMLR 15, section 3.2, and its constants.
type dualAveraging struct {
	target, centre float64
	n              float64
	bias           float64 // running mean of target − accepted
	log, average   float64
}

func newDualAveraging(step, target float64) *dualAveraging {
	return &dualAveraging{target: target, centre: math.Log(10 * step), log: math.Log(step), average: math.Log(step)}
}

func (a *dualAveraging) update(accept float64) {
	const gamma, delay, kappa = 0.05, 10, 0.75
	a.n++
	a.bias += (a.target - accept - a.bias) / (a.n + delay)
	a.log = a.centre - math.Sqrt(a.n)/gamma*a.bias
	a.average += math.Pow(a.n, -kappa) * (a.log - a.average)
}

// step is ε for the next trajectory of the warm-up.
func (a *dualAveraging) step() float64 { return math.Exp(a.log) }

// final is ε after the warm-up.
func (a *dualAveraging) final() float64 { return math.Exp(a.average) }
