package increments

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
)

// BernoulliLaplace increments are Laplace with probability P, and otherwise 0. Signals have few jumps.
type BernoulliLaplace struct {
	P     float64 // default 0.1
	Scale float64 // scale of the jumps, default 1
}

func (l BernoulliLaplace) p() float64 { return cmp.Or(l.P, 0.1) }

func (l BernoulliLaplace) slab() Laplace { return Laplace{l.Scale} }

func (l BernoulliLaplace) String() string {
	return fmt.Sprintf("Bernoulli-Laplace(%g, %g)", l.p(), l.slab().scale())
}

// Draw implements [Law].
func (l BernoulliLaplace) Draw(rng *rand.Rand) float64 {
	if rng.Float64() >= l.p() {
		return 0
	}
	return l.slab().Draw(rng)
}

// LogProb implements [Law]. It returns the log probability of 0, and the log density of any other u.
func (l BernoulliLaplace) LogProb(u float64) float64 {
	if u == 0 {
		return math.Log(1 - l.p())
	}
	return math.Log(l.p()) + l.slab().LogProb(u)
}

// Spread implements [Law].
func (l BernoulliLaplace) Spread() float64 { return math.Sqrt(l.p()) * l.slab().Spread() }
