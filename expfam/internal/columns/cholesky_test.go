package columns

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// TestCholesky multiplies factors, of sizes about those of blocks, and refuses matrices that have none.
func TestCholesky(t *testing.T) {
	for _, n := range []int{1, 2, high - 1, high, high + 1, 3*high + 5} {
		a := Rows(noise((n+3)*n), n)
		c := Rows(make([]float64, n*n), n)
		AddGram(c, a, n+3, n)
		u := Rows(append([]float64(nil), c.Data...), n)
		must.Need(t, Cholesky(u, n), "a matrix of %d rows has no factor", n)
		for i := range n {
			for j := i; j < n; j++ {
				var gram, product float64
				for k := range n + 3 {
					gram += a.Data[k*n+i] * a.Data[k*n+j]
				}
				for k := range i + 1 {
					product += u.Data[k*n+i] * u.Data[k*n+j]
				}
				must.Absolute(t, "the Gram matrix", c.Data[i*n+j], gram, 1e-13*float64(n+3)*float64(n))
				must.Absolute(t, "the product of the factors", product, gram, 1e-13*float64(n+3)*float64(n))
			}
		}
		for _, last := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			c.Data[n*n-1] = last
			must.Be(t, !Cholesky(Rows(append([]float64(nil), c.Data...), n), n), "an entry %g is no objection", last)
		}
	}
}

// TestNoRows: without rows nothing is added.
func TestNoRows(t *testing.T) {
	c := Rows(noise(40*40), 40)
	want := append([]float64(nil), c.Data...)
	AddGram(c, Rows(nil, 40), 0, 40)
	checkClose(t, c.Data, want, 0)
	must.Be(t, Cholesky(Rows(nil, 0), 0), "an empty matrix has an empty factor")
}

// BenchmarkCholesky factorises a matrix, by gonum too.
func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{30, 100, 400, 1000} {
		a := Rows(make([]float64, n*n), n)
		AddGram(a, Rows(noise(n*(n+3)), n), n+3, n)
		to := Rows(make([]float64, n*n), n)
		b.Run(fmt.Sprintf("%d/columns", n), func(b *testing.B) {
			for b.Loop() {
				copy(to.Data, a.Data)
				Cholesky(to, n)
			}
			b.ReportMetric(float64(n*n*n)/3e9*float64(b.N)/b.Elapsed().Seconds(), "GFlop/s")
		})
		b.Run(fmt.Sprintf("%d/gonum", n), func(b *testing.B) {
			for b.Loop() {
				copy(to.Data, a.Data)
				lapack64.Potrf(mat.NewSymDense(n, to.Data).RawSymmetric())
			}
			b.ReportMetric(float64(n*n*n)/3e9*float64(b.N)/b.Elapsed().Seconds(), "GFlop/s")
		})
	}
}
