package latent

// Spectrum is a normal distribution N(μ, K) whose covariance K = T diag(λ) Tᵀ is diagonal in a fast transform T, of
// shape (cells, modes): x₀ = μ + T (√λ ∘ z) with z ~ N(0, I). Either the columns of T are orthonormal, or its rows are.
type Spectrum struct {
	Mean, Variances []float64        // μ and λ
	Transform       func() Transform // T with work space of its own
}

// Transform multiplies by T. One goroutine at a time may use it.
type Transform interface {
	Synthesise(x, z []float64) // writes T z to x
	Analyse(z, x []float64)    // writes Tᵀ x to z
}
