package sparse

import (
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/columns"
)

// Factor has the numbers of a Cholesky factor. A factor serves one goroutine while it is computed, and many afterwards.
type Factor struct {
	*Symbolic
	l    []float64
	work *work // while it is computed
}

// work is the work space of a factorisation.
type work struct {
	stack, turned []float64
	children      []int
}

// Factor returns a factor without numbers.
func (s *Symbolic) Factor() *Factor {
	return &Factor{Symbolic: s, l: make([]float64, s.length)}
}

// Refactor computes the factor of the matrix of these values. It returns an error if that is not positive definite.
func (f *Factor) Refactor(value []float64) error {
	clear(f.l)
	f.work, _ = f.spare.Get().(*work)
	if f.work == nil {
		f.work = &work{stack: make([]float64, f.stack)}
	}
	defer func() {
		f.spare.Put(f.work)
		f.work = nil
	}()
	for e, at := range f.where {
		f.l[at] += value[e]
	}
	top := 0 // of the stack, on which the updates of the children of node k lie, the last one on top
	children := f.work.children[:0]
	for k := range f.nodes {
		node := &f.nodes[k]
		m := node.below()
		panel := f.l[node.panel : node.panel+len(node.rows)*node.cols]
		update := f.work.stack[top : top+m*m]
		clear(update)
		base := top
		for len(children) > 0 && f.nodes[children[len(children)-1]].parent == k {
			child := &f.nodes[children[len(children)-1]]
			children = children[:len(children)-1]
			size := child.below()
			base -= size * size
			extend(panel, update, f.work.stack[base:base+size*size], node, child)
		}
		if bad := f.eliminate(panel, node.cols, len(node.rows)); bad >= 0 {
			return fmt.Errorf("sparse: the matrix is not positive definite at row %d", f.order[node.first+bad])
		}
		if m > 0 {
			f.outer(update, panel[node.cols*node.cols:], m, node.cols)
			copy(f.work.stack[base:], update)
			children = append(children, k)
		}
		top = base + m*m
	}
	f.work.children = children
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

// together is the number of columns of a panel that are eliminated one by one.
const together = 8

// eliminate replaces a panel of rows × cols by its part of L. It returns the column that is not positive, or −1.
func (f *Factor) eliminate(panel []float64, cols, rows int) int {
	for first := 0; first < cols; first += together {
		w := min(together, cols-first)
		if first > 0 { // subtract the product with the columns before
			f.work.turned = transposed(f.work.turned, panel[first*cols:], w, first, cols)
			columns.MulAdd(-1, columns.Rows(panel[first*cols+first:], cols), columns.Rows(panel[first*cols:], cols),
				columns.Rows(f.work.turned, w), rows-first, first, w)
		}
		for i := first; i < rows; i++ {
			row := panel[i*cols+first:][:w]
			for j := range min(i-first, w) {
				other := panel[(first+j)*cols+first:][:j+1]
				v := row[j]
				for k, w := range other[:j] {
					v -= row[k] * w
				}
				row[j] = v / other[j]
			}
			if k := i - first; k < w {
				v := row[k]
				for _, w := range row[:k] {
					v -= w * w
				}
				if !(v > 0) || math.IsInf(v, 1) {
					return i
				}
				row[k] = math.Sqrt(v)
			}
		}
	}
	return -1
}

// transposed returns the transposed matrix of the first cols numbers of each of so many rows, in the memory of out.
func transposed(out, a []float64, rows, cols, stride int) []float64 {
	out = slices.Grow(out[:0], rows*cols)[:rows*cols]
	for i := range rows {
		for j, v := range a[i*stride : i*stride+cols] {
			out[j*rows+i] = v
		}
	}
	return out
}

// band is the number of rows of a product that are multiplied together: they make entries above the diagonal of it.
const band = 16

// outer subtracts the lower triangle of B Bᵀ from update, for the m rows of B of the given columns.
func (f *Factor) outer(update, b []float64, m, cols int) {
	f.work.turned = transposed(f.work.turned, b, m, cols, cols)
	for i := 0; i < m; i += band {
		rows := min(band, m-i)
		columns.MulAdd(-1, columns.Rows(update[i*m:], m), columns.Rows(b[i*cols:], cols),
			columns.Rows(f.work.turned, m), rows, cols, i+rows)
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
