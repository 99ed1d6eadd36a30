package hmc

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/internal/whitened"
)

// newTarget returns the target whitened by the prior alone, or by the Laplace approximation at the mode.
func newTarget(mean []float64, cov *mat.SymDense, data whitened.Data, laplace bool) (*whitened.Target, error) {
	d := cov.SymmetricDim()
	if err := machine.Fits(fmt.Sprintf("hmc: a prior of %d cells", d), 48*float64(d)*float64(d),
		"take a coarser grid, gmrf.Sample or expfam.Sample"); err != nil {
		return nil, err
	}
	l, err := gp.Factor(cov)
	if err != nil {
		return nil, err
	}
	if !laplace {
		return whitened.ByPrior(mean, l, data), nil
	}
	to, err := whitened.ByLaplace(mean, l, data)
	if err != nil {
		return nil, fmt.Errorf("hmc: %w, or sample with PriorWhitened", err)
	}
	return to, nil
}
