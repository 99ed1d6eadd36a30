package expfam

import (
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

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

// functions returns the two functions of θ that make up the log-likelihood: η and A, or for a [General]
// family u and 0.
func functions(f Family) (eta, part formula.Expr) {
	if own, ok := f.(General); ok {
		return own.Coordinate(), formula.MustParse("0")
	}
	n := f.Natural()
	return n.Eta, n.Partition
}
