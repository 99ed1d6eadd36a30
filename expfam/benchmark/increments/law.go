package increments

import (
	"math"
	"math/rand/v2"
)

// Law is the distribution of the increments of a signal, symmetric about 0.
type Law interface {
	String() string
	// Draw is one increment.
	Draw(rng *rand.Rand) float64
	// LogProb is the logarithm of the density, or of the probability where the law has an atom.
	LogProb(u float64) float64
	// Spread is the standard deviation, or for laws without one the interquartile range over that of a
	// standard normal.
	Spread() float64
}

// Mixed is a law whose increments are N(0, 1/w) given a precision w that is random itself.
type Mixed interface {
	Law
	// Precision draws w given an increment.
	Precision(u float64, rng *rand.Rand) float64
}

// Laws are those of the benchmark, as its authors have them.
func Laws() []Law {
	return []Law{Gauss{}, Laplace{}, BernoulliLaplace{}, Student{Degrees: 1}, Student{Degrees: 2}, Student{Degrees: 3}}
}

// Cells is how many samples a signal has.
const Cells = 64

// unit is the root mean square of the cells of a signal, for laws that have one.
func unit(law Law) float64 { return law.Spread() * math.Sqrt((Cells+1)/2.0) }

// Paths are signals, running sums of independent increments, in units of their root mean square over all
// cells. It is what a prior is trained on.
type Paths struct{ Law Law }

func (p Paths) String() string { return "running sums of " + p.Law.String() }

// Dim is the number of cells.
func (Paths) Dim() int { return Cells }

// Stationary asks for one scale for all cells, from which nn.Walk knows that of an increment. Cells do not
// have one distribution.
func (Paths) Stationary() bool { return true }

// Concurrent lets batches be made on all processors.
func (Paths) Concurrent() {}

// Draw fills x with a signal.
func (p Paths) Draw(rng *rand.Rand, x []float64) {
	var at float64
	scale := 1 / unit(p.Law)
	for j := range x {
		at += p.Law.Draw(rng) * scale
		x[j] = at
	}
}
