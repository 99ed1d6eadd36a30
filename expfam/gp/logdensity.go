package gp

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/latent"
)

// LogDensity returns the function log p(x₀) of a Gaussian prior up to a constant: −½ Σ (uₖᵀ(x₀ − μ))²/λₖ over the
// eigenvectors uₖ and eigenvalues λₖ of its covariance. calibrate.Sensitivity and ArviZ's log_prior use it.
// Eigenvectors with less than 1e-8 of the largest variance are left out. Smooth kernels have many of these, and draws
// in float32 do not resolve them.
func LogDensity(prior interface {
	Mean() []float64
	Cov() *mat.SymDense
}) (func(x []float64) float64, error) {
	if err := traits.Check(prior); err != nil {
		return nil, err
	}
	l, err := latent.Factor("gp", prior.Cov())
	if err != nil {
		return nil, err
	}
	mean := prior.Mean()
	d, _ := l.Dims()
	variances := latent.Variances(l)
	largest := floats.Max(variances)
	return func(x []float64) float64 {
		var sum float64
		for k, v := range variances {
			if v < 1e-8*largest {
				continue
			}
			var along float64 // √λ uᵀ(x − μ)
			for j := range d {
				along += l.At(j, k) * (x[j] - mean[j])
			}
			sum -= along * along / (v * v) / 2
		}
		return sum
	}, nil
}
