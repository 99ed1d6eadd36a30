package hmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// density returns a log density at u up to a constant, −Inf outside of its support, and writes its gradient.
type density func(u, gradient []float64) float64

const (
	// divergent is the error in energy above which a trajectory counts as divergent, as in Stan.
	divergent = 1000
	// mostSteps bounds the work of a chain whose step size collapses.
	mostSteps = 1000
)

// walker is a chain: a point u with its log density and gradient.
type walker struct {
	density   density
	rng       *rand.Rand
	u, g      []float64
	logp      float64
	energy    float64 // after the last transition
	diverged  bool    // in the last transition
	gradients int     // evaluations of the density

	// The step size is adapted by dual averaging (Hoffman & Gelman 2014, JMLR 15, section 3.2).
	count, bias, log, average, centre float64
}

// newWalker returns a chain at a random point with twice the spread of N(0, I), or nearer to 0 where the density there
// is 0.
func newWalker(f density, dims int, rng *rand.Rand) *walker {
	first := math.Log(math.Pow(float64(dims), -0.25))
	w := &walker{density: f, rng: rng, u: make([]float64, dims), g: make([]float64, dims), log: first, average: first,
		centre: first + math.Log(10)}
	for k := range w.u {
		w.u[k] = 2 * rng.NormFloat64()
	}
	for range 60 {
		if w.logp = w.at(w.u, w.g); !math.IsInf(w.logp, -1) {
			break
		}
		floats.Scale(0.5, w.u)
	}
	return w
}

func (w *walker) at(u, g []float64) float64 {
	w.gradients++
	return w.density(u, g)
}

// move makes a transition with leapfrog steps of a size, and returns its acceptance probability. The length of the
// trajectory is uniform between half and three halves of length: a fixed one may be the period of a coordinate (Neal
// 2011, section 5.4.3.2).
func (w *walker) move(step float64) float64 {
	n := len(w.u)
	p, u, g := make([]float64, n), append([]float64(nil), w.u...), append([]float64(nil), w.g...)
	for k := range p {
		p[k] = w.rng.NormFloat64()
	}
	steps := math.Min(math.Ceil(length*(0.5+w.rng.Float64())/step), mostSteps)
	before := floats.Dot(p, p)/2 - w.logp
	after, logp := before, w.logp
	w.energy, w.diverged = before, false
	for i := 0.; i < steps && !w.diverged; i++ {
		floats.AddScaled(p, step/2, g)
		floats.AddScaled(u, step, p)
		logp = w.at(u, g)
		floats.AddScaled(p, step/2, g)
		after = floats.Dot(p, p)/2 - logp
		w.diverged = !(after-before < divergent)
	}
	accept, v := math.Min(1, math.Exp(before-after)), w.rng.Float64()
	if w.diverged {
		return 0
	}
	if v < accept {
		w.u, w.g, w.logp, w.energy = u, g, logp, after
	}
	return accept
}

// adapt makes a transition of the warm-up, whose step size goes to the acceptance probability target.
func (w *walker) adapt(target float64) {
	const gamma, delay, kappa = 0.05, 10, 0.75
	accept := w.move(math.Exp(w.log))
	w.count++
	w.bias += (target - accept - w.bias) / (w.count + delay)
	w.log = w.centre - math.Sqrt(w.count)/gamma*w.bias
	w.average += math.Pow(w.count, -kappa) * (w.log - w.average)
}

// step is the step size after the warm-up.
func (w *walker) step() float64 { return math.Exp(w.average) }
