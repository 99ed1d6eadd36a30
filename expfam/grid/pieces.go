package grid

import (
	"errors"
	"fmt"
	"math"
)

// pieces are the parts that the cells of a raster and those of a grid have in common.
type pieces struct {
	raster       Field
	g            Grid
	down, across [][]piece
	turned       bool // longitudes may differ by 360°
}

// piece is the length that a cell of a raster shares with a cell of a grid along an axis, and the length of the former.
type piece struct {
	cell       int
	length, of float64
}

// pieces cuts a raster along the cells of a grid.
func (f Field) pieces(g Grid, place func(x, y float64) (u, v float64)) (*pieces, error) {
	if err := errors.Join(f.Check(), g.Check()); err != nil {
		return nil, err
	}
	if err := f.undeclared(); err != nil {
		return nil, err
	}
	x, y := f.Grid.Axes()
	u, v := g.Axes()
	same := place == nil
	if same {
		if x.Unit != "" && u.Unit != "" && x.Unit != u.Unit {
			return nil, fmt.Errorf("grid: the axes of the raster are in %s, those of the grid in %s; give place, "+
				"which turns coordinates of the raster into those of the grid, or warp the raster", x.Unit, u.Unit)
		}
		place = func(x, y float64) (float64, float64) { return x, y }
	}
	p := &pieces{raster: f, g: g, turned: f.Grid.Radius != 0 || x.Unit == "" && f.Grid.inDegrees() && (g.Radius != 0 ||
		!same)}
	turns := []float64{0}
	if p.turned {
		turns = []float64{0, -360, 360}
	}
	p.across = cut(u, g.Cols, x, f.Grid.Cols, turns,
		func(at float64) float64 { to, _ := place(at, y.At(0)); return to })
	p.down = cut(v, g.Rows, y, f.Grid.Rows, turns[:1],
		func(at float64) float64 { _, to := place(x.At(0), at); return to })
	return p, nil
}

// inDegrees reports whether the coordinates of a grid may be longitudes and latitudes.
func (g Grid) inDegrees() bool {
	x, y := g.Axes()
	within := func(a Axis, n int, low, high float64) bool {
		return math.Min(a.At(0), a.At(n-1)) >= low && math.Max(a.At(0), a.At(n-1)) <= high
	}
	return within(x, g.Cols, -360, 540) && within(y, g.Rows, -90, 90)
}

// visit calls f with the cells of the raster that have a value and that cell j of the grid overlaps: the area that both
// share, and the area of the cell of the raster.
func (p *pieces) visit(j int, f func(from int, share, of float64)) {
	r, c := p.g.Cell(j)
	for _, a := range p.down[r] {
		for _, b := range p.across[c] {
			if from := p.raster.Grid.Index(a.cell, b.cell); !p.raster.missing(from) {
				f(from, a.length*b.length, a.of*b.of)
			}
		}
	}
}

// reaches reports whether cell j of the grid overlaps a cell of the raster.
func (p *pieces) reaches(j int) bool {
	r, c := p.g.Cell(j)
	return len(p.down[r]) > 0 && len(p.across[c]) > 0
}

// cut returns, for each of n cells along an axis, its pieces of the cells of a raster. Place turns coordinates of the
// raster, to which the turns are added, into coordinates of the axis.
func cut(axis Axis, n int, raster Axis, cells int, turns []float64, place func(at float64) float64) [][]piece {
	span := func(a, b float64) (low, high float64) { return math.Min(a, b), math.Max(a, b) }
	out := make([][]piece, n)
	for k := range cells {
		at, before := raster.At(k), math.NaN()
		for _, turn := range turns {
			low, high := span(place(at+turn-raster.Step/2), place(at+turn+raster.Step/2))
			// If place takes longitudes modulo 360°, turns give the same piece again, or one that goes around the
			// globe.
			if mid := place(at + turn); math.Abs(low-before) < 1e-6*(high-low) || mid < low || mid > high {
				continue
			}
			if turn == 0 {
				before = low
			}
			// The indices of the cells that [low, high] may meet.
			first, last := span((low-axis.First)/axis.Step+0.5, (high-axis.First)/axis.Step+0.5)
			for i := int(max(0, first-1)); i <= int(min(float64(n-1), last+1)); i++ {
				from, to := span(axis.At(i)-axis.Step/2, axis.At(i)+axis.Step/2)
				// Rounding can leave a tiny overlap between cells that only touch.
				if length := math.Min(high, to) - math.Max(low, from); length > 1e-9*(to-from) {
					out[i] = append(out[i], piece{k, length, high - low})
				}
			}
		}
	}
	return out
}
