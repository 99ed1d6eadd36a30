package gp

import (
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/whitened"
)

// Factor returns L with L Lᵀ = K, of shape (d, rank). Its columns are the eigenvectors of K
// times the square roots of their eigenvalues. Eigenvalues that are 0 up to rounding are
// left out. A smooth kernel on a fine grid has few other eigenvalues, and no Cholesky factor.
func Factor(cov mat.Symmetric) (*mat.Dense, error) { return whitened.Factor("gp", cov) }
