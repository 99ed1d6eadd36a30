package latent

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/sparse"
)

// Field is a Gaussian prior of cells whose precision is sparse, given its unknown numbers v:
//
//	x₀ = Offset + B u,  u ~ N(0, (Q(v) + V C Vᵀ)⁻¹).
//
// The nodes u are the cells and what the prior needs besides, such as a level that all cells share. Few columns of V
// look at many nodes: constraints Vᵀu = 0 have a large C, and a level with a normal law has the inverse of its
// variance.
type Field struct {
	Pattern *sparse.Symmetric // of Q
	Rows    [][]Entry         // B: the nodes of each cell
	Offset  []float64         // of each cell
	Wide    []Column          // V
	// Ground has a node of each part of Q that is singular without Wide, such as a component of a graph. While a factor
	// is computed the node is held by its own precision, which is then taken back.
	Ground []int
	// Spare nodes are held likewise, but only where some cell has no data.
	Spare []int
	// Named are nodes whose mean and standard deviation are diagnostics.
	Named map[string]int
	// Fill writes Q(v) in the pattern to q, and the diagonal of C to c. It returns the log determinant of Q + V C Vᵀ up
	// to a constant of all v. It is called by many goroutines.
	Fill func(values, q, c []float64) (logDet float64, err error)
}

// Entry is the weight of a node.
type Entry struct {
	Node   int
	Weight float64
}

// Column is a column of V.
type Column []Entry

// prior is a field at values of its unknown numbers.
type prior struct {
	*Field
	q, c   []float64
	logDet float64 // of Q + V C Vᵀ, up to a constant
}

// Nodes returns the number of nodes.
func (f *Field) Nodes() int { return f.Pattern.N }

// Place writes the cells at the columns of nodes u to the x.
func (f *Field) Place(u []float64, x ...[]float64) {
	k := len(x)
	for i, row := range f.Rows {
		for _, x := range x {
			x[i] = f.Offset[i]
		}
		for _, e := range row {
			for c, v := range u[e.Node*k:][:k] {
				x[c][i] += e.Weight * v
			}
		}
	}
}

// Pull writes Bᵀ slope to the columns of gradient, for each of the slopes.
func (f *Field) Pull(gradient []float64, slopes ...[]float64) {
	k := len(slopes)
	clear(gradient)
	for i, row := range f.Rows {
		for _, e := range row {
			for c, slope := range slopes {
				gradient[e.Node*k+c] += e.Weight * slope[i]
			}
		}
	}
}

// multiply writes (Q + V C Vᵀ) u to out, for k columns u.
func (p *prior) multiply(u, out []float64, k int) {
	p.Pattern.Mul(p.q, out, u, k)
	sums := make([]float64, k)
	for at, column := range p.Wide {
		clear(sums)
		for _, e := range column {
			floats.AddScaled(sums, e.Weight, u[e.Node*k:][:k])
		}
		for _, e := range column {
			floats.AddScaled(out[e.Node*k:][:k], p.c[at]*e.Weight, sums)
		}
	}
}

// at returns the prior at values of the unknown numbers.
func (f *Field) at(values []float64) (*prior, error) {
	p := &prior{Field: f, q: make([]float64, len(f.Pattern.Row)), c: make([]float64, len(f.Wide))}
	var err error
	if p.logDet, err = f.Fill(values, p.q, p.c); err != nil {
		return nil, err
	}
	for _, list := range [][]float64{p.q, p.c, {p.logDet}} {
		for _, v := range list {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("the precision at %.3g has an entry %g; check the laws of the numbers", values,
					v)
			}
		}
	}
	return p, nil
}
