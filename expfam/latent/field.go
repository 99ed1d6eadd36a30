package latent

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/sparse"
)

// Field is a Gaussian prior of cells whose precision is sparse, given its unknown numbers v:
//
//	x₀ = Offset + B u,  u ~ N(0, (Q(v) + V C Vᵀ)⁻¹).
//
// The nodes u are the cells and what the prior needs besides, such as a level that all cells share. Few columns of V look
// at many nodes: constraints Vᵀu = 0 have a large C, and a level with a normal law has the inverse of its variance.
type Field struct {
	Pattern *sparse.Symmetric // of Q
	Rows    [][]Entry         // B: the nodes of each cell
	Offset  []float64         // of each cell
	Wide    []Column          // V and C
	// Ground has a node of each part of Q that is singular without Wide, such as a component of a graph. While a factor
	// is computed the node is held by its own precision, which is then taken back.
	Ground []int
	// Fill writes Q(v) in the pattern to q, and returns the log determinant of Q + V C Vᵀ up to a constant of all v. It
	// is called by many goroutines.
	Fill func(values, q []float64) (logDet float64, err error)
}

// Entry is the weight of a node.
type Entry struct {
	Node   int
	Weight float64
}

// Column is a column of V with its weight C.
type Column struct {
	Entries []Entry
	Weight  float64
}

// Nodes returns the number of nodes.
func (f *Field) Nodes() int { return f.Pattern.N }

// Place writes the cells at nodes u to x.
func (f *Field) Place(u, x []float64) {
	for i, row := range f.Rows {
		v := f.Offset[i]
		for _, e := range row {
			v += e.Weight * u[e.Node]
		}
		x[i] = v
	}
}

// Pull writes Bᵀ slope to gradient.
func (f *Field) Pull(slope, gradient []float64) {
	clear(gradient)
	for i, row := range f.Rows {
		for _, e := range row {
			gradient[e.Node] += e.Weight * slope[i]
		}
	}
}

// multiply writes (Q + V C Vᵀ) u to out, for the values q of Q.
func (f *Field) multiply(q, u, out []float64) {
	f.Pattern.MulVecOf(q, out, u)
	for _, c := range f.Wide {
		var v float64
		for _, e := range c.Entries {
			v += e.Weight * u[e.Node]
		}
		v *= c.Weight
		for _, e := range c.Entries {
			out[e.Node] += e.Weight * v
		}
	}
}

// fill is Fill with a check of its numbers.
func (f *Field) fill(values []float64) (q []float64, logDet float64, err error) {
	q = make([]float64, len(f.Pattern.Row))
	if logDet, err = f.Fill(values, q); err != nil {
		return nil, 0, err
	}
	for _, v := range q {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, 0, fmt.Errorf("the precision at %.3g has an entry %g; check the laws of the numbers", values, v)
		}
	}
	return q, logDet, nil
}
