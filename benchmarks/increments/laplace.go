package increments

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
)

// Laplace increments have the density exp(−|u|/b)/(2b).
type Laplace struct {
	Scale float64 // b, default 1
}

func (l Laplace) scale() float64 { return cmp.Or(l.Scale, 1) }

func (l Laplace) String() string { return fmt.Sprintf("Laplace(%g)", l.scale()) }

// Draw implements [Law].
func (l Laplace) Draw(rng *rand.Rand) float64 {
	u := l.scale() * rng.ExpFloat64()
	if rng.Uint64()&1 == 0 {
		return -u
	}
	return u
}

// LogProb implements [Law].
func (l Laplace) LogProb(u float64) float64 { return -math.Abs(u)/l.scale() - math.Log(2*l.scale()) }

// Spread implements [Law].
func (l Laplace) Spread() float64 { return math.Sqrt2 * l.scale() }

// Precision implements [Mixed]. The variance is exponential with mean 2b². Given u its inverse, the precision, is
// inverse Gaussian with mean 1/(b|u|) and shape 1/b² (Park & Casella 2008).
func (l Laplace) Precision(u float64, rng *rand.Rand) float64 {
	b := l.scale()
	return inverseGaussian(b*math.Abs(u), 1/(b*b), rng)
}

// inverseGaussian draws from the inverse Gaussian distribution with mean 1/inverse. It uses the roots of Michael,
// Schucany & Haas (1976), in a form that neither cancels nor divides by 0 as the mean goes to infinity.
func inverseGaussian(inverse, shape float64, rng *rand.Rand) float64 {
	z := rng.NormFloat64()
	half := z * z / (2 * shape)
	root := 1 / (inverse + half + math.Sqrt(half*(half+2*inverse)))
	if rng.Float64()*(1+inverse*root) <= 1 {
		return root
	}
	return 1 / (inverse * inverse * root)
}
