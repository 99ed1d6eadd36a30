package gmrf

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// precision returns the precision P of the field f, as a band of its upper triangle. P is D M^α D with the diagonal
// matrix D = scale/sd, which makes sd the standard deviation of every cell.
func (s *spectrum) precision(sd float64) blas64.SymmetricBand {
	n := s.rows * s.cols
	width := min(s.alpha*s.cols, n-1)
	p := blas64.SymmetricBand{Uplo: blas.Upper, N: n, K: width, Stride: width + 1, Data: make([]float64, n*(width+1))}
	var first, second []entry
	for i := range n {
		first = s.operator(i, first[:0])
		row := p.Data[i*p.Stride:]
		if s.alpha == 1 {
			for _, a := range first {
				if a.at >= i {
					row[a.at-i] += a.value
				}
			}
		} else {
			for _, a := range first {
				second = s.operator(a.at, second[:0])
				for _, b := range second {
					if b.at >= i {
						row[b.at-i] += a.value * b.value
					}
				}
			}
		}
		for d := range min(width+1, n-i) {
			row[d] *= s.scale[i] * s.scale[i+d] / (sd * sd)
		}
	}
	return p
}

// entry is a number and its column in a row of a sparse matrix.
type entry struct {
	at    int
	value float64
}

// operator appends the entries of row i of M = κ² − Δ to row.
func (s *spectrum) operator(i int, row []entry) []entry {
	r, c := i/s.cols, i%s.cols
	diagonal := s.kappa2
	for _, n := range []struct {
		ok    bool
		at    int
		value float64
	}{
		{r > 0, i - s.cols, s.down}, {r < s.rows-1, i + s.cols, s.down},
		{c > 0, i - 1, s.across}, {c < s.cols-1, i + 1, s.across},
	} {
		if n.ok {
			rate := 1 / (n.value * n.value)
			row = append(row, entry{n.at, -rate})
			diagonal += rate
		}
	}
	return append(row, entry{i, diagonal})
}

// factor returns U with UᵀU = a + diag(w), and false if that sum is not positive definite.
// U lies in the memory of to, which must be as long as a.Data.
func factor(a blas64.SymmetricBand, w []float64, to []float64) (blas64.TriangularBand, bool) {
	copy(to, a.Data)
	for i, v := range w {
		to[i*a.Stride] += v
	}
	a.Data = to
	return lapack64.Pbtrf(a)
}

// solve replaces x by (UᵀU)⁻¹ x.
func solve(u blas64.TriangularBand, x []float64) {
	blas64.Tbsv(blas.Trans, u, vector(x))
	blas64.Tbsv(blas.NoTrans, u, vector(x))
}

// logDet returns the log determinant of UᵀU.
func logDet(u blas64.TriangularBand) float64 {
	var sum float64
	for i := range u.N {
		sum += 2 * math.Log(u.Data[i*u.Stride])
	}
	return sum
}

// inverseDiagonal returns the diagonal of Σ = (UᵀU)⁻¹. It is computed from the last row to the first. UΣ = U⁻ᵀ is lower
// triangular, so for k > i, with sums over j > i in the band of row i,
//
//	Σᵢₖ = −Σⱼ uᵢⱼ Σⱼₖ / uᵢᵢ,  Σᵢᵢ = 1/uᵢᵢ² − Σⱼ uᵢⱼ Σⱼᵢ / uᵢᵢ
//
// (Takahashi, Fagan & Chen 1973). Only the band of Σ is needed.
func inverseDiagonal(u blas64.TriangularBand) []float64 {
	sigma, diagonal := inverseBand(u), make([]float64, u.N)
	for i := range diagonal {
		diagonal[i] = sigma[i*u.Stride]
	}
	return diagonal
}

// inverseBand returns the band of the upper triangle of Σ = (UᵀU)⁻¹ in the layout of u.Data; see inverseDiagonal.
func inverseBand(u blas64.TriangularBand) []float64 {
	sigma := make([]float64, len(u.Data))
	for i := u.N - 1; i >= 0; i-- {
		row, out := u.Data[i*u.Stride:], sigma[i*u.Stride:]
		if k := min(u.K, u.N-1-i); k > 0 {
			// Read with a stride of one less, the rows of a band are rows of a full matrix.
			window := blas64.Symmetric{Uplo: blas.Upper, N: k, Stride: u.Stride - 1, Data: sigma[(i+1)*u.Stride:]}
			blas64.Symv(-1/row[0], window, vector(row[1:k+1]), 0, vector(out[1:k+1]))
			out[0] = -blas64.Dot(vector(row[1:k+1]), vector(out[1:k+1])) / row[0]
		}
		out[0] += 1 / (row[0] * row[0])
	}
	return sigma
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
