package calibrate

import (
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/formula"
)

// Thinner is a family whose observations can be split at random into independent observations with the same θ, without
// knowing θ. This is data thinning: Neufeld, Dharamshi, Gao & Witten (2024), JMLR 25(57). Some parts fit a model and
// other parts check it, and no cell is left out.
type Thinner interface {
	expfam.Family
	// Thin splits the term of a cell, of one observation or of several, into terms of independent parts of equal
	// expected size. A part may be the zero Term: a single trial goes to one part, and the other parts have no trial.
	Thin(t expfam.Term, parts int, rng *rand.Rand) ([]expfam.Term, error)
}

// CountThinner is a family of counts that knows the distribution of a thinned count: every event is kept with the same
// probability, independently of the others. Models of different families are compared on such counts. Under
// [expfam.Poisson] the kept events and the other events are independent. Under other families the number of other
// events depends on the number kept.
type CountThinner interface {
	expfam.Family
	// Kept gives two formulas in "theta": θ of the kept count, and θ of the other events
	// given the kept count. Both counts follow this family.
	Kept(share float64) (kept, rest formula.Expr)
	// KeptTerms returns the term of the kept count, and the term of the other events given the kept count.
	KeptTerms(t expfam.Term, kept, share float64) (expfam.Term, expfam.Term, error)
}
