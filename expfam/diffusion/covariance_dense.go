package diffusion

import (
	"context"
	"errors"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
)

// denseCovariance is the model of few cells: the correlations of all pairs of cells are known, averaged over x_t. The
// table has these, (d, d), for data behind an operator. For a drawn step the table has the root of the correlation
// matrix below the matrix, (2d, d); such a step takes a table without an operator too.
type denseCovariance struct {
	*measurement
	roots map[float64][]float64 // see [denseCovariance.rooted]
}

// nearGaussian is the largest change of the variances of x₀ | x_t, as a coefficient of variation,
// for which drawn steps are the default; see [denseCovariance.defaultMethod].
const nearGaussian = 0.1

// defaultMethod returns drawn steps for a prior that is close to a Gaussian. It ends with ctx, by the error
// [expfam.ErrInterrupted].
//
// Under a Gaussian prior x₀ | x_t is Gaussian with a covariance that is the same at every x_t. No other prior has
// variances that are the same at every x_t: the slopes of the variances in x_t are the third cumulants of x₀ | x_t. So
// a prior of few cells is close to a Gaussian if the variances of x₀ | x_t hardly change between draws of x_t. Under
// other priors the third cumulants are not 0, and the default restarts use them.
//
// [CovarianceSteps] are as accurate as [Restarts] under priors of independent cells whose
// variances change by up to 0.14 (mixtures of two normals, skewed distributions). For changes of
// 0.24 to 0.44 their W₁ is up to 0.03 sd larger. Under Student's t of 3 degrees (a change of 0.6)
// it is 0.013 sd larger, and under two levels that are five of their own sd from the middle (1.1)
// 0.11 sd larger. The variances of the network of the one-dimensional benchmark change by 0.03.
//
// Data behind an operator that joins cells take 12 evaluations under a Linear prior in place of 8.
// Coefficients of covariates, which such an operator joins with the cells, are up to 0.082 sd from long
// chains with 8 evaluations, and up to 0.078 sd with 12. Sums of intensities are not normal, and
// Restarts are closer to long chains: W₁ is 0.100 sd behind sums along rays, and 0.123 sd by CovarianceSteps.
//
// Under a learned prior the error of the average covariance grows where an operator takes differences of cells, or
// joins cells that have little to do with each other. On the benchmark of operators W₁ is 0.09 sd by CovarianceSteps
// and 0.06 sd by Restarts for differences, and 0.07 and 0.05 for rays through random cells. For blurs and means it is
// 0.05 and 0.06, and Restarts make intervals 3 to 5% too narrow. So a prior close to a Gaussian that is not Linear has
// CovarianceSteps where each datum looks at cells that move together, and Restarts behind other operators.
func (c *denseCovariance) defaultMethod(ctx context.Context, _ bool) (Method, error) {
	linear := c.linear()
	switch {
	case linear && !c.forward.Separate() && !c.forward.Linear():
		return Restarts{}, nil
	case linear && !c.forward.Separate():
		return CovarianceSteps{N: joinedSteps}, nil
	case linear:
		return c.drawnSteps(ctx)
	case augmented(c.prior) && c.forward.Plain():
		return augmentedRestarts, nil
	case augmented(c.prior), !c.forward.Linear():
		return Restarts{}, nil
	}
	change, err := c.change(ctx)
	if errors.Is(err, expfam.ErrInterrupted) {
		return nil, err
	}
	if !c.forward.Plain() {
		if err == nil && change <= nearGaussian {
			if table, err := c.correlations(ctx); err == nil && table.cellsMoveTogether(c.forward) {
				return CovarianceSteps{N: joinedSteps}, nil
			}
		}
		return Restarts{}, nil
	}
	if err != nil || !(change <= nearGaussian) {
		return Restarts{Skew: farSkew}, nil // if the prior is faulty (err), sampling with them reports the fault
	}
	return c.drawnSteps(ctx)
}

// joinedSteps is the default [CovarianceSteps.N] where an operator joins cells.
const joinedSteps = 12

// farSkew is the default [Restarts.Skew] for a prior of few cells that is far from a Gaussian.
// Under a mixture of two levels of sd 0.2 at ±1, the sd of draws is 1.03 times the exact sd. With
// a Skew of 1 it is 1.09 times the exact sd, and without third cumulants 1.61 times.
const farSkew = 3

func (c *denseCovariance) tableDims(k kind) []int {
	d := c.prior.Dim()
	switch {
	case k == drawn:
		return []int{2 * d, d}
	case c.forward.Plain():
		return nil
	}
	return []int{d, d}
}

func (c *denseCovariance) independent(k kind) []float64 {
	if dims := c.tableDims(k); dims != nil {
		return unitRows(dims[0], dims[1])
	}
	return nil
}

// unitRows returns rows of unit vectors, which repeat after the last one.
func unitRows(rows, cols int) []float64 {
	out := make([]float64, rows*cols)
	for i := range rows {
		out[i*cols+i%cols] = 1
	}
	return out
}

func (c *denseCovariance) table(ctx context.Context, sigma float64, k kind) ([]float64, error) {
	switch {
	case k == drawn:
		return c.rooted(ctx, sigma)
	case c.forward.Plain():
		return nil, nil
	}
	r, err := c.correlations(ctx)
	if err != nil {
		return nil, err
	}
	return r.at(sigma), nil
}

func (c *denseCovariance) setTable(p *Point, table *Node) {
	d := c.prior.Dim()
	p.correlation = table
	if p.noise == nil {
		return
	}
	p.correlation = Slice(table, AxisRange(0, d))
	if p.forward == nil {
		p.pairs = p.correlation
	}
	p.noise.root = Slice(table, AxisRange(d, 2*d))
}

// iterates reports whether there are steps that move by the mean: drawn steps take no conjugate gradients.
func (c *denseCovariance) iterates(steps []Step) bool { return affine.in(steps) }

// solveSteps returns 1 behind an operator, because the table preconditions the steps and the Jacobian of a network is
// only nearly a covariance matrix. Where data are precise and look at differences of cells, every further step
// magnifies the error of the Jacobian. Under the learned prior of the benchmark, differences of neighbours are .060,
// .182 and .228 sd off after one, two and three steps, and diverge after eight.
func (c *denseCovariance) solveSteps(p *Point) int {
	switch {
	case p.noise != nil:
		return 0
	case p.forward != nil:
		return 1
	}
	return defaultSteps
}

func (c *denseCovariance) damp(shift, reached, pull *Node) *Node {
	return Mul(shift, damping(reached, pull))
}
