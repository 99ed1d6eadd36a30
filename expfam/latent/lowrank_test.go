package latent

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// smoothLine is the covariance of a line of cells under a squared exponential kernel.
func smoothLine(cells int, length float64) *mat.SymDense {
	cov := mat.NewSymDense(cells, nil)
	for i := range cells {
		for j := range i + 1 {
			d := float64(i-j) / float64(cells) / length
			cov.SetSym(i, j, math.Exp(-d*d/2))
		}
	}
	return cov
}

// Factors of low rank give the covariance back to its rounding errors, and their columns are orthogonal.
func TestLowRank(t *testing.T) {
	for _, length := range []float64{0.05, 0.1, 0.5} {
		cov := smoothLine(300, length)
		l, err := Factor("test", cov)
		if err != nil {
			t.Fatal(err)
		}
		_, rank := l.Dims()
		if rank > 60 {
			t.Errorf("length %g: rank %d", length, rank)
		}
		var back, gram mat.Dense
		back.Mul(l, l.T())
		back.Sub(&back, cov)
		gram.Mul(l.T(), l)
		largest := gram.At(rank-1, rank-1)
		for k := range rank {
			if k > 0 && gram.At(k, k) < gram.At(k-1, k-1) {
				t.Errorf("length %g: mode %d is out of order", length, k)
			}
			gram.Set(k, k, 0)
		}
		// 300 products of numbers up to 1 have rounding errors of 300 · 1e-16, and the modes a variance of up to 300.
		if off, inner := mat.Max(&back), mat.Max(&gram); off > 1e-12 || inner > 1e-14*largest {
			t.Errorf("length %g: entries are %g off, inner products up to %g", length, off, inner)
		}
	}
	indefinite := smoothLine(300, 0.1)
	indefinite.SetSym(0, 299, 1)
	if _, err := Factor("test", indefinite); err == nil {
		t.Error("a covariance that is not positive semidefinite is factorised")
	}
}
