package expfam

import (
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

// General is a family whose log-likelihood of a cell is not Stat·η(θ) − Size·A(θ)
// but any function of a coordinate u of θ and of the cell's sums Stat and Size.
// [Quadrature], [Delta], hmc, gmrf and the scores of calibrate need nothing more.
// Its Natural gives the interval of θ and, for what looks at links, an η; the
// closed forms of its Conjugate are not its evidence, and [Evidence] refuses it.
type General interface {
	Family
	// Coordinate is u, a formula in "theta".
	Coordinate() formula.Expr
	// At is the log-likelihood of a cell with data, without its Base, its
	// slope d/du and its information −d²/du², on the host.
	At(u float64, t Term) (value, slope, information float64)
	// Graph is the same on nodes of one shape, the value up to a term that does not
	// depend on u; all three are 0 where stat = size = 0.
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
