package expfam

import (
	"math/rand/v2"

	"github.com/expfam/lab/expfam/formula"
)

// Family is a one-parameter exponential family in its unit form: the terms
// of one cell, over all its observations, add up to
//
//	log p(y | θ) = Base + Stat·η(θ) − Size·A(θ),
//
// with a statistic and a size that absorb the known constants (σ, exposure,
// trials, shape, scale) of every single observation, as the table
// "Heteroscedastic sizes" does for the conjugate update. Two families with
// the same η and A differ only in how they reduce y.
//
// Implement these methods and a family works with every link, guidance,
// sampler and figure of the library.
type Family interface {
	// String names the family in messages and in stored keys, with its
	// known constant: "binomial(n=30)".
	String() string
	// Natural gives η(θ), A(θ) and the open interval of θ.
	Natural() Natural
	// Reduce turns one observation into its term; known overrides the
	// family's own constant (σ, exposure, trials …) where it is not zero.
	Reduce(y, known float64) (Term, error)
	// Rand draws y given θ. It panics only if θ is outside the support.
	Rand(theta, known float64, rng *rand.Rand) float64
	// Conjugate gives the conjugate prior of θ, and the increments that a
	// cell's (stat, size) add to its standard parameters.
	Conjugate() Conjugate
	// DefaultLink is the paper's g⁻¹ for this family (its Table A1, with
	// the Pareto entry corrected).
	DefaultLink() Link
}

// Natural holds the natural parameter η(θ) and the log-partition A(θ) of one
// unit of a family, formulas in the variable "theta".
type Natural struct {
	Eta, Partition formula.Expr
	// Low and High bound the open interval of θ; ±Inf where unbounded.
	Low, High float64
}

// Term is what one observation, or all of one cell, contributes to the
// log-likelihood: Base + Stat·η(θ) − Size·A(θ). The zero Term is "missing".
type Term struct {
	Stat, Size, Base float64
}
