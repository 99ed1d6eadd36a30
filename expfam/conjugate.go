package expfam

import (
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
)

// Conjugate is a conjugate prior q(θ | a, b) of a one-parameter family. It
// has two parametrisations:
//
//   - standard: the pair that textbooks use ((mean, precision), (α, β)), in
//     which the update by data is an addition of increments;
//   - network: (location, log concentration), in which an inference network
//     emits it: (mean, log precision) for the Normal, (log mean, log α) for
//     the Gamma, (logit mean, log(α+β)) for the Beta and (log of β/α, log α)
//     for the inverse Gamma. Its float32 forms neither form α and β nor
//     subtract large log-gammas.
//
// Graph arguments broadcast; every result is elementwise.
type Conjugate interface {
	String() string
	// Coordinate is the scale on which the location lives, a formula in
	// theta: "theta", "log(theta)" or "logit(theta)".
	Coordinate() formula.Expr
	// Increments turns a cell's statistic and size into what they add to the
	// (first, second) standard parameters.
	//
	// LogEvidence is log ∫ exp(stat·η − size·A) q(θ) dθ, up to terms that
	// do not depend on (loc, logConc); it is 0, with gradient 0, where
	// stat = size = 0.
	LogEvidence(loc, logConc, stat, size *g.Node) *g.Node
	// NegLogDensity is −log q(θ) at the coordinate u of θ, up to a term in θ
	// alone: the amortised objective of the inference network.
	NegLogDensity(loc, logConc, u *g.Node) *g.Node
}
