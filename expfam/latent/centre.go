package latent

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// centre adds to s steps towards the mean of the N(s, I) that is nearest to a density p by the Kullback–Leibler
// divergence:
//
//	s ← s + E ∇log p(s + ξ), ξ ~ N(0, I),
//
// which are Newton's where p is near N(s, I) (Opper & Archambeau 2009, Neural Computation 21). The mode of a skewed
// posterior of thousands of coordinates is some standard deviations from its mean, in a direction in which no single
// coordinate is far. E is an average over antithetic pairs, in which what is linear in ξ cancels. A step that does not
// raise E log p(s + ξ) is not taken.
func centre(p Density, s []float64, random *rand.Rand) {
	const blocks, steps = 8, 2
	noise, u, gradient := many(blocks, len(s)*Width), make([]float64, len(s)*Width), make([]float64, len(s)*Width)
	for _, z := range noise {
		for i := 0; i < len(z); i += 2 {
			z[i] = random.NormFloat64()
			z[i+1] = -z[i]
		}
	}
	logp := make([]float64, Width)
	mean := func(s, slope []float64) (level float64) {
		clear(slope)
		for _, z := range noise {
			for i, v := range s {
				for c := i * Width; c < (i+1)*Width; c++ {
					u[c] = v + z[c]
				}
			}
			p(u, gradient, logp)
			level += floats.Sum(logp)
			for i := range s {
				slope[i] += floats.Sum(gradient[i*Width:(i+1)*Width]) / (blocks * Width)
			}
		}
		return level
	}
	slope := make([]float64, len(s))
	level := mean(s, slope)
	for range steps {
		next, ahead := slices.Clone(s), make([]float64, len(s))
		floats.Add(next, slope)
		higher := mean(next, ahead)
		if !(higher > level) {
			return
		}
		copy(s, next)
		level, slope = higher, ahead
	}
}
