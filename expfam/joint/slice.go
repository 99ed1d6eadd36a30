package joint

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/law"
)

// sweeps is the number of slice moves along each axis that the constants of a draw take.
const sweeps = 4

// move takes slice moves from scores along the axes (Neal 2003, Annals of Statistics 31), which leave p(t | x₀, y) as
// it is.
func (b *bridge) move(t, x []float64, rng *rand.Rand) []float64 {
	slope := make([]float64, len(x))
	density := func(t []float64) float64 {
		prior := law.LogDensity(t)
		if math.IsInf(prior, -1) {
			return prior
		}
		data, err := b.Tuner(b.values(t))
		if err != nil {
			return math.Inf(-1)
		}
		return prior + data.LogLikSlope(x, slope)
	}
	now := density(t)
	for range sweeps {
		for k := range t {
			axis := mat.Col(nil, k, b.basis)
			along := func(v float64) []float64 {
				to := slices.Clone(t)
				floats.AddScaled(to, v, axis)
				return to
			}
			level := now - rng.ExpFloat64()
			const width = 2 // nodes
			low := -width * rng.Float64()
			high := low + width
			for density(along(low)) > level {
				low -= width
			}
			for density(along(high)) > level {
				high += width
			}
			for {
				v := low + (high-low)*rng.Float64()
				to := along(v)
				if next := density(to); next > level || v == 0 {
					t, now = to, next
					break
				}
				if v < 0 {
					low = v
				} else {
					high = v
				}
			}
		}
	}
	return t
}
