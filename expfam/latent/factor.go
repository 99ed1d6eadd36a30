package latent

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
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
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return nil, fmt.Errorf("%s: the eigenvalues of the %d×%d covariance do not converge; check its entries", caller,
			d, d)
	}
	values := eigen.Values(nil) // ascending
	largest := values[d-1]
	if !(largest > 0) || values[0] < -1e-8*largest {
		return nil, fmt.Errorf("%s: the covariance has eigenvalues from %v to %v; it must be positive semidefinite "+
			"and not 0", caller, values[0], largest)
	}
	first := 0
	for values[first] <= 0x1p-52*float64(d)*largest {
		first++
	}
	var basis mat.Dense
	eigen.VectorsTo(&basis)
	l := mat.DenseCopyOf(basis.Slice(0, d, first, d))
	l.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(values[first+k]) }, l)
	return l, nil
}
