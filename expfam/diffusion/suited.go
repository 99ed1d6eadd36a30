package diffusion

import (
	"context"
	"errors"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/store"
)

// nearGaussian is the largest change of the variances of x₀ | x_t, as a coefficient of variation,
// for which drawn steps are the default; see [Compiled.suited].
const nearGaussian = 0.1

// suited returns the default method for the prior, the likelihood and the guidance. It ends with ctx, by the error
// [expfam.ErrInterrupted].
//
// Under a Gaussian prior x₀ | x_t is Gaussian with a covariance that is the same at every x_t. No
// other prior has variances that are the same at every x_t: the slopes of the variances in x_t
// are the third cumulants of x₀ | x_t. So a prior of few cells is close to a Gaussian if the
// variances of x₀ | x_t hardly change between draws of x_t. Under other priors the third
// cumulants are not 0, and the default restarts use them.
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
// Under a learned prior the error of the average covariance grows where an operator takes
// differences of cells. On the benchmark of operators W₁ is 0.09 sd by CovarianceSteps and 0.07 sd
// by Restarts. So the default for data that look through an operator is Restarts, unless the prior
// is Linear.
//
// The default for priors of images is [ImageRestarts], or [OperatorRestarts] where an operator joins
// cells.
func (c *Compiled) suited(ctx context.Context) (Method, error) {
	quadrature, ok := c.sampler.Guidance.(Quadrature)
	_, unguided := c.sampler.Guidance.(Unguided)
	if ok && (quadrature.Independent || quadrature.Steps > 0) || !ok && !unguided {
		return Restarts{}, nil
	}
	_, linear := c.prior.(expfam.Linear)
	switch {
	case c.prior.Dim() > wholeCells:
		if linear || unguided || !ofImages(c.prior) {
			return Restarts{}, nil
		}
		if !c.forward.Separate() {
			return OperatorRestarts(), nil
		}
		return ImageRestarts(), nil
	case linear && !c.forward.Separate() && !c.forward.Linear():
		return Restarts{}, nil
	case linear && !c.forward.Separate():
		return CovarianceSteps{N: joinedSteps}, nil
	case linear:
		return CovarianceSteps{}, nil
	case !c.forward.Plain():
		return Restarts{}, nil
	}
	change, err := c.change(ctx)
	if errors.Is(err, expfam.ErrInterrupted) {
		return nil, err
	}
	if err != nil || !(change <= nearGaussian) {
		return Restarts{Skew: farSkew}, nil // if the prior is faulty (err), sampling with them reports the fault
	}
	return CovarianceSteps{}, nil
}

// joinedSteps is the default [CovarianceSteps.N] under a Linear prior where an operator joins cells.
const joinedSteps = 12

// farSkew is the default [Restarts.Skew] for a prior of few cells that is far from a Gaussian.
// Under a mixture of two levels of sd 0.2 at ±1, the sd of draws is 1.03 times the exact sd. With
// a Skew of 1 it is 1.09 times the exact sd, and without third cumulants 1.61 times.
const farSkew = 3

// change returns by how much the variances of x₀ | x_t change between draws of x_t; see
// [correlations.Change].
func (c *Compiled) change(ctx context.Context) (float64, error) {
	measure := func() (float64, error) {
		t, err := c.correlated(ctx)
		if err != nil {
			return 0, err
		}
		return t.Change, nil
	}
	if c.sampler.Fresh {
		return measure()
	}
	key, err := c.correlationKey()
	if err != nil {
		return 0, err
	}
	return store.OnceContext(ctx, "change", key, store.JSON[float64](), measure)
}

// changes has the sums, for each cell, over the variances of x₀ | x_t at several x_t.
type changes struct{ sum, squares, count []float64 }

func newChanges(d int) changes {
	return changes{make([]float64, d), make([]float64, d), make([]float64, d)}
}

func (c changes) add(cell int, variance float64) {
	c.sum[cell] += variance
	c.squares[cell] += variance * variance
	c.count[cell]++
}

// most returns the largest coefficient of variation, over the cells, of the variances of a cell.
func (c changes) most() float64 {
	var most float64
	for j, n := range c.count {
		if n < 2 {
			continue
		}
		mean := c.sum[j] / n
		spread := math.Sqrt(max(c.squares[j]-n*mean*mean, 0) / (n - 1))
		most = max(most, spread/math.Abs(mean)) // NaN stays NaN
	}
	return most
}
