// Package traits has what samplers ask of a prior, or pass to a certificate, and nobody else does. Products and nuggets
// of priors are types of package expfam, so that package sets the functions when it is initialised.
package traits

import (
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/latent"
)

// Check returns the error of a prior, or of another kind, that has the method Check, and nil for any other. A function
// that takes a prior calls Check first.
func Check(prior any) error {
	if c, ok := prior.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

var (
	// Modes returns the mean and a matrix whose columns are √λₖ uₖ for any prior that is Gaussian, with K = Σ λₖ uₖ
	// uₖᵀ: for one with a method Modes, for an expfam.Linear one with a mean, for one with Mean() []float64 and Cov()
	// *mat.SymDense, and for products and nuggets of these. The n modes of the largest variance come in ascending order
	// of λₖ, or all modes of a variance above rounding if n is 0. It is false for other priors, and for too many cells.
	Modes func(prior any, n int) (mean []float64, l *mat.Dense, ok bool)
	// Spectrum returns what expfam.Spectral says for a prior that is Spectral, and for products and nuggets of such
	// priors. The other parts of a product need Modes. It is false for other priors.
	Spectrum func(prior any) (latent.Spectrum, bool)
	// InBounds clips an estimate of the mean of x₀ to the bounds of the prior. In a product without bounds of its own,
	// it clips each part that has bounds.
	InBounds func(prior any, estimate *graph.Node) *graph.Node
)
