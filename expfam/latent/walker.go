package latent

import (
	"math"
	"math/rand/v2"
)

const (
	// divergent is the error in energy above which a trajectory counts as divergent: it no longer follows the
	// Hamiltonian flow. The value is Stan's default.
	divergent = 1000
	// maxLeapfrog is the largest number of leapfrog steps of a trajectory. It bounds the work of chains whose step size
	// collapses.
	maxLeapfrog = 1000
	// Width is the number of chains of a block.
	Width = 8
)

// Chain is a chain of Hamiltonian Monte Carlo with unit masses: a point U with its log density LogP and its gradient
// Slope.
type Chain struct {
	U, Slope []float64
	LogP     float64
	Step     float64 // of the leapfrog
	Accept   float64 // acceptance probability of the last transition
	Random   *rand.Rand

	moved int // transitions so far
}

// NewChain returns a chain of so many coordinates. [Walker.Start] comes before its first transition.
func NewChain(dim int, step float64, random *rand.Rand) *Chain {
	return &Chain{U: make([]float64, dim), Slope: make([]float64, dim), Step: step, Random: random}
}

// Columns returns the points of chains as columns beside each other.
func Columns(chains []*Chain) []float64 {
	u := make([]float64, len(chains)*len(chains[0].U))
	for c, chain := range chains {
		for i, v := range chain.U {
			u[i*len(chains)+c] = v
		}
	}
	return u
}

// Walker moves chains of a density, in blocks of at most [Width]. What becomes of a chain does not depend on the others
// of its block. One goroutine at a time may use it.
type Walker struct {
	Density Density
	// Turns makes trajectories of turns about 0 in place of straight steps: between two kicks by the gradient plus u,
	// point and momentum move as under N(0, I), without error (Shahbaba, Lan, Johnson & Neal 2014, Statistics and
	// Computing 24). The nearer the density to N(0, I) the longer the steps, for any number of coordinates.
	Turns bool

	// A row for each coordinate, and a column for each chain.
	u, slope, momentum []float64
	logp               []float64
}

// blocks calls do for the chains, a block after the other, with work space for it.
func (w *Walker) blocks(chains []*Chain, do func(chains []*Chain)) {
	for from := 0; from < len(chains); from += Width {
		some := chains[from:min(from+Width, len(chains))]
		if n := len(some) * len(some[0].U); len(w.u) != n || len(w.logp) != len(some) {
			w.u, w.slope, w.momentum = make([]float64, n), make([]float64, n), make([]float64, n)
			w.logp = make([]float64, len(some))
		}
		do(some)
	}
}

// load copies the points of chains to the columns.
func (w *Walker) load(chains []*Chain) {
	for c, chain := range chains {
		for i, v := range chain.U {
			w.u[i*len(chains)+c] = v
		}
		for i, v := range chain.Slope {
			w.slope[i*len(chains)+c] = v
		}
	}
}

// store copies column c to its chain.
func (w *Walker) store(chains []*Chain, c int) {
	chain := chains[c]
	chain.LogP = w.logp[c]
	for i := range chain.U {
		chain.U[i], chain.Slope[i] = w.u[i*len(chains)+c], w.slope[i*len(chains)+c]
	}
}

// Start evaluates the density where chains begin.
func (w *Walker) Start(chains ...*Chain) {
	w.blocks(chains, func(chains []*Chain) {
		w.load(chains)
		w.Density(w.u, w.slope, w.logp)
		for c, chain := range chains {
			w.store(chains, c)
			chain.moved = 0
		}
	})
}

// Move makes one transition of every chain. The lengths of trajectories lie evenly between 0.5 and 1.5 times length: a
// fixed length can be the period of some coordinate, which would then not move (Neal 2011, section 5.4.3.2). They
// follow the golden section, the same for all chains, so that a block has a common number of steps. The first is
// length.
func (w *Walker) Move(length float64, chains ...*Chain) {
	w.blocks(chains, func(chains []*Chain) { w.move(length, chains) })
}

// stretch returns the length of trajectory number i over their mean.
func stretch(i int) float64 {
	_, jitter := math.Modf(0.5 + float64(i)*math.Phi)
	return 0.5 + jitter
}

func (w *Walker) move(length float64, chains []*Chain) {
	w.load(chains)
	k, longest := len(chains), 0.
	before, half, dead := make([]float64, k), make([]float64, k), make([]bool, k)
	for c, chain := range chains {
		for i := range chain.U {
			w.momentum[i*k+c] = chain.Random.NormFloat64()
		}
		w.logp[c], half[c], longest = chain.LogP, chain.Step/2, math.Max(longest, chain.Step)
	}
	w.energies(before)
	steps := int(math.Min(math.Ceil(length*stretch(chains[0].moved)/longest), maxLeapfrog))
	after := make([]float64, k)
	for range steps {
		w.kick(half)
		w.drift(chains)
		w.Density(w.u, w.slope, w.logp)
		w.kick(half)
		w.energies(after)
		for c := range after {
			if dead[c] = dead[c] || !(after[c]-before[c] < divergent); dead[c] {
				w.rest(chains, c) // what overflows is slow
			}
		}
	}
	for c, chain := range chains {
		chain.moved++
		chain.Accept = math.Min(1, math.Exp(before[c]-after[c]))
		// The random number is drawn all the same, so that every transition takes the same amount of numbers from
		// the stream.
		u := chain.Random.Float64()
		if dead[c] {
			chain.Accept = 0
		} else if u < chain.Accept {
			w.store(chains, c)
		}
	}
}

// rest brings a column back to where its chain is, without momentum.
func (w *Walker) rest(chains []*Chain, c int) {
	k := len(chains)
	for i, v := range chains[c].U {
		w.u[i*k+c], w.slope[i*k+c], w.momentum[i*k+c] = v, chains[c].Slope[i], 0
	}
}

// kick moves the momenta by the forces.
func (w *Walker) kick(step []float64) {
	k := len(step)
	for i := 0; i < len(w.u); i += k {
		momentum, slope, u := w.momentum[i:i+k], w.slope[i:i+k], w.u[i:i+k]
		if w.Turns {
			for c, s := range step {
				momentum[c] += s * (slope[c] + u[c])
			}
			continue
		}
		for c, s := range step {
			momentum[c] += s * slope[c]
		}
	}
}

// drift moves the points by the momenta.
func (w *Walker) drift(chains []*Chain) {
	k := len(chains)
	sin, cos := make([]float64, k), make([]float64, k)
	for c, chain := range chains {
		if sin[c], cos[c] = chain.Step, 1; w.Turns {
			sin[c], cos[c] = math.Sincos(chain.Step)
		}
	}
	for i := 0; i < len(w.u); i += k {
		momentum, u := w.momentum[i:i+k], w.u[i:i+k]
		for c, v := range u {
			u[c] = cos[c]*v + sin[c]*momentum[c]
			if w.Turns {
				momentum[c] = cos[c]*momentum[c] - sin[c]*v
			}
		}
	}
}

// energies writes −log p(u) + |momentum|²/2 of each column.
func (w *Walker) energies(out []float64) {
	dots(out, w.momentum, w.momentum)
	for c, v := range out {
		out[c] = v/2 - w.logp[c]
	}
}

// steepness returns the largest entry of the gradient, which is infinite where it is not finite.
func (c *Chain) steepness() (largest float64) {
	for _, v := range c.Slope {
		if !(math.Abs(v) <= largest) {
			largest = math.Abs(v)
		}
		if math.IsNaN(v) {
			return math.Inf(1)
		}
	}
	return largest
}
