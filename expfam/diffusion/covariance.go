package diffusion

import (
	"context"
	"errors"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// covarianceModel is a model of C = Cov(x₀ | x_t): what a step knows of C beside its products with vectors, which cost
// a Jacobian product each. A step gets what depends on the noise level in a table, an input of its graph.
type covarianceModel interface {
	// correlations returns what was measured of the prior.
	correlations(ctx context.Context) (*correlations, error)
	// defaultMethod returns the default method for the prior and the likelihood.
	defaultMethod(ctx context.Context, unguided bool) (Method, error)
	// tableDims returns the dimensions of the table that a step of a kind takes, or nil if it takes none.
	tableDims(k kind) []int
	// independent returns the table for cells that are not correlated, or nil if a step of the kind takes none.
	independent(k kind) []float64
	// table returns the table of a kind of steps at a noise level.
	table(ctx context.Context, sigma float64, k kind) ([]float64, error)
	// setTable gives the point of a step what its table says.
	setTable(p *Point, table *Node)
	// iterates reports whether any of the steps takes conjugate gradients by default.
	iterates(steps []Step) bool
	// solveSteps returns the default number of steps of conjugate gradients; see [Quadrature].
	solveSteps(p *Point) int
	// damp may shorten the shift to which conjugate gradients came. The arguments reached and pull are √W H δ
	// and √W r; see [correlated].
	damp(shift, reached, pull *Node) *Node
}

// isSmall reports whether a table of so many cells has all of their pairs.
func isSmall(cells int) bool { return cells <= 128 }

// newCovariance returns the model of the covariance that suits the number of cells.
func newCovariance(m *measurement) covarianceModel {
	if isSmall(m.prior.Dim()) {
		return &denseCovariance{measurement: m}
	}
	return &productCovariance{measurement: m}
}

// covarianceAt returns the model of the covariance at a point. Outside of a sampler there are no tables, and the number
// of cells decides.
func covarianceAt(p *Point) covarianceModel {
	switch {
	case p.covariance != nil:
		return p.covariance
	case isSmall(p.Mean.Shape().Dimensions[1]):
		return &denseCovariance{}
	}
	return &productCovariance{}
}

// smooth is the share of the variance of all cells in their strongest mode, such as the common level of a smooth curve,
// from which a return goes to higher noise.
const smooth = 0.6

// widest is the largest standard deviation of a cell for these returns. Under wider priors noise levels of a few units
// are low, and totals of rare events would be off without an alarm.
const widest = 2

// drawnSteps returns drawn steps for the prior. A return to noise 1 of every cell is noise 1/√n of the level of n
// cells, so it hardly forgets what was drawn of the level at high noise. Under priors that are mainly a level the first
// return is therefore higher. On curves of 30 cells of length scale .85 the level is .029 in place of .064 posterior sd
// (log-normal data of unknown variance), and .029 in place of .041 (Poisson counts, softplus), from long chains. On the
// one-dimensional benchmark, whose strongest mode has less of the variance, the higher return makes W₁ .064 in place of
// .062.
func (c *denseCovariance) drawnSteps(ctx context.Context) (CovarianceSteps, error) {
	r, err := c.correlation(ctx, pureNoise)
	if errors.Is(err, expfam.ErrInterrupted) {
		return CovarianceSteps{}, err
	}
	if err != nil {
		return CovarianceSteps{}, nil // sampling reports the fault of the prior
	}
	d := r.SymmetricDim()
	var eigen mat.EigenSym
	if d < 2 || !eigen.Factorize(r, false) || eigen.Values(nil)[d-1] < smooth*float64(d) {
		return CovarianceSteps{}, nil
	}
	if c.linear() {
		unit := make([]float64, d)
		if unit[d/2] = 1; c.multiply(unit)[d/2] > widest*widest {
			return CovarianceSteps{}, nil
		}
	}
	return CovarianceSteps{high: 4, turn: 1.2, back: 2}, nil
}
