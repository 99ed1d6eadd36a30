package increments

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
)

// Gauss increments are N(0, Variance).
type Gauss struct {
	Variance float64 // default 0.25
}

func (g Gauss) variance() float64 { return cmp.Or(g.Variance, 0.25) }

func (g Gauss) String() string { return fmt.Sprintf("Gauss(%g)", g.variance()) }

// Draw implements [Law].
func (g Gauss) Draw(rng *rand.Rand) float64 { return math.Sqrt(g.variance()) * rng.NormFloat64() }

// LogProb implements [Law].
func (g Gauss) LogProb(u float64) float64 {
	v := g.variance()
	return -(u*u/v + math.Log(2*math.Pi*v)) / 2
}

// Spread implements [Law].
func (g Gauss) Spread() float64 { return math.Sqrt(g.variance()) }

// Precision implements [Mixed]. It is always 1/Variance.
func (g Gauss) Precision(float64, *rand.Rand) float64 { return 1 / g.variance() }
