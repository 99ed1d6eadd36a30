package operator

import (
	"errors"
	"fmt"
	"math"
	"slices"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// separable is a convolution of a grid X, computed as Σ_t D_t X A_tᵀ. With the singular value decomposition K = Σ_t s_t
// u_t v_tᵀ of the kernel, D_t convolves columns with s_t u_t and A_t convolves rows with v_t. This is possible because
// the boundary acts on rows and on columns separately.
type separable struct {
	rows, cols, dataRows, dataCols, terms int
	across, acrossBack                    *sparse.Matrix // A_1 above A_2 …, (terms·dataCols, cols)
	down, downBack                        *sparse.Matrix // D_1 beside D_2 …, (dataRows, terms·rows)
}

// newSeparable decomposes a kernel and makes the matrices for a grid.
func newSeparable(taps [][]float64, b Boundary, rows, cols int) (separable, error) {
	high, wide := len(taps), len(taps[0])
	s := separable{rows: rows, cols: cols, dataRows: b.data(rows, high), dataCols: b.data(cols, wide)}
	kernel := mat.NewDense(high, wide, nil)
	for i, row := range taps {
		kernel.SetRow(i, row)
	}
	var svd mat.SVD
	if !svd.Factorize(kernel, mat.SVDThin) {
		return s, errors.New("operator: the singular values of the kernel do not converge; check its weights")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	// Smaller singular values are rounding errors of the weights.
	for s.terms < len(values) && values[s.terms] > 0x1p-52*values[0] {
		s.terms++
	}
	s.terms = max(s.terms, 1)
	s.across = merged(s.terms*s.dataCols, cols, func(k int, visit func(int, float64)) {
		for j := range wide {
			if c := b.source(k%s.dataCols, j, wide, cols); c >= 0 {
				visit(c, v.At(j, k/s.dataCols))
			}
		}
	})
	s.down = merged(s.dataRows, s.terms*rows, func(k int, visit func(int, float64)) {
		for t := range s.terms {
			for i := range high {
				if r := b.source(k, i, high, rows); r >= 0 {
					visit(t*rows+r, values[t]*u.At(i, t))
				}
			}
		}
	})
	s.acrossBack, s.downBack = s.across.Transpose(), s.down.Transpose()
	return s, nil
}

// apply returns H x for every row of x.
func (s *separable) apply(x *g.Node) *g.Node {
	batch := x.Shape().Dimensions[0]
	rows := s.across.Apply(g.Reshape(x, batch*s.rows, s.cols))
	columns := g.TransposeAllAxes(g.Reshape(rows, batch, s.rows, s.terms, s.dataCols), 0, 3, 2, 1)
	sums := s.down.Apply(g.Reshape(columns, batch*s.dataCols, s.terms*s.rows))
	return g.Reshape(g.TransposeAllAxes(g.Reshape(sums, batch, s.dataCols, s.dataRows), 0, 2, 1), batch,
		s.dataRows*s.dataCols)
}

// adjoint returns Hᵀ y for every row of y.
func (s *separable) adjoint(y *g.Node) *g.Node {
	batch := y.Shape().Dimensions[0]
	columns := g.TransposeAllAxes(g.Reshape(y, batch, s.dataRows, s.dataCols), 0, 2, 1)
	spread := s.downBack.Apply(g.Reshape(columns, batch*s.dataCols, s.dataRows))
	rows := g.TransposeAllAxes(g.Reshape(spread, batch, s.dataCols, s.terms, s.rows), 0, 3, 2, 1)
	return g.Reshape(s.acrossBack.Apply(g.Reshape(rows, batch*s.rows, s.terms*s.dataCols)), batch, s.rows*s.cols)
}

// Boundary says which values a kernel takes beyond the edge of a grid.
type Boundary int

const (
	// Reflect mirrors the grid at its edge, … b a | a b c …, as often as the kernel
	// needs. With it a kernel with sum 1 leaves a constant field unchanged.
	Reflect Boundary = iota
	// Zero takes zeros beyond the edge: what a blur moves beyond the edge is lost.
	Zero
	// Periodic continues at the opposite edge.
	Periodic
	// Valid keeps only the data whose kernel lies within the grid: n − k + 1 data for n cells and k taps.
	Valid
)

func (b Boundary) String() string {
	switch b {
	case Reflect:
		return "reflect"
	case Zero:
		return "zero"
	case Periodic:
		return "periodic"
	case Valid:
		return "valid"
	}
	return fmt.Sprintf("boundary %d", int(b))
}

func (b Boundary) check() error {
	if b < Reflect || b > Valid {
		return fmt.Errorf("operator: boundary %d does not exist; take Reflect, Zero, Periodic or Valid", int(b))
	}
	return nil
}

// data returns the number of data along an axis of n cells, for a kernel with this number of taps.
func (b Boundary) data(n, taps int) int {
	if b == Valid {
		return n - taps + 1
	}
	return n
}

// source returns the cell, of n along an axis, whose value a tap multiplies for a datum, or −1 if
// there is none. For datum r and tap i it is r − (i − c), with the centre c = taps/2. Under Valid
// the data are numbered from the first datum whose kernel lies within the grid.
func (b Boundary) source(datum, tap, taps, n int) int {
	at := datum - tap + taps/2
	switch b {
	case Valid:
		return datum + taps - 1 - tap
	case Reflect:
		at = ((at % (2 * n)) + 2*n) % (2 * n)
		return min(at, 2*n-1-at)
	case Periodic:
		return ((at % n) + n) % n
	}
	if at < 0 || at >= n {
		return -1
	}
	return at
}

// segment is a piece of a straight line, from (x0, y0) to (x1, y1), in coordinates of
// cells: cell (r, c) is c ≤ x < c+1, r ≤ y < r+1.
type segment struct{ x0, y0, x1, y1 float64 }

// cells calls visit with each cell that the segment meets and the length of the segment within it
// (Siddon 1985, Medical Physics 12, 252). The order of the cells is the direction of the segment.
// Parts of the segment beyond the grid are left out.
func (s segment) cells(rows, cols int, visit func(r, c int, length float64)) {
	dx, dy := s.x1-s.x0, s.y1-s.y0
	whole := math.Hypot(dx, dy)
	// The places t in [0, 1] where the segment crosses a line between cells.
	cuts := []float64{0, 1}
	add := func(from, by float64, n int) {
		if by == 0 {
			return
		}
		for i := range n + 1 {
			if t := (float64(i) - from) / by; t > 0 && t < 1 {
				cuts = append(cuts, t)
			}
		}
	}
	add(s.x0, dx, cols)
	add(s.y0, dy, rows)
	slices.Sort(cuts)
	for i := 1; i < len(cuts); i++ {
		length := (cuts[i] - cuts[i-1]) * whole
		// At a corner two cuts differ by rounding alone.
		if length <= 1e-12*(1+whole) {
			continue
		}
		t := (cuts[i] + cuts[i-1]) / 2
		r, c := int(math.Floor(s.y0+t*dy)), int(math.Floor(s.x0+t*dx))
		if r >= 0 && r < rows && c >= 0 && c < cols {
			visit(r, c, length)
		}
	}
}
