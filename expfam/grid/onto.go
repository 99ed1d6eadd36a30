package grid

import (
	"errors"
	"fmt"
	"math"
)

// Onto moves a raster onto the cells of another grid, such as a covariate onto the cells of a
// map. The value of a cell is the mean of the raster's cells that it overlaps, weighted by the
// area that they share. Cells of the raster that are outside or NaN are left out, and cells
// outside of g are 0. It is an error if a cell of g has no value.
//
// Place turns coordinates of the raster into coordinates of g. It must map rectangles to
// rectangles, as cylindrical projections do; nil means that both are the same. For a raster of
// longitude and latitude on a land.Map it is
//
//	func(lon, lat float64) (x, y float64) { return m.Projection.X(lon), m.Projection.Y(lat) }
func (f Field) Onto(g Grid, place func(x, y float64) (u, v float64)) ([]float64, error) {
	if err := errors.Join(f.Check(), g.Check()); err != nil {
		return nil, err
	}
	if place == nil {
		place = func(x, y float64) (float64, float64) { return x, y }
	}
	x, y := f.Grid.Axes()
	u, v := g.Axes()
	across := overlaps(u, g.Cols, x, f.Grid.Cols, func(at float64) float64 { to, _ := place(at, y.At(0)); return to })
	down := overlaps(v, g.Rows, y, f.Grid.Rows, func(at float64) float64 { _, to := place(x.At(0), at); return to })
	out := make([]float64, g.Len())
	for j := range out {
		if !g.Inside(j) {
			continue
		}
		r, c := g.Cell(j)
		var sum, area float64
		for _, a := range down[r] {
			for _, b := range across[c] {
				from := f.Grid.Index(a.cell, b.cell)
				if value := f.Values[from]; f.Grid.Inside(from) && !math.IsNaN(value) {
					sum, area = sum+a.length*b.length*value, area+a.length*b.length
				}
			}
		}
		if area == 0 {
			at, to := g.Centre(j)
			return nil, fmt.Errorf("grid: cell %d at (%.4g, %.4g) has no value of the raster; take a raster that covers the domain, or put such cells outside", j, at, to)
		}
		out[j] = sum / area
	}
	return out, nil
}

// overlap is the length that a cell of a raster shares with a cell of a grid along an axis.
type overlap struct {
	cell   int
	length float64
}

// overlaps returns, for each of n cells along an axis, its overlaps with the cells of a raster.
// place turns coordinates of the raster into coordinates of the axis.
func overlaps(axis Axis, n int, raster Axis, cells int, place func(at float64) float64) [][]overlap {
	span := func(a, b float64) (low, high float64) { return math.Min(a, b), math.Max(a, b) }
	out := make([][]overlap, n)
	for k := range cells {
		at := raster.At(k)
		low, high := span(place(at-raster.Step/2), place(at+raster.Step/2))
		for i := range out {
			from, to := span(axis.At(i)-axis.Step/2, axis.At(i)+axis.Step/2)
			// Rounding can leave a tiny overlap between cells that only touch.
			if length := math.Min(high, to) - math.Max(low, from); length > 1e-9*(to-from) {
				out[i] = append(out[i], overlap{k, length})
			}
		}
	}
	return out
}
