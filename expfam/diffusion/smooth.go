package diffusion

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

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
