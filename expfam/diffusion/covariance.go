package diffusion

import (
	"context"

	. "github.com/gomlx/gomlx/core/graph"
)

// covarianceModel is a model of C = Cov(x₀ | x_t): what a step knows of C beside its products with vectors, which cost
// a Jacobian product each. A step gets what depends on the noise level in a table, an input of its graph.
type covarianceModel interface {
	// correlations returns what was measured of the prior.
	correlations(ctx context.Context) (*correlations, error)
	// suited returns the default method for the prior and the likelihood.
	suited(ctx context.Context, unguided bool) (Method, error)
	// tableDims returns the dimensions of the table that a step of a kind takes, or nil if it takes none.
	tableDims(k kind) []int
	// independent returns the table for cells that are not correlated.
	independent(k kind) []float64
	// table returns the table of a kind of steps at a noise level.
	table(ctx context.Context, sigma float64, k kind) ([]float64, error)
	// tell gives the point of a step what its table says.
	tell(p *Point, table *Node)
	// iterates reports whether any of the steps takes conjugate gradients by default.
	iterates(steps []Step) bool
	// solveSteps returns the default number of steps of conjugate gradients; see [Quadrature].
	solveSteps(p *Point) int
	// restrain may shorten the shift to which conjugate gradients came. The arguments reached and pull are √W H δ
	// and √W r; see [correlated].
	restrain(shift, reached, pull *Node) *Node
}

// few reports whether a table of so many cells has all of their pairs.
func few(cells int) bool { return cells <= 128 }

// newCovariance returns the model of the covariance that suits the number of cells.
func newCovariance(m *model, measured *measurement) covarianceModel {
	if few(m.prior.Dim()) {
		return &denseCovariance{measurement: measured}
	}
	return &productCovariance{measurement: measured}
}

// covarianceAt returns the model of the covariance at a point. Outside of a sampler there are no tables, and the number
// of cells decides.
func covarianceAt(p *Point) covarianceModel {
	switch {
	case p.covariance != nil:
		return p.covariance
	case few(p.Mean.Shape().Dimensions[1]):
		return &denseCovariance{}
	}
	return &productCovariance{}
}
