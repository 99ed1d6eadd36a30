package special

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// GaussHermite returns n nodes z and weights w with E f(Z) ≈ Σ w f(z) for Z ~ N(0, 1).
func GaussHermite(n int) (z, w []float64) {
	z, w = make([]float64, n), make([]float64, n)
	quad.Hermite{}.FixedLocations(z, w, math.Inf(-1), math.Inf(1))
	for i := range z {
		z[i] *= math.Sqrt2
		w[i] /= math.Sqrt(math.Pi)
	}
	return z, w
}
