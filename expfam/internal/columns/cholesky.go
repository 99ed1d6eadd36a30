package columns

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// high is the number of rows of a block of a Cholesky factor.
const high = 16

// Cholesky replaces the upper triangle of the n × n matrix A by U with UᵀU = A, block by block of rows:
//
//	Uᵀ_ii U_ij = A_ij − Σ_{k<i} Uᵀ_ki U_kj.
//
// It is false if A is not positive definite. Numbers below the diagonal are not read, and do not stay as they are.
func Cholesky(a Matrix, n int) bool {
	for from := 0; from < n; from += high {
		rows, rest := min(high, n-from), n-from
		MulAdd(-1, a.From(from, from), a.From(0, from).T(), a.From(0, from), rows, from, rest)
		for i := range rows {
			own := a.Data[(from+i)*a.Row+from:][:rest]
			for k := range i {
				above := a.Data[(from+k)*a.Row+from:][:rest]
				floats.AddScaled(own[i:], -above[i], above[i:])
			}
			if !(own[i] > 0) || math.IsInf(own[i], 1) {
				return false
			}
			floats.Scale(1/math.Sqrt(own[i]), own[i:])
		}
	}
	return true
}

// AddGram adds AᵀA to the upper triangle of C, for m × n numbers A. Numbers of C below the diagonal do not stay as
// they are.
func AddGram(c, a Matrix, m, n int) {
	if m == 0 {
		return
	}
	for from := 0; from < n; from += high {
		MulAdd(1, c.From(from, from), a.From(0, from).T(), a.From(0, from), min(high, n-from), m, n-from)
	}
}
