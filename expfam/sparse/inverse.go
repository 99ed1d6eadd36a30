package sparse

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Inverse writes the entries of A⁻¹ in the pattern of A to value. From the last supernode to the first, with the blocks
// L₁₁ and L₂₁ of its panel, Y = L₂₁L₁₁⁻¹, and the block Σ₂₂ of its rows below, which its ancestors know,
//
//	Σ₂₁ = −Σ₂₂ Y,  Σ₁₁ = L₁₁⁻ᵀL₁₁⁻¹ − YᵀΣ₂₁
//
// (Takahashi, Fagan & Chen 1973).
func (f *Factor) Inverse(value []float64) {
	sigma, path := make([]float64, f.length), make([]float64, f.path)
	start := make([]int, len(f.nodes)) // of the front of a node on the path from its root
	var y, triangle []float64
	for k := len(f.nodes) - 1; k >= 0; k-- {
		node := &f.nodes[k]
		n, c, m := len(node.rows), node.cols, node.below()
		if p := node.parent; p >= 0 {
			start[k] = start[p] + len(f.nodes[p].rows)*len(f.nodes[p].rows)
		}
		front := path[start[k] : start[k]+n*n] // both triangles
		if p := node.parent; p >= 0 {
			up, size := path[start[p]:], len(f.nodes[p].rows)
			for i, a := range node.relative {
				from, to := up[int(a)*size:(int(a)+1)*size], front[(c+i)*n+c:(c+i+1)*n]
				for j, b := range node.relative {
					to[j] = from[b]
				}
			}
		}
		panel := f.l[node.panel : node.panel+n*c]
		triangle = append(triangle[:0], panel[:c*c]...)
		invert(triangle, c)
		l := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: c, Stride: c, Data: triangle}
		for i := range c {
			for j := range c {
				var v float64
				for r := max(i, j); r < c; r++ {
					v += triangle[r*c+i] * triangle[r*c+j]
				}
				front[i*n+j] = v
			}
		}
		if m > 0 {
			y = append(y[:0], panel[c*c:]...)
			below := blas64.General{Rows: m, Cols: c, Stride: c, Data: y}
			blas64.Trmm(blas.Right, blas.NoTrans, 1, l, below)
			known := blas64.Symmetric{Uplo: blas.Lower, N: m, Stride: n, Data: front[c*n+c:]}
			left := blas64.General{Rows: m, Cols: c, Stride: n, Data: front[c*n:]}
			blas64.Symm(blas.Left, -1, known, below, 0, left)
			own := blas64.General{Rows: c, Cols: c, Stride: n, Data: front}
			blas64.Gemm(blas.Trans, blas.NoTrans, -1, below, left, 1, own)
			for i := range m {
				for j := range c {
					front[j*n+c+i] = front[(c+i)*n+j]
				}
			}
		}
		for i := range n {
			copy(sigma[node.panel+i*c:node.panel+(i+1)*c], front[i*n:i*n+c])
		}
	}
	for e, at := range f.where {
		value[e] = sigma[at]
	}
}

// invert replaces a lower triangle by its inverse.
func invert(l []float64, n int) {
	for j := range n {
		l[j*n+j] = 1 / l[j*n+j]
		for i := j + 1; i < n; i++ {
			var v float64
			for k := j; k < i; k++ {
				v -= l[i*n+k] * l[k*n+j]
			}
			l[i*n+j] = v / l[i*n+i]
		}
	}
}
