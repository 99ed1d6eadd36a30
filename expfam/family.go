package expfam

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

// Family is a one-parameter exponential family in its unit form. The terms of all observations of one cell add up to
//
//	log p(y | θ) = Base + Stat·η(θ) − Size·A(θ).
//
// The statistic and the size absorb the known constants (σ, exposure, trials, shape, scale) of every observation. Two
// families with the same η and A differ only in how they reduce y.
//
// A type with these methods works with every link, guidance, sampler and figure of the
// library. [General] and [Checker] are optional.
type Family interface {
	// String names the family in messages, with its known constant: "binomial(n=30)".
	// Keys of stored results contain it, and the results of the other methods.
	String() string
	// Natural returns η(θ), A(θ) and the open interval of θ.
	Natural() Natural
	// Reduce turns one observation into its term. A known constant that is given (σ, exposure, trials …) overrides the
	// family's own. An exposure of 0 means that nothing was observed, and so do 0 trials: the term of y = 0 is then the
	// zero Term, and any other y is an error.
	Reduce(y float64, known Known) (Term, error)
	// Rand draws y given θ. It returns 0 where nothing is observed, and panics only if θ is outside the support.
	Rand(theta float64, known Known, rng *rand.Rand) float64
	// Conjugate returns the conjugate prior of θ. The prior also has the increments that a
	// cell's (stat, size) add to its standard parameters.
	Conjugate() Conjugate
	// DefaultLink returns the paper's g⁻¹ for this family (the paper's Table A1, with the Pareto entry corrected).
	DefaultLink() Link
}

// Natural holds the natural parameter η(θ) and the log-partition A(θ) of one unit of a
// family, as formulas in the variable "theta".
type Natural struct {
	Eta, Partition formula.Expr
	// Low and High bound the open interval of θ; ±Inf where unbounded.
	Low, High float64
}

// Term is the contribution of one observation, or of all observations of one cell, to the
// log-likelihood: Base + Stat·η(θ) − Size·A(θ). The zero Term means "missing".
type Term struct {
	Stat, Size, Base float64
}

// Add returns the term of both together.
func (t Term) Add(s Term) Term { return Term{t.Stat + s.Stat, t.Size + s.Size, t.Base + s.Base} }

func (t Term) finite() bool {
	s := t.Stat + t.Size + t.Base
	return !math.IsNaN(s) && !math.IsInf(s, 0)
}

// LogLikelihood returns Base + Stat·η(θ) − Size·A(θ), which is 0 for a missing cell.
func (n Natural) LogLikelihood(t Term, theta float64) float64 {
	if t == (Term{}) {
		return 0
	}
	return t.Base + t.Stat*n.Eta.Eval(theta) - t.Size*n.Partition.Eval(theta)
}

// InputError is an observation or known constant that a family refuses.
type InputError struct {
	Family string // "binomial"
	// Cell and Replicate tell where the observation stands in the data. They are −1 if unknown.
	Cell, Replicate int
	// Columns is the number of columns if the data are a field, whose cells are counted row after
	// row from the top. It is 0 for other data.
	Columns int
	Reason  string // "31 positive of 30 examined"

	row bool // Cell is the number of a datum of an operator
}

func (e *InputError) Error() string {
	switch {
	case e.Cell < 0:
		return fmt.Sprintf("%s: %s", e.Family, e.Reason)
	case e.Columns > 0:
		return fmt.Sprintf("%s: row %d, column %d (from 0): %s", e.Family, e.Cell/e.Columns, e.Cell%e.Columns, e.Reason)
	case e.Replicate < 0:
		return fmt.Sprintf("%s: %s %d: %s", e.Family, placeName(!e.row), e.Cell, e.Reason)
	}
	return fmt.Sprintf("%s: %s %d, replicate %d: %s", e.Family, placeName(!e.row), e.Cell, e.Replicate, e.Reason)
}

// placeName returns the word for the place of an observation: "cell", or "datum" of an operator.
func placeName(cell bool) string {
	if cell {
		return "cell"
	}
	return "datum"
}

func refuse(family, format string, args ...any) error {
	return &InputError{Family: family, Cell: -1, Replicate: -1, Reason: fmt.Sprintf(format, args...)}
}

// unitForm parses a family's formulas once.
func unitForm(eta, partition string, low, high float64) func() Natural {
	return sync.OnceValue(func() Natural {
		return Natural{Eta: formula.MustParse(eta), Partition: formula.MustParse(partition), Low: low, High: high}
	})
}

// checkPositive refuses a known constant that is not a positive number.
func checkPositive(family, name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 0) {
		return refuse(family, "%s is %g; it must be a positive number", name, v)
	}
	return nil
}

// checkFinite refuses an observation or constant that is NaN or infinite.
func checkFinite(family, name string, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return refuse(family, "%s is %g; it must be finite, or NaN where nothing was observed", name, v)
	}
	return nil
}

// checkAbove refuses an observation at or below zero.
func checkAbove(family string, y float64) error {
	if err := checkFinite(family, "y", y); err != nil {
		return err
	}
	if y <= 0 {
		return refuse(family, "y is %g; it must be positive", y)
	}
	return nil
}

// checkCount refuses a number that is not a whole number of at least 0.
func checkCount(family, name string, y float64) error {
	if err := checkFinite(family, name, y); err != nil {
		return err
	}
	if y < 0 || y != math.Trunc(y) {
		return refuse(family, "%s is %g; it must be a count 0, 1, 2, …", name, y)
	}
	return nil
}

// checkTerm returns the first of errors if there is one, and otherwise the term. It refuses a term whose parts
// overflowed.
func checkTerm(family string, y float64, t Term, errs ...error) (Term, error) {
	if err := cmp.Or(errs...); err != nil {
		return Term{}, err
	}
	if !t.finite() {
		return Term{}, refuse(family, "y = %g is too large or too small for float64; rescale the data", y)
	}
	return t, nil
}

// sizeNamer is a family that has a word for [Term.Size], such as "exposure" or "trials".
type sizeNamer interface{ SizeName() string }

// General is a family whose log-likelihood of a cell is any function of a coordinate u of θ and of the
// cell's sums Stat and Size, in place of Stat·η(θ) − Size·A(θ). diffusion.Quadrature, diffusion.Delta, hmc, gmrf and
// the scores of calibrate work with it. Its Natural gives the interval of θ, and an η for the check of links.
// Its Conjugate does not give its evidence, so diffusion.Evidence refuses it.
type General interface {
	Family
	// Coordinate returns u as a formula in "theta".
	Coordinate() formula.Expr
	// At returns the log-likelihood of a cell with data, without Base, its slope d/du and its information
	// −d²/du², on the host.
	At(u float64, t Term) (value, slope, information float64)
	// Graph returns the same as At for nodes of one shape. The value may lack a term that does not depend on
	// u. All three results are 0 where stat = size = 0.
	Graph(u, stat, size *g.Node) (value, slope, information *g.Node)
}

// functions returns the two functions of θ that make up the log-likelihood: η and A, or for a [General] family u and 0.
func functions(f Family) (eta, part formula.Expr) {
	if own, ok := f.(General); ok {
		return own.Coordinate(), formula.MustParse("0")
	}
	n := f.Natural()
	return n.Eta, n.Partition
}
