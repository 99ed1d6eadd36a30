// Package columns multiplies matrices by blocks of columns, and solves triangles for them. Its inner loops are in
// vector instructions where the processor has them (AVX2 with FMA). A column of a product does not depend on the
// columns beside it, to the last bit.
package columns

import "math"

// deep is the number of rows of B that are multiplied at a time, so that they stay in the cache.
const deep = 256

// Matrix is a matrix whose entry (i, j) is Data[i*Row + j*Col].
type Matrix struct {
	Data     []float64
	Row, Col int
}

// Rows returns the matrix whose rows of n numbers follow one another.
func Rows(data []float64, n int) Matrix { return Matrix{data, n, 1} }

// T returns the transposed matrix.
func (a Matrix) T() Matrix { return Matrix{a.Data, a.Col, a.Row} }

// From returns the matrix without its first rows and columns.
func (a Matrix) From(row, col int) Matrix { return Matrix{a.Data[row*a.Row+col*a.Col:], a.Row, a.Col} }

// MulAdd adds alpha A B to C. A is m × n. B has n and C has m rows of k numbers, and the rows of both follow one
// another at distances of their own. C shares no memory with A and B.
func MulAdd(alpha float64, c, a, b Matrix, m, n, k int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	// The kernels do not check bounds.
	_, _, _ = c.Data[(m-1)*c.Row+k-1], a.Data[(m-1)*a.Row+(n-1)*a.Col], b.Data[(n-1)*b.Row+k-1]
	if k == 1 && n <= deep {
		column(alpha, c, a, b, m, n)
		return
	}
	for from := 0; from < n; from += deep {
		rows := min(deep, n-from)
		for col := 0; col < k; col += 8 {
			panel := b.From(from, col)
			for row := 0; row < m; {
				row += kernel(alpha, c.From(row, col), a.From(row, from), panel, m-row, rows, min(8, k-col))
			}
		}
	}
}

// column is MulAdd for one column. It has four sums at a time, because each waits for its last product.
func column(alpha float64, c, a, b Matrix, m, n int) {
	i := 0
	for ; i+4 <= m; i += 4 {
		var s0, s1, s2, s3 float64
		r0, r1, r2, r3 := a.Data[i*a.Row:], a.Data[(i+1)*a.Row:], a.Data[(i+2)*a.Row:], a.Data[(i+3)*a.Row:]
		for j, at := 0, 0; j < n; j, at = j+1, at+a.Col {
			v := b.Data[j*b.Row]
			s0, s1, s2, s3 = fused(r0[at], v, s0), fused(r1[at], v, s1), fused(r2[at], v, s2), fused(r3[at], v, s3)
		}
		for k, sum := range [4]float64{s0, s1, s2, s3} {
			c.Data[(i+k)*c.Row] = fused(alpha, sum, c.Data[(i+k)*c.Row])
		}
	}
	for ; i < m; i++ {
		var sum float64
		row := a.Data[i*a.Row:]
		for j, at := 0, 0; j < n; j, at = j+1, at+a.Col {
			sum = fused(row[at], b.Data[j*b.Row], sum)
		}
		c.Data[i*c.Row] = fused(alpha, sum, c.Data[i*c.Row])
	}
}

// plain is kernel for processors without the instructions: it handles a single row.
func plain(alpha float64, c, a, b Matrix, n, k int) {
	to := c.Data[:k]
	var sum [8]float64
	for j := range n {
		v := a.Data[j*a.Col]
		for i, w := range b.Data[j*b.Row : j*b.Row+k] {
			sum[i] += v * w
		}
	}
	for i := range to {
		to[i] += alpha * sum[i]
	}
}

// few is the number of rows of a triangle that are solved one by one.
const few = 4

// fused returns a b + c as the kernels do, in one instruction where they have it.
func fused(a, b, c float64) float64 {
	if fast {
		return math.FMA(a, b, c)
	}
	return a*b + c
}

// SolveLower replaces the n rows of k numbers x by L⁻¹x, for a lower triangle L.
func SolveLower(l Matrix, x []float64, n, k int) {
	for from := 0; from < n; from += few {
		rows := min(few, n-from)
		own := x[from*k : (from+rows)*k]
		MulAdd(-1, Rows(own, k), l.From(from, 0), Rows(x, k), rows, from, k)
		for i := range rows {
			for j := range i {
				subtract(own[i*k:(i+1)*k], own[j*k:(j+1)*k], l.Data[(from+i)*l.Row+(from+j)*l.Col])
			}
			divide(own[i*k:(i+1)*k], l.Data[(from+i)*(l.Row+l.Col)])
		}
	}
}

// SolveUpper replaces the n rows of k numbers x by U⁻¹x, for an upper triangle U.
func SolveUpper(u Matrix, x []float64, n, k int) {
	for end := n; end > 0; end -= few {
		from := max(0, end-few)
		rows := end - from
		own := x[from*k : end*k]
		if end < n {
			MulAdd(-1, Rows(own, k), u.From(from, end), Rows(x[end*k:], k), rows, n-end, k)
		}
		for i := rows - 1; i >= 0; i-- {
			for j := i + 1; j < rows; j++ {
				subtract(own[i*k:(i+1)*k], own[j*k:(j+1)*k], u.Data[(from+i)*u.Row+(from+j)*u.Col])
			}
			divide(own[i*k:(i+1)*k], u.Data[(from+i)*(u.Row+u.Col)])
		}
	}
}

func subtract(to, from []float64, by float64) {
	for i, v := range from {
		to[i] -= by * v
	}
}

func divide(x []float64, by float64) {
	for i := range x {
		x[i] /= by
	}
}
