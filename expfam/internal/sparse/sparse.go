// Package sparse has matrices with few weights per row. They are linear maps, on the host in float64 and on graphs.
package sparse

import (
	"sync"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Matrix is a matrix H, stored by rows. The columns of the weights of row k are Cell[Start[k]:Start[k+1]], and the
// weights are the same part of Weight.
type Matrix struct {
	Rows, Cols int
	Start      []int
	Cell       []int
	Weight     []float64

	// What graphs need, made when a graph first needs it. A sync.Map would be compiled into every cell that names a
	// posterior, with all its generic methods.
	mu       sync.Mutex
	products map[dtypes.DType]*product
}

// New returns the matrix whose row k has the weights with which row(k, visit) calls visit.
func New(rows, cols int, row func(k int, visit func(cell int, weight float64))) *Matrix {
	m := &Matrix{Rows: rows, Cols: cols, Start: make([]int, 1, rows+1)}
	for k := range rows {
		row(k, func(cell int, weight float64) {
			if weight != 0 {
				m.Cell, m.Weight = append(m.Cell, cell), append(m.Weight, weight)
			}
		})
		m.Start = append(m.Start, len(m.Cell))
	}
	return m
}

// Row calls visit with the cells of row k and their weights.
func (m *Matrix) Row(k int, visit func(cell int, weight float64)) {
	for i := m.Start[k]; i < m.Start[k+1]; i++ {
		visit(m.Cell[i], m.Weight[i])
	}
}

// MulVec writes H x to y.
func (m *Matrix) MulVec(y, x []float64) {
	for k := range y {
		var sum float64
		for i := m.Start[k]; i < m.Start[k+1]; i++ {
			sum += m.Weight[i] * x[m.Cell[i]]
		}
		y[k] = sum
	}
}

// MulTransVec writes Hᵀ y to x.
func (m *Matrix) MulTransVec(x, y []float64) {
	clear(x)
	for k, v := range y {
		for i := m.Start[k]; i < m.Start[k+1]; i++ {
			x[m.Cell[i]] += m.Weight[i] * v
		}
	}
}

// Map returns the matrix with f of every weight, at the same places.
func (m *Matrix) Map(f func(weight float64) float64) *Matrix {
	out := &Matrix{Rows: m.Rows, Cols: m.Cols, Start: m.Start, Cell: m.Cell, Weight: make([]float64, len(m.Weight))}
	for i, w := range m.Weight {
		out.Weight[i] = f(w)
	}
	return out
}

// Squared returns the matrix of the squares of the weights.
func (m *Matrix) Squared() *Matrix { return m.Map(func(w float64) float64 { return w * w }) }

// Transpose returns Hᵀ.
func (m *Matrix) Transpose() *Matrix {
	out := &Matrix{Rows: m.Cols, Cols: m.Rows, Start: make([]int, m.Cols+1), Cell: make([]int, len(m.Cell)),
		Weight: make([]float64, len(m.Cell))}
	for _, j := range m.Cell {
		out.Start[j+1]++
	}
	for j := range m.Cols {
		out.Start[j+1] += out.Start[j]
	}
	next := append([]int(nil), out.Start...)
	for k := range m.Rows {
		m.Row(k, func(j int, w float64) {
			out.Cell[next[j]], out.Weight[next[j]] = k, w
			next[j]++
		})
	}
	return out
}

// Identity reports whether H is the identity matrix.
func (m *Matrix) Identity() bool {
	if m.Rows != m.Cols || len(m.Cell) != m.Rows {
		return false
	}
	for k := range m.Rows {
		if m.Start[k+1] != k+1 || m.Cell[k] != k || m.Weight[k] != 1 {
			return false
		}
	}
	return true
}

// Linear returns forward(x), a linear map from (batch, d) to (batch, n). Its gradient is computed by the adjoint map,
// back. Engines have no fast gradient of the operations in forward, and some engines have no gradient of them.
func Linear(x *Node, forward, back func(*Node) *Node) *Node {
	still := StopGradient(x)
	// zero has the value 0, but the gradient sees that it depends on x. The gradient first reaches the sum y, where
	// it is kept. It then reaches zero, which passes back(kept) on to x.
	var kept *Node
	zero := IdentityWithCustomGradient(Sub(x, still), func(_, _ *Node) *Node { return Linear(kept, back, forward) })
	y := Add(StopGradient(forward(still)), ReduceAndKeep(zero, ReduceSum, -1))
	return IdentityWithCustomGradient(y, func(_, v *Node) *Node {
		kept = v
		return v
	})
}

// First returns the first cells of x, (batch, d). Engines have no gradient of a slice.
func First(x *Node, cells int) *Node { return Linear(x, first(cells), padded(x.Shape().Dim(1)-cells)) }

// Padded returns x with so many cells of 0 after it.
func Padded(x *Node, more int) *Node { return Linear(x, padded(more), first(x.Shape().Dim(1))) }

func first(cells int) func(*Node) *Node {
	return func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(0, cells)) }
}

func padded(more int) func(*Node) *Node {
	return func(x *Node) *Node {
		zeros := BroadcastToDims(ScalarZero(x.Graph(), x.DType()), x.Shape().Dim(0), more)
		return Concatenate([]*Node{x, zeros}, 1)
	}
}
