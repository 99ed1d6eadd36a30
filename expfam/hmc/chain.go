package hmc

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// divergent is the error in energy above which a trajectory counts as divergent: it no longer follows the
// Hamiltonian flow. The value is Stan's default.
const divergent = 1000

// maxLeapfrog is the largest number of leapfrog steps of a trajectory. It bounds the work of chains whose step size
// collapses.
const maxLeapfrog = 1000

// record holds the draws and the statistics of one chain.
type record struct {
	x         [][]float64 // x₀, (draws, cells)
	energy    []float64   // of every draw
	accept    []float64   // acceptance probability of the transition to every draw
	diverging []float64   // 1 where this transition diverged, else 0
	gradients int         // evaluations of the gradient, those of the warm-up included
	step      float64     // step size after the warm-up
}

// walker is the state of one chain: a point u with its log density logp and gradient g, and work space.
type walker struct {
	t              *target
	rng            *rand.Rand
	u, g           []float64
	logp           float64
	trial, trialG  []float64
	momentum       []float64
	x, slope       []float64
	gradients      int
	energyNow      float64 // energy after the last transition: of u with the momentum at this point
	lastDivergence bool    // the last transition diverged
}

// run runs one chain and returns its record, which is empty if ctx is done before the end. After each transition it
// calls step: with 1 if the transition is after the warm-up and diverged, else with 0.
func run(ctx context.Context, t *target, o Options, rng *rand.Rand, step func(diverged float64)) record {
	r := t.rank()
	w := &walker{
		t: t, rng: rng,
		u: make([]float64, r), g: make([]float64, r),
		trial: make([]float64, r), trialG: make([]float64, r), momentum: make([]float64, r),
		x: make([]float64, t.cells()), slope: make([]float64, t.cells()),
	}
	w.start()
	// For a standard normal the best step size scales as dim^(−1/4) (Beskos et al. 2013).
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

// start places the chain at a random point with twice the spread of a whitened normal posterior. It halves the
// distance from the centre until the density is finite.
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

// density returns the log density at u, writes the gradient to g, and counts the evaluation.
func (w *walker) density(u, g []float64) float64 {
	w.gradients++
	return w.t.logDensity(u, g, w.x, w.slope)
}

// move makes one transition and returns its acceptance probability. The
// length of the trajectory is uniform between 0.5 and 1.5 times length. A fixed
// length can be the period of some coordinate, which would then not move (Neal 2011,
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
			// The random number is drawn all the same, so that every transition takes the same amount of
			// numbers from the stream.
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

// energy returns −log p(u | y) + |momentum|²/2.
func (w *walker) energy(logp float64) float64 {
	return floats.Dot(w.momentum, w.momentum)/2 - logp
}

// dualAveraging adapts the step size ε so that the mean acceptance probability reaches a target. The method and its
// constants are of Hoffman & Gelman (2014), JMLR 15, section 3.2.
type dualAveraging struct {
	target, centre float64 // target acceptance probability; value that log ε shrinks towards
	n              float64 // updates so far
	bias           float64 // running mean of target − acceptance probability
	log, average   float64 // log ε for the next trajectory, and its running average
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

// step returns ε for the next trajectory of the warm-up.
func (a *dualAveraging) step() float64 { return math.Exp(a.log) }

// final returns ε for the draws after the warm-up.
func (a *dualAveraging) final() float64 { return math.Exp(a.average) }
