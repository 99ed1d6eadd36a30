package expfam

import (
	"math"

	"github.com/expfam/lab/expfam/store"
)

// nearGaussian is the largest change of a variance of x₀ | x_t under which drawn steps are the
// default; see [Compiled.suited].
const nearGaussian = 0.1

// suited is the default method. x₀ | x_t of a Gaussian prior is Gaussian with a covariance
// that is the same at every x_t, and no other prior has such variances: their slopes in x_t are
// the third cumulants of x₀ | x_t. So a prior of few cells is close to a
// Gaussian where the variances of x₀ | x_t hardly change between draws of x_t.
//
// Elsewhere third cumulants are not 0, and restarts have them.
//
// Under priors of independent cells whose variances change by up to 0.14, mixtures of two
// normals or skewed ones, [CovarianceSteps] are as accurate as [Restarts]. Where they change by
// 0.24 to 0.44, W₁ is up to 0.03 sd larger. Under Student's t of 3 degrees (0.6) it is
// 0.013, and under two levels that are five of their own sd from the middle (1.1) 0.11
// larger. The network of the one-dimensional benchmark has 0.03.
//
// Under a learned prior the error of its average covariance grows where an operator takes
// differences of cells: W₁ is 0.09 sd by CovarianceSteps and 0.07 by Restarts on the benchmark of
// operators. So data that look through an operator have Restarts, unless the prior is Linear.
//
// Priors of images have the [ImageRestarts], with an operator too.
func (c *Compiled) suited() Method {
	quadrature, ok := c.sampler.Guidance.(Quadrature)
	_, unguided := c.sampler.Guidance.(Unguided)
	if ok && (quadrature.Independent || quadrature.Steps > 0) || !ok && !unguided {
		return Restarts{}
	}
	_, linear := c.prior.(Linear)
	switch {
	case c.prior.Dim() > wholeCells:
		if linear || unguided || !ofImages(c.prior) {
			return Restarts{}
		}
		return ImageRestarts()
	case linear:
		return CovarianceSteps{}
	case !c.forward.plain():
		return Restarts{}
	}
	change, err := c.change()
	if err != nil || !(change <= nearGaussian) {
		return Restarts{Skew: farSkew} // which says what is wrong with the prior, if something is
	}
	return CovarianceSteps{}
}

// farSkew is the noise level of third cumulants under a prior of few cells that is far from a Gaussian. Under two
// levels of 0.2 at ±1 the sd of draws is 1.03 of the exact one, 1.09 with a level of 1, and 1.61 without third cumulants.
const farSkew = 3

// change is by how much variances of x₀ | x_t differ; see [correlations.Change].
func (c *Compiled) change() (float64, error) {
	measure := func() (float64, error) {
		t, err := c.correlated()
		if err != nil {
			return 0, err
		}
		return t.Change, nil
	}
	if c.sampler.Fresh {
		return measure()
	}
	key, err := PriorFingerprint(c.prior, c.sampler.Engine)
	if err != nil {
		return 0, err
	}
	return store.Once("change", store.Key(correlationRevision, key), store.JSON[float64](), measure)
}

// changes adds up variances of x₀ | x_t, of some cells at several x_t each.
type changes struct{ sum, squares, count []float64 }

func newChanges(d int) changes {
	return changes{make([]float64, d), make([]float64, d), make([]float64, d)}
}

func (c changes) add(cell int, variance float64) {
	c.sum[cell] += variance
	c.squares[cell] += variance * variance
	c.count[cell]++
}

// most is the largest coefficient of variation of a cell's variances.
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
