package expfam

import (
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

// General is a family whose log-likelihood of a cell is not Stat·η(θ) − Size·A(θ) but any
// function of a coordinate u of θ and of the cell's sums Stat and Size. [Quadrature],
// [Delta], hmc, gmrf and the scores of calibrate work with it. Its Natural gives the
// interval of θ, and an η for the check of links. Its Conjugate does not give its
// evidence, so [Evidence] refuses it.
type General interface {
	Family
	// Coordinate is u, a formula in "theta".
	Coordinate() formula.Expr
	// At is the log-likelihood of a cell with data, without Base, with its slope d/du and
	// its information −d²/du², on the host.
	At(u float64, t Term) (value, slope, information float64)
	// Graph is At for nodes of one shape. The value may lack a term that does not depend
	// on u. All three results are 0 where stat = size = 0.
	Graph(u, stat, size *g.Node) (value, slope, information *g.Node)
}

// functions are the two functions of θ of which the log-likelihood is made: η and A,
// or u alone.
func functions(f Family) (eta, part formula.Expr) {
	if own, ok := f.(General); ok {
		return own.Coordinate(), formula.MustParse("0")
	}
	n := f.Natural()
	return n.Eta, n.Partition
}
