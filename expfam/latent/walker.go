package latent

import (
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

// Walker is the state of one chain of Hamiltonian Monte Carlo with unit masses: a point U with its log density LogP and
// its gradient, and work space.
type Walker struct {
	U    []float64
	LogP float64
	// Turns makes trajectories of turns about 0 in place of straight steps: between two kicks by the gradient plus u,
	// point and momentum move as under N(0, I), without error (Shahbaba, Lan, Johnson & Neal 2014, Statistics and
	// Computing 24). The nearer the density to N(0, I) the longer the steps, for any number of coordinates.
	Turns bool

	density       Density
	rng           *rand.Rand
	g             []float64
	trial, trialG []float64
	momentum      []float64
}

// NewWalker returns a walker of a density of the given number of coordinates. It has no point yet: call
// [Walker.Start].
func NewWalker(density Density, dim int, rng *rand.Rand) *Walker {
	return &Walker{density: density, rng: rng, U: make([]float64, dim), g: make([]float64, dim),
		trial: make([]float64, dim), trialG: make([]float64, dim), momentum: make([]float64, dim)}
}

// Start places the walker at a point, and takes another random stream.
func (w *Walker) Start(u []float64, rng *rand.Rand) {
	copy(w.U, u)
	w.rng = rng
	w.LogP = w.density(w.U, w.g)
}

// Slope returns the gradient of the log density at U. It holds until the next transition.
func (w *Walker) Slope() []float64 {
	return w.g
}

// Move makes one transition with leapfrog steps of the given size, and returns its acceptance probability. The length
// of the trajectory is uniform between 0.5 and 1.5 times length. A fixed length can be the period of some coordinate,
// which would then not move (Neal 2011, section 5.4.3.2).
func (w *Walker) Move(step, length float64) float64 {
	for k := range w.momentum {
		w.momentum[k] = w.rng.NormFloat64()
	}
	steps := math.Ceil(length * (0.5 + w.rng.Float64()) / step)
	before := w.energy(w.LogP)
	copy(w.trial, w.U)
	copy(w.trialG, w.g)
	logp := w.LogP
	for range int(math.Min(steps, maxLeapfrog)) {
		w.kick(step / 2)
		w.drift(step)
		logp = w.density(w.trial, w.trialG)
		w.kick(step / 2)
		if after := w.energy(logp); !(after-before < divergent) {
			// The random number is drawn all the same, so that every transition takes the same amount of
			// numbers from the stream.
			w.rng.Float64()
			return 0
		}
	}
	after := w.energy(logp)
	accept := math.Min(1, math.Exp(before-after))
	if w.rng.Float64() < accept {
		w.U, w.trial = w.trial, w.U
		w.g, w.trialG = w.trialG, w.g
		w.LogP = logp
	}
	return accept
}

// kick moves the momentum by the force.
func (w *Walker) kick(step float64) {
	floats.AddScaled(w.momentum, step, w.trialG)
	if w.Turns {
		floats.AddScaled(w.momentum, step, w.trial)
	}
}

// drift moves the point by the momentum.
func (w *Walker) drift(step float64) {
	if !w.Turns {
		floats.AddScaled(w.trial, step, w.momentum)
		return
	}
	sin, cos := math.Sincos(step)
	for k, u := range w.trial {
		w.trial[k] = cos*u + sin*w.momentum[k]
		w.momentum[k] = cos*w.momentum[k] - sin*u
	}
}

// energy returns −log p(u) + |momentum|²/2.
func (w *Walker) energy(logp float64) float64 { return floats.Dot(w.momentum, w.momentum)/2 - logp }

// steepness returns the largest entry of the gradient, which is infinite where it is not finite.
func (w *Walker) steepness() (largest float64) {
	for _, v := range w.g {
		if !(math.Abs(v) <= largest) {
			largest = math.Abs(v)
		}
		if math.IsNaN(v) {
			return math.Inf(1)
		}
	}
	return largest
}
