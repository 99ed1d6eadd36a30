package latent

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/speak"
)

// Factor returns L with L Lᵀ = K, of shape (cells, rank). Its columns are the eigenvectors of K times the square roots
// of their eigenvalues, in ascending order. Eigenvalues that are 0 up to rounding are left out. A smooth kernel on a
// fine grid has few other eigenvalues, and no Cholesky factor: from 256 cells on [LowRank] finds them. Errors begin
// with the name of the caller's package.
func Factor(caller string, cov mat.Symmetric) (*mat.Dense, error) {
	if cov == nil {
		return nil, errors.New(caller + ": there is no covariance; give a matrix with a row for each cell")
	}
	d := cov.SymmetricDim()
	if d == 0 {
		return nil, errors.New(caller + ": the covariance has no rows; give at least one cell")
	}
	if l, ok := LowRank(cov); ok {
		return l, nil
	}
	values, basis, err := Eigen(cov)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", caller, err)
	}
	largest := values[d-1]
	if !(largest > 0) || values[0] < -1e-8*largest {
		return nil, fmt.Errorf("%s: the covariance has eigenvalues from %v to %v; it must be positive semidefinite "+
			"and not 0", caller, values[0], largest)
	}
	first := 0
	for values[first] <= 0x1p-52*float64(d)*largest {
		first++
	}
	l := mat.DenseCopyOf(basis.Slice(0, d, first, d))
	l.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(values[first+k]) }, l)
	return l, nil
}

// Eigen returns the eigenvalues of a covariance in ascending order, and its eigenvectors as columns. It refuses
// matrices of which they would take too long, and says how long others take. An interrupt ends it with
// [speak.ErrInterrupted].
func Eigen(cov mat.Symmetric) ([]float64, *mat.Dense, error) {
	d := cov.SymmetricDim()
	n := float64(d)
	cost := Cost{Flops: 10 * n * n * n, Bytes: 24 * n * n}
	if err := cost.Fits(fmt.Sprintf("finding the eigenvectors of a covariance of %d cells", d), "take fewer cells, "+
		"or a prior with a sparse precision: gmrf.Prior, or gp.Unknown of a prior of package graph"); err != nil {
		return nil, nil, err
	}
	var eigen mat.EigenSym
	factorize := func() error {
		if !eigen.Factorize(cov, true) {
			return fmt.Errorf("the eigenvalues of the %d×%d covariance do not converge; check its entries", d, d)
		}
		return nil
	}
	if err := aloud(fmt.Sprintf("eigenvectors of %d cells", d), cost, factorize); err != nil {
		return nil, nil, err
	}
	var basis mat.Dense
	eigen.VectorsTo(&basis)
	return eigen.Values(nil), &basis, nil
}

// brief is the number of seconds that work takes without a word.
const brief = 3

// aloud does work of one step that cannot end early. Long work is announced with its seconds, and left alone at an
// interrupt, with [speak.ErrInterrupted].
func aloud(what string, cost Cost, work func() error) error {
	seconds := cost.Flops / speed
	if seconds < brief {
		return work()
	}
	ctx, end := speak.Work(what, "")
	defer end()
	plan := fmt.Sprintf("%s, about %.2g s", what, seconds)
	if !speak.Plan(ctx, plan) {
		speak.Logger(ctx).Info(plan)
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, speak.ErrInterrupted)
	}
}
