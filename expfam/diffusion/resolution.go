package diffusion

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// mostUnresolved is the share of directions, of those that data more precise than the prior's lowest noise level look
// at, in which the prior may be narrower than that level; see [run.resolved].
const mostUnresolved = 0.1

// unresolved is the standard deviation of data, as a multiple of the prior's lowest noise level, below which means are
// more than .15 posterior standard deviations off; see [run.resolved].
const unresolved = 0.75

// finer reports whether the data are more precise than the lowest noise level that the prior serves. The last drawn
// step is then a step of a Gaussian with the prior's covariance at that level, and far from the data's precision.
func (s *setup) finer(sharpest float64) bool {
	p, ok := s.prior.(expfam.Ranged)
	if !ok {
		return false
	}
	low, _ := p.Range()
	return sharpest < low
}

// resolved refuses data that a prior does not resolve. A network knows x₀ | x_t down to a lowest noise level σ
// ([expfam.Ranged]). A datum that is more precise by far determines its cell alone, and then the last drawn step is
// right. Where many such data look at cells that are coupled even at that level, their posterior depends on
// directions in which the prior is narrower than σ. The error of the network is larger than that. On the network of
// the one-dimensional benchmark, whose lowest level is .003, with data in all of 30 cells:
//
//	sd of the data                     .01    .003   .002   .001   .0001
//	means off, posterior sd            .05    .08    .17    .20    .50
//	ratio of sd                        .99    1.01   1.04   1.08   1.36
//	ratio of sd, every other cell      1.02   1.03          1.03   1.03
func (r *run) resolved(ctx context.Context, info diagnosis) error {
	p, ranged := r.prior.(expfam.Ranged)
	c, dense := r.covariance.(*denseCovariance)
	if !ranged || !dense || !r.forward.Plain() {
		return nil
	}
	low, _ := p.Range()
	if info.sharpest.value > unresolved*low {
		return nil
	}
	all, err := c.correlations(ctx)
	if err != nil {
		return err
	}
	table := all.at(endings * low) // the standard deviation of a cell at that level is about the level
	var sharp []int
	for j, s := range info.sites {
		if s.precision*low*low*unresolved*unresolved > 1 {
			sharp = append(sharp, j)
		}
	}
	a := mat.NewSymDense(len(sharp), nil)
	for m, i := range sharp {
		for n, j := range sharp[:m+1] {
			a.SetSym(m, n, (table[i*len(info.sites)+j]+table[j*len(info.sites)+i])/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(a, false) {
		return fmt.Errorf("sample: the eigenvalues of the correlation of %v do not converge", r.prior)
	}
	narrow := 0.0
	for _, v := range eigen.Values(nil) {
		if v < 1./(endings*endings) {
			narrow++
		}
	}
	if narrow <= mostUnresolved*float64(len(sharp)) {
		return nil
	}
	return fmt.Errorf("sample: %s %d: the data fix x₀ to %.2g, and %v resolves neighbouring cells down to %.2g alone; "+
		"give the data standard deviations of at least %.2g, or take an exact prior",
		r.forward.Place(), info.sharpest.cell, info.sharpest.value, r.prior, low, unresolved*low)
}
