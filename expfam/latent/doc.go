// Package latent has the mathematics of latent Gaussian models: data of any family about a field x₀ ~ N(μ, K).
// Packages gp, joint, hmc and diffusion are priors, options and answers on top of it.
//
// With K = L Lᵀ and x₀ = μ + L z the prior of z is N(0, I). A [Posterior] is the posterior in coordinates u of z = ẑ +
// M u in which it is close to N(0, I), however informative the data are: ẑ is the mode, and M Mᵀ the inverse of the
// negative Hessian there. It does not depend on the shape of the data beyond the interface [Data], so operators, sums
// of intensities and several data sets need no code of their own here. A [Target] holds the prior by a matrix of its
// modes, and a [ModeTarget] by a fast transform.
//
// A [Walker] moves chains of any [Density] through random trajectories with a Metropolis test, so its draws are draws
// of the posterior however rough the Laplace approximation is. Chains of the same density go together, because
// products with blocks of columns take little longer than products with one. [Adapt] finds the length of its steps,
// and a [Pilot] how many transitions forget the start.
package latent

// Data is a log-likelihood log p(y | x₀) with its derivatives. One value may be used by many goroutines at once.
type Data interface {
	// LogLikSlope returns log p(y | x₀) and writes its derivative in every cell to slope.
	LogLikSlope(x, slope []float64) float64
	// Precision returns the rows of a matrix H and weights w ≥ 0 with −∂² log p(y | x₀) ≈ Hᵀ diag(w) H at x. It
	// has a row and a weight for each datum.
	Precision(x []float64) (rows func(k int, visit func(cell int, weight float64)), w []float64)
}

// Density writes the logarithms of a density at points up to a constant, and the gradients there. The points are
// columns beside each other: u and gradient have a row for each coordinate, of as many numbers as logp has. The gradient
// may be nil where it is not needed. Logarithms are −Inf outside of the support, and where numbers overflow. One
// goroutine may use it at a time.
type Density func(u, gradient, logp []float64)

// At returns the logarithm at a single point, and writes the gradient.
func (d Density) At(u, gradient []float64) float64 {
	var logp [1]float64
	d(u, gradient, logp[:])
	return logp[0]
}
