package expfam

import "gonum.org/v1/gonum/mat"

// Posterior holds draws of x₀ given y, and how they were made. At and Dims
// give the draws of θ = g⁻¹(x₀), so that a Posterior is what figures ask for.
type Posterior struct {
	X          *mat.Dense // draws of x₀, (draws, cells)
	Likelihood Likelihood
	Info       Info
}

// Info says how a posterior was made.
type Info struct {
	Method      string  // prior, guidance and sampler, or "hmc"
	Engine      string  // "onnxruntime cpu", "go", "xla cuda"
	Seed        uint64  //
	Evaluations int     // evaluations of the score network per draw
	Products    int     // Jacobian products per draw
	Seconds     float64 // wall time, compilation excluded
	Compile     float64 // seconds spent compiling
	// Diagnostics by name, such as "rhat", "ess_bulk", "divergences".
	Diagnostics map[string]float64
}
