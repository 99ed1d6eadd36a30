package latent

import (
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/columns"
)

// Cholesky returns the Cholesky factor of K + εI. The factor is a smooth function of K, which a root by eigenvectors is
// not. ε is 16 times the rounding errors of float64, and about 1e-11 of a variance at 30 cells: smooth kernels have no
// Cholesky factor without it.
func Cholesky(cov *mat.SymDense) (*mat.Dense, error) {
	n := cov.SymmetricDim()
	var trace float64
	for i := range n {
		trace += cov.At(i, i)
	}
	if !(trace > 0) {
		return nil, errors.New("the covariance of the prior is 0; give a positive sd")
	}
	for epsilon := 16 * 0x1p-52 * trace; epsilon < 1e-6*trace; epsilon *= 10 {
		shifted := mat.NewSymDense(n, nil)
		shifted.CopySym(cov)
		for i := range n {
			shifted.SetSym(i, i, shifted.At(i, i)+epsilon)
		}
		upper := shifted.RawSymmetric().Data
		if columns.Cholesky(columns.Rows(upper, n), n) {
			l := mat.NewDense(n, n, nil)
			for i := range n {
				for j := i; j < n; j++ {
					l.Set(j, i, upper[i*n+j])
				}
			}
			return l, nil
		}
	}
	return nil, errors.New("the covariance of the prior is not positive semidefinite; check the kernel")
}
