package increments

import (
	"math"
	"math/rand/v2"
)

// Law is the distribution of the increments of a signal, symmetric about 0.
type Law interface {
	String() string
	// Draw draws one increment.
	Draw(rng *rand.Rand) float64
	// LogProb returns the logarithm of the density at u, or of the probability if the law has an atom at u.
	LogProb(u float64) float64
	// Spread returns the standard deviation. For laws without one it returns the interquartile range over the
	// interquartile range of a standard normal distribution.
	Spread() float64
}

// Mixed is a law whose increments are N(0, 1/w) given a precision w that is random itself.
type Mixed interface {
	Law
	// Precision draws w given an increment.
	Precision(u float64, rng *rand.Rand) float64
}

// Laws returns the laws of the benchmark, with the parameters of its authors.
func Laws() []Law {
	return []Law{Gauss{}, Laplace{}, BernoulliLaplace{}, Student{Degrees: 1}, Student{Degrees: 2}, Student{Degrees: 3}}
}

// Cells is the number of samples of a signal.
const Cells = 64

// unit returns the root mean square of a signal over all cells, for laws with a standard deviation.
func unit(law Law) float64 { return law.Spread() * math.Sqrt((Cells+1)/2.0) }

// Paths simulates signals, which are running sums of independent increments, in units of their root mean square over
// all cells. Priors of signals are trained on Paths.
type Paths struct{ Law Law }

func (p Paths) String() string { return "running sums of " + p.Law.String() }

// Dim returns the number of cells.
func (Paths) Dim() int { return Cells }

// Stationary asks for one scale for all cells, from which [Walk] knows the scale of an increment. The cells do not all
// have the same distribution.
func (Paths) Stationary() bool { return true }

// Concurrent allows batches to be made on all processors.
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
