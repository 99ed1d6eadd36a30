package expfam

import "math"

// ImpliedPrior returns θ = g⁻¹(x) of every x, and the prior density of θ there if x₀ ~ N(0, 1). The density
// follows from the change of variables p(θ) = φ(x) / |dθ/dx|.
func (l Likelihood) ImpliedPrior(x []float64) (theta, density []float64) {
	theta, density = make([]float64, len(x)), make([]float64, len(x))
	slope := make([]float64, len(x))
	linkSlopes(l.link(), x, theta, slope)
	for i, v := range x {
		density[i] = math.Exp(-v*v/2) / math.Sqrt(2*math.Pi) / math.Abs(slope[i])
	}
	return theta, density
}
