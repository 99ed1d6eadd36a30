package viz

import (
	"fmt"
	"math"
)

// Lattice is a view of one number per cell on a grid of equally spaced centres. Cell (c, r) has the value Z(c, r), or
// NaN if it has none, and the centre (X(c), Y(r)). The interface is gonum/plot's GridXYZ.
type Lattice interface {
	Dims() (c, r int)
	Z(c, r int) float64
	X(c int) float64
	Y(r int) float64
}

// Rows is a Lattice of values in reading order: the first row is on top. Cell (c, r) is
// at x = c, y = r, counted from the lower left.
type Rows [][]float64

// Dims implements Lattice.
func (m Rows) Dims() (c, r int) {
	if len(m) == 0 {
		return 0, 0
	}
	return len(m[0]), len(m)
}

// Z implements Lattice.
func (m Rows) Z(c, r int) float64 { return m[len(m)-1-r][c] }

// X implements Lattice.
func (m Rows) X(c int) float64 { return float64(c) }

// Y implements Lattice.
func (m Rows) Y(r int) float64 { return float64(r) }

// cells holds the values of a lattice in drawing order: row after row from the upper left. The first cell has the
// centre (x, y). The next column is dx further, and the next row dy.
type cells struct {
	cols, rows   int
	x, y, dx, dy float64
	z            []float64
	index        []int  // index of each cell in vectors that have the order of Map.Held
	from         [2]int // column and row of the first cell before anything was cut off
	*regions            // of which the cells are, in one row; nil for a grid
}

// noun returns what the cells are called.
func (m *cells) noun() string {
	if m.regions != nil {
		return "regions"
	}
	return "cells"
}

// readCells copies a lattice into drawing order, in which the highest y is on top.
func readCells(f Lattice) (*cells, error) {
	if rows, ok := f.(Rows); ok {
		for r := range rows {
			if len(rows[r]) != len(rows[0]) {
				return nil, fmt.Errorf("row %d has %d values, row 0 has %d", r, len(rows[r]), len(rows[0]))
			}
		}
	}
	m := &cells{}
	if a, ok := f.(interface{ outlines() (*regions, error) }); ok {
		var err error
		if m.regions, err = a.outlines(); err != nil {
			return nil, err
		}
	}
	if m.cols, m.rows = f.Dims(); m.cols < 1 || m.rows < 1 || m.cols > 8192 || m.rows > 8192 {
		return nil, fmt.Errorf("%d columns and %d rows; need 1 to 8192 of each", m.cols, m.rows)
	}
	var err error
	if m.x, m.dx, err = spacing("x", m.cols, f.X); err != nil {
		return nil, err
	}
	if m.y, m.dy, err = spacing("y", m.rows, f.Y); err != nil {
		return nil, err
	}
	// The step of an axis with one centre is not known. The cells of a short strip are squares; those of a long strip
	// are a sixteenth as wide as the strip is long, so that they are seen.
	if m.rows == 1 && m.cols > 1 {
		m.dy = math.Abs(m.dx) * max(1, float64(m.cols)/16)
	}
	if m.cols == 1 && m.rows > 1 {
		m.dx = math.Abs(m.dy) * max(1, float64(m.rows)/16)
	}
	flipX, flipY := m.dx < 0, m.dy > 0
	place := func(c, r int) int { return len(m.index) }
	if owner, ok := f.(interface{ Index(c, r int) int }); ok {
		place = owner.Index
	}
	m.z, m.index = make([]float64, 0, m.cols*m.rows), make([]int, 0, m.cols*m.rows)
	for r := range m.rows {
		if flipY {
			r = m.rows - 1 - r
		}
		for c := range m.cols {
			if flipX {
				c = m.cols - 1 - c
			}
			v := f.Z(c, r)
			if math.IsInf(v, 0) {
				return nil, fmt.Errorf("column %d, row %d is %g; values must be finite, or NaN where there is none", c,
					r, v)
			}
			m.z, m.index = append(m.z, v), append(m.index, place(c, r))
		}
	}
	if flipX {
		m.x, m.dx = m.x+float64(m.cols-1)*m.dx, -m.dx
	}
	if flipY {
		m.y, m.dy = m.y+float64(m.rows-1)*m.dy, -m.dy
	}
	return m, nil
}

// spacing returns the first centre of an axis and the step to the next one. The step is 1 if there is only one centre.
func spacing(axis string, n int, at func(int) float64) (first, step float64, err error) {
	first = at(0)
	if n > 1 {
		step = (at(n-1) - first) / float64(n-1)
	} else {
		step = 1
	}
	if !finite(first) || !finite(step) || step == 0 {
		return 0, 0, fmt.Errorf("%s goes from %g to %g; centres must be finite and differ", axis, first, at(n-1))
	}
	for i := range n {
		// The cells of a picture are equally wide. An error of 1% of a cell does not show.
		if want := first + float64(i)*step; !(math.Abs(at(i)-want) <= 0.01*math.Abs(step)) {
			return 0, 0, fmt.Errorf("%s %d is %g, equal spacing has %g; resample to equally spaced centres", axis, i,
				at(i), want)
		}
	}
	return first, step, nil
}
