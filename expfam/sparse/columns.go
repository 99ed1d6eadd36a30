package sparse

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// ForwardAll is Forward of k columns: x and z have n rows of k numbers.
func (f *Factor) ForwardAll(z, x []float64, k int) {
	for at, i := range f.order {
		copy(z[at*k:(at+1)*k], x[i*k:(i+1)*k])
	}
	var work []float64
	for at := range f.nodes {
		node := &f.nodes[at]
		l, below, own := f.blocks(node, z, k)
		blas64.Trsm(blas.Left, blas.NoTrans, 1, l, own)
		if below.Rows == 0 {
			continue
		}
		work = grown(work, below.Rows*k)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, below, own, 0, matrix(work, below.Rows, k))
		for i, row := range node.rows[node.cols:] {
			to := z[int(row)*k : (int(row)+1)*k]
			for j, v := range work[i*k : (i+1)*k] {
				to[j] -= v
			}
		}
	}
}

// BackwardAll is Backward of k columns. It overwrites z.
func (f *Factor) BackwardAll(x, z []float64, k int) {
	var work []float64
	for at := len(f.nodes) - 1; at >= 0; at-- {
		node := &f.nodes[at]
		l, below, own := f.blocks(node, z, k)
		if below.Rows > 0 {
			work = grown(work, below.Rows*k)
			for i, row := range node.rows[node.cols:] {
				copy(work[i*k:(i+1)*k], z[int(row)*k:(int(row)+1)*k])
			}
			blas64.Gemm(blas.Trans, blas.NoTrans, -1, below, matrix(work, below.Rows, k), 1, own)
		}
		blas64.Trsm(blas.Left, blas.Trans, 1, l, own)
	}
	for at, i := range f.order {
		copy(x[i*k:(i+1)*k], z[at*k:(at+1)*k])
	}
}

// blocks returns the triangle of a supernode, its rows below, and its own rows of x.
func (f *Factor) blocks(node *supernode, x []float64, k int) (l blas64.Triangular, below, own blas64.General) {
	c := node.cols
	panel := f.l[node.panel : node.panel+len(node.rows)*c]
	l = blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: c, Stride: c, Data: panel}
	return l, matrix(panel[c*c:], node.below(), c), matrix(x[node.first*k:], c, k)
}

func matrix(data []float64, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// grown returns a slice of n numbers, in the memory of work if that is enough.
func grown(work []float64, n int) []float64 {
	if cap(work) < n {
		return make([]float64, n)
	}
	clear(work[:n])
	return work[:n]
}
