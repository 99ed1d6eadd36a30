package operator

import (
	"math"
	"slices"
)

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
