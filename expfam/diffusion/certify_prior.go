package diffusion

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

const (
	// priorGroups is the number of groups of draws of the prior, each with its own measurement of the network's error,
	// priorSteps the number of evaluations of a draw, and priorStart its first noise level.
	priorGroups, priorSteps, priorStart = 5, 40, 150
	// leastPriorDraws is the smallest number of draws in a group. There are four for each cell.
	leastPriorDraws = 200
)

// priorDraws returns draws of the prior in groups, by the probability-flow ODE with the steps of DPM-Solver++(2M)
// (Lu et al. 2022). The noise of a group has exactly the mean 0 and the covariance I. Where x₀ is an affine function of
// it, as under a Gaussian prior, a group has exactly the prior's mean and covariance too, whatever its number of draws.
func (c *certifier) priorDraws(ctx context.Context) (*mat.Dense, error) {
	d := c.prior.Dim()
	n := max(leastPriorDraws, 4*d)
	x := mat.NewDense(priorGroups*n, d, nil)
	for g := range priorGroups {
		half := x.Slice(g*n, g*n+n/2, 0, d).(*mat.Dense)
		rng := expfam.Stream(uint64(g), "certificate/prior")
		half.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, half)
		var cov mat.SymDense
		cov.SymOuterK(2/float64(n), half.T())
		var root mat.Cholesky
		var upper mat.TriDense
		if !root.Factorize(&cov) {
			return nil, fmt.Errorf("certify: the noise of %d draws of %d cells is singular", n/2, d)
		}
		root.UTo(&upper)
		var white mat.Dense // Uᵀ whiteᵀ = halfᵀ
		if err := white.Solve(upper.T(), half.T()); err != nil {
			return nil, fmt.Errorf("certify: the noise of %d draws: %w", n/2, err)
		}
		half.Copy(white.T())
		x.Slice(g*n+n/2, (g+1)*n, 0, d).(*mat.Dense).Scale(-1, half)
	}
	_, variance, err := c.pure()
	if err != nil {
		return nil, err
	}
	start, end := float64(priorStart), math.Sqrt(floats.Sum(variance)/float64(d))/100
	if r, ok := c.prior.(expfam.Ranged); ok {
		low, high := r.Range()
		start, end = math.Min(start, high), math.Max(end, low)
	}
	x.Scale(start, x)
	var mean, before mat.Dense
	shrink := math.Pow(end/start, 1./(priorSteps-1))
	for i := range priorSteps {
		if err := c.means(ctx, &mean, x, start*math.Pow(shrink, float64(i))); err != nil || i == priorSteps-1 {
			return &mean, err
		}
		to := mat.DenseCopyOf(&mean)
		if i > 0 {
			to.Sub(&mean, &before)
			to.Scale(0.5, to)
			to.Add(to, &mean)
		}
		before.CloneFrom(&mean)
		to.Sub(to, x)
		to.Scale(1-shrink, to)
		x.Add(x, to)
	}
	return &mean, nil
}
