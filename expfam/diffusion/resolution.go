package diffusion

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// mostUnresolved is the share of directions, of those that data more precise than the prior's lowest noise level look
// at, in which the prior may be narrower than that level; see [run.resolved].
const mostUnresolved = 0.1

// unresolved is the standard deviation of data, as a multiple of the prior's lowest noise level, below which means are
// more than .15 posterior standard deviations off; see [run.resolved].
const unresolved = 0.75

// A cell without a precise datum may follow from its neighbours that have one. Data below coupledLevel times the
// prior's lowest noise level are refused where this magnifies the error of the prior more than mostMagnified times; see
// [largestMagnification]. TestSmoothLearned of package benchmarks measures it on sharp data with half of the cells
// missing.
const coupledLevel, mostMagnified = 3, 3

// needsFinerSteps reports whether the data are more precise than the lowest noise level that the prior serves. The last
// drawn step is then a step of a Gaussian with the prior's covariance at that level, and far from the data's precision.
func (s *setup) needsFinerSteps(sharpest float64) bool {
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
	if !ranged || !dense || !r.forward.Separate() || !r.forward.Linear() {
		return nil
	}
	sites := make([]site, r.prior.Dim())
	for k, s := range info.sites {
		r.forward.Row(k, func(cell int, weight float64) { sites[cell].precision += weight * weight * s.precision })
	}
	low, _ := p.Range()
	if info.sharpest.value > coupledLevel*low {
		return nil
	}
	all, err := c.correlations(ctx)
	if err != nil {
		return err
	}
	if cell, by := largestMagnification(all.at(coupledLevel*low), sites, coupledLevel*low); by > mostMagnified {
		return fmt.Errorf("sample: cell %d follows from its neighbours, whose data fix x₀ to %.2g, more precisely "+
			"than %v resolves; give the data standard deviations of at least %.2g, or take an exact prior", cell,
			info.sharpest.value, r.prior, coupledLevel*low)
	}
	if info.sharpest.value > unresolved*low {
		return nil
	}
	table := all.at(endings * low) // the standard deviation of a cell at that level is about the level
	var sharp []int
	for j, s := range sites {
		if s.precision*low*low*unresolved*unresolved > 1 {
			sharp = append(sharp, j)
		}
	}
	a := mat.NewSymDense(len(sharp), nil)
	for m, i := range sharp {
		for n, j := range sharp[:m+1] {
			a.SetSym(m, n, (table[i*len(sites)+j]+table[j*len(sites)+i])/2)
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

// largestMagnification returns the cell, among those without a datum more precise than s, in which an error of Cov(x₀ |
// x_t) is magnified most by the data that are, and how many times. With the correlations R at the noise level s, the
// precise data at the cells S with precisions W, and b = (R_SS + 1/(s² W))⁻¹ R_Sj, the variance of cell j is the share
// 1 − bᵀR_Sj of the one without data. If the entries of R have independent errors, its relative error is (1 + |b|²)/(1
// − bᵀR_Sj) times theirs.
func largestMagnification(table []float64, sites []site, s float64) (cell int, times float64) {
	var data, rest []int
	for j, at := range sites {
		if at.precision*s*s > 1 {
			data = append(data, j)
		} else {
			rest = append(rest, j)
		}
	}
	if len(data) == 0 || len(rest) == 0 {
		return 0, 0
	}
	r := func(i, j int) float64 { return (table[i*len(sites)+j] + table[j*len(sites)+i]) / 2 }
	known, between := mat.NewSymDense(len(data), nil), mat.NewDense(len(data), len(rest), nil)
	for m, i := range data {
		for n, j := range data[:m+1] {
			known.SetSym(m, n, r(i, j))
		}
		known.SetSym(m, m, known.At(m, m)+1/(sites[i].precision*s*s))
		for n, j := range rest {
			between.Set(m, n, r(i, j))
		}
	}
	var chol mat.Cholesky
	var b mat.Dense
	if !chol.Factorize(known) || chol.SolveTo(&b, between) != nil { // the errors of R make it indefinite
		return rest[0], math.Inf(1)
	}
	for n, j := range rest {
		weights := b.ColView(n)
		share := max(r(j, j)-mat.Dot(weights, between.ColView(n)), 1e-9)
		if by := (1 + mat.Dot(weights, weights)) / share; by > times {
			cell, times = j, by
		}
	}
	return cell, times
}
