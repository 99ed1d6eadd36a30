package sparse

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Factor has the numbers of a Cholesky factor. A factor serves one goroutine while it is computed, and many afterwards.
type Factor struct {
	*Symbolic
	l     []float64
	stack []float64
}

// Factor returns a factor without numbers.
func (s *Symbolic) Factor() *Factor {
	return &Factor{Symbolic: s, l: make([]float64, s.length)}
}

// Trim gives back the work space of factorisations.
func (f *Factor) Trim() { f.stack = nil }

// dense is the number of columns and rows from which blocks are left to BLAS.
const dense = 24

// Refactor computes the factor of the matrix of these values. It returns an error if that is not positive definite.
func (f *Factor) Refactor(value []float64) error {
	clear(f.l)
	if f.stack == nil {
		f.stack = make([]float64, f.Symbolic.stack)
	}
	for e, at := range f.where {
		f.l[at] += value[e]
	}
	top := 0 // of the stack, on which the updates of the children of node k lie, the last one on top
	var children []int
	for k := range f.nodes {
		node := &f.nodes[k]
		m := node.below()
		panel := f.l[node.panel : node.panel+len(node.rows)*node.cols]
		update := f.stack[top : top+m*m]
		clear(update)
		base := top
		for len(children) > 0 && f.nodes[children[len(children)-1]].parent == k {
			child := &f.nodes[children[len(children)-1]]
			children = children[:len(children)-1]
			size := child.below()
			base -= size * size
			extend(panel, update, f.stack[base:base+size*size], node, child)
		}
		if bad := eliminate(panel, node.cols, len(node.rows)); bad >= 0 {
			return fmt.Errorf("sparse: the matrix is not positive definite at row %d", f.order[node.first+bad])
		}
		if m > 0 {
			outer(update, panel[node.cols*node.cols:], m, node.cols)
			copy(f.stack[base:], update)
			children = append(children, k)
		}
		top = base + m*m
	}
	return nil
}

// extend adds the update of a child to panel and update of its parent.
func extend(panel, update, from []float64, node, child *supernode) {
	size, m, cols := child.below(), node.below(), node.cols
	inside := 0 // rows of the child that are columns of the parent
	for inside < size && int(child.relative[inside]) < cols {
		inside++
	}
	for i := range size {
		row, at := from[i*size:i*size+i+1], int(child.relative[i])
		to := panel[at*cols : (at+1)*cols]
		for j, v := range row[:min(inside, i+1)] {
			to[child.relative[j]] += v
		}
		if i >= inside {
			to = update[(at-cols)*m : (at-cols+1)*m]
			for j := inside; j <= i; j++ {
				to[int(child.relative[j])-cols] += row[j]
			}
		}
	}
}

// eliminate replaces a panel of rows × cols by its part of L. It returns the column that is not positive, or −1.
func eliminate(panel []float64, cols, rows int) int {
	if cols >= dense {
		a := blas64.Symmetric{Uplo: blas.Lower, N: cols, Stride: cols, Data: panel}
		l, ok := lapack64.Potrf(a)
		if !ok {
			for j := range cols {
				if d := panel[j*cols+j]; !(d > 0) {
					return j
				}
			}
			return cols - 1
		}
		if rows > cols {
			blas64.Trsm(blas.Right, blas.Trans, 1, l, blas64.General{Rows: rows - cols, Cols: cols, Stride: cols,
				Data: panel[cols*cols:]})
		}
		return -1
	}
	for i := range rows {
		row := panel[i*cols : (i+1)*cols]
		for j := range min(i, cols) {
			other := panel[j*cols : j*cols+j+1]
			v := row[j]
			for k, w := range other[:j] {
				v -= row[k] * w
			}
			row[j] = v / other[j]
		}
		if i < cols {
			v := row[i]
			for _, w := range row[:i] {
				v -= w * w
			}
			if !(v > 0) || math.IsInf(v, 1) {
				return i
			}
			row[i] = math.Sqrt(v)
		}
	}
	return -1
}

// outer subtracts the lower triangle of B Bᵀ from update, for the m rows of B of the given columns.
func outer(update, b []float64, m, cols int) {
	if cols >= dense && m >= dense {
		blas64.Syrk(blas.NoTrans, -1, blas64.General{Rows: m, Cols: cols, Stride: cols, Data: b}, 1,
			blas64.Symmetric{Uplo: blas.Lower, N: m, Stride: m, Data: update})
		return
	}
	for i := range m {
		row := b[i*cols : (i+1)*cols]
		to := update[i*m : i*m+i+1]
		for j := range to {
			other := b[j*cols : (j+1)*cols]
			var v float64
			for k, w := range other {
				v += row[k] * w
			}
			to[j] -= v
		}
	}
}

// LogDet returns the log determinant of the matrix.
func (f *Factor) LogDet() float64 {
	var sum float64
	for k := range f.nodes {
		node := &f.nodes[k]
		for j := range node.cols {
			sum += math.Log(f.l[node.panel+j*node.cols+j])
		}
	}
	return 2 * sum
}
