package operator

import (
	"math"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
)

// coverage computes the share of every cell of a grid that lies in polygons. It adds up, with
// signs, the areas to the right of the edges of the polygons.
type coverage struct {
	g    grid.Grid
	x, y grid.Axis
	p    land.Projection // or nil
	// turn is added to longitudes: 360 or −360 if that moves a polygon onto the grid, as where a map goes across the
	// date line.
	turn float64
	// d has, for one ring and each row of the grid, the share of a cell minus the share of the
	// cell before it: Cols + 1 numbers for each row.
	d []float64
}

// of returns the shares of all cells that lie in a region, and the area of the region in cells.
func (c *coverage) of(r land.Region) (shares []float64, area float64) {
	shares = make([]float64, c.g.Len())
	for _, polygon := range r.Polygons {
		c.face(polygon)
		for k, ring := range polygon {
			signed := c.ring(ring)
			// Outlines add area and holes subtract it, whether a ring turns left or right.
			sign := math.Copysign(1, signed)
			if k > 0 {
				sign = -sign
			}
			area += sign * signed
			for row := range c.g.Rows {
				var sum float64
				for col := range c.g.Cols {
					sum += c.d[row*(c.g.Cols+1)+col]
					shares[c.g.Index(row, col)] += sign * sum
				}
			}
		}
	}
	for j, s := range shares {
		// Cells outside of all rings have shares that are 0 up to rounding.
		if math.Abs(s) < 1e-12 {
			shares[j] = 0
		}
	}
	return shares, area
}

// face sets the turn for a polygon. It is 0 for a polygon on the grid, and where no turn helps.
func (c *coverage) face(polygon [][]land.Position) {
	c.turn = 0
	if c.p == nil && c.g.Radius == 0 { // coordinates need not be degrees
		return
	}
	for _, turn := range []float64{0, -360, 360} {
		c.turn = turn
		low, high := math.Inf(1), math.Inf(-1)
		for _, p := range polygon[0] {
			u, _ := c.place(p)
			low, high = min(low, u), max(high, u)
		}
		if low < float64(c.g.Cols) && high > 0 {
			return
		}
	}
	c.turn = 0
}

// place returns a position in coordinates of cells: cell (r, c) is c ≤ u < c+1, r ≤ v < r+1.
func (c *coverage) place(p land.Position) (u, v float64) {
	u, v = p.Lon+c.turn, p.Lat
	if c.p != nil {
		u, v = c.p.X(u), c.p.Y(v)
	}
	return (u-c.x.First)/c.x.Step + 0.5, (v-c.y.First)/c.y.Step + 0.5
}

// ring fills d and returns the area that the ring encloses, in cells. The area includes what lies
// beyond the edges of the grid. Its sign depends on the direction in which the ring turns.
func (c *coverage) ring(ring []land.Position) (area float64) {
	clear(c.d)
	originU, originV := c.place(ring[0])
	u0, v0 := originU, originV
	for _, p := range ring[1:] {
		u1, v1 := c.place(p)
		c.edge(u0, v0, u1, v1)
		area -= ((u0-originU)*(v1-originV) - (u1-originU)*(v0-originV)) / 2
		u0, v0 = u1, v1
	}
	return area
}

// edge adds the area between an edge and the right side of the grid to d.
func (c *coverage) edge(u0, v0, u1, v1 float64) {
	if v0 == v1 {
		return
	}
	slope := (u1 - u0) / (v1 - v0)
	sign := 1.0
	if v0 > v1 {
		u0, v0, u1, v1, sign = u1, v1, u0, v0, -1
	}
	at := func(v float64) float64 {
		if v == v1 {
			return u1
		}
		return u0 + (v-v0)*slope
	}
	for row := max(0, int(math.Floor(max(v0, 0)))); row < c.g.Rows && float64(row) < v1; row++ {
		top, bottom := max(v0, float64(row)), min(v1, float64(row+1))
		c.piece(row, at(top), at(bottom), sign*(bottom-top))
	}
}

// piece adds the area to the right of the part of an edge that lies within one row of the grid.
// The part goes from ua to ub across the row, over a height with a sign.
func (c *coverage) piece(row int, ua, ub, height float64) {
	if height == 0 {
		return
	}
	d := c.d[row*(c.g.Cols+1) : (row+1)*(c.g.Cols+1)]
	if ua > ub {
		ua, ub = ub, ua
	}
	n := float64(c.g.Cols)
	if ub <= 0 {
		d[0] += height
		return
	}
	if ua >= n {
		return
	}
	perU := 0.0
	if ub > ua {
		perU = height / (ub - ua)
	}
	if ua < 0 { // the part to the left of the grid
		d[0] += -ua * perU
		height, ua = height+ua*perU, 0
	}
	if ub > n { // the part to the right of the grid
		height, ub = height-(ub-n)*perU, n
	}
	first, last := int(ua), min(int(ub), c.g.Cols-1)
	for col := first; col <= last; col++ {
		from, to := max(ua, float64(col)), min(ub, float64(col+1))
		part := height
		if first != last {
			part = (to - from) * perU
		}
		// To the right of the part lies the share 1 − middle of the cell, where middle is the
		// mean place of the part within the cell.
		middle := (from+to)/2 - float64(col)
		d[col] += part * (1 - middle)
		d[col+1] += part * middle
	}
}
