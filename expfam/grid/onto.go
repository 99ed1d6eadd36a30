package grid

import (
	"errors"
	"fmt"
	"math"
)

// Onto moves a raster onto the cells of another grid, such as a covariate onto the cells of a map. The value of a cell
// is the mean of the raster's cells that it overlaps, weighted by the area that they share. Cells of the raster that
// are outside or NaN are left out, and cells outside of g are 0. It is an error if a cell of g has no value.
//
// People are not averaged: a field of Counts is refused, and [Field.SumOnto] sums it.
//
// Place turns coordinates of the raster into coordinates of g. It must map rectangles to rectangles, as cylindrical
// projections do; nil means that both are the same. For a raster of longitude and latitude on a land.Map it is
//
//	func(lon, lat float64) (x, y float64) { return m.Projection.X(lon), m.Projection.Y(lat) }
//
// Longitudes of the raster and of g may differ by 360°.
func (f Field) Onto(g Grid, place func(x, y float64) (u, v float64)) ([]float64, error) {
	if f.Counts {
		return nil, errors.New("grid: a mean of numbers of people has no meaning: sum them with SumOnto, or set " +
			"Counts of the field to false to average")
	}
	p, err := f.pieces(g, place)
	if err != nil {
		return nil, err
	}
	out := make([]float64, g.Len())
	for j := range out {
		if !g.Inside(j) {
			continue
		}
		var sum, area float64
		p.visit(j, func(from int, share, _ float64) {
			sum, area = sum+share*f.Values[from], area+share
		})
		if area == 0 {
			return nil, f.noValue(g, j, place)
		}
		out[j] = sum / area
	}
	return out, nil
}

// SumOnto moves a raster of numbers of people, or of other things that are counted, onto the cells of another grid. A
// cell of the raster is shared out to the cells of g by area, as if its people lived evenly in it: with a_ij the share
// of the raster's cell i that lies in cell j,
//
//	out_j = Σᵢ a_ij f_i.
//
// Areas are those in the coordinates of g. No person is counted twice, and none is lost but those in cells outside of g
// and beyond it: compare the sum of the result with [Field.Sum]. Cells of the raster without a value have nobody. Cells
// outside of g are 0. It is an error if a cell of g is beyond the raster. Densities, such as people per km², must be
// multiplied by the [Grid.Areas] of the raster before.
//
// For the people of districts take the sums as Weights of operator.Polygons. Place is as in [Field.Onto].
func (f Field) SumOnto(g Grid, place func(x, y float64) (u, v float64)) ([]float64, error) {
	p, err := f.pieces(g, place)
	if err != nil {
		return nil, err
	}
	if x, _ := f.Grid.Axes(); p.turned && math.Abs(x.Step)*float64(f.Grid.Cols) > 360+1e-6 {
		return nil, fmt.Errorf("grid: the columns of the raster span %.6g°, so some people are there twice; crop it "+
			"to 360°", math.Abs(x.Step)*float64(f.Grid.Cols))
	}
	out := make([]float64, g.Len())
	for j := range out {
		if !g.Inside(j) {
			continue
		}
		if !p.reaches(j) {
			return nil, f.noValue(g, j, place)
		}
		p.visit(j, func(from int, share, of float64) { out[j] += f.Values[from] * (share / of) })
	}
	return out, nil
}

// Sum returns the sum of the cells that have a value.
func (f Field) Sum() (sum float64) {
	for _, v := range f.present() {
		sum += v
	}
	return sum
}

// undeclared refuses a field in which a number seems to mark missing values.
func (f Field) undeclared() error {
	marks, others := f.marks()
	if marks == "" {
		return nil
	}
	return fmt.Errorf("grid: some cells are %s and the others %s: if this marks cells without a value, take "+
		"field.Without(%s); if it is a value, give the field in another unit", marks, others, marks)
}

// noValue says why cell j of g has no value of the raster.
func (f Field) noValue(g Grid, j int, place func(x, y float64) (u, v float64)) error {
	x, y := f.Grid.Axes()
	west, east := f.X(0)-math.Abs(x.Step)/2, f.X(f.Grid.Cols-1)+math.Abs(x.Step)/2
	south, north := f.Y(0)-math.Abs(y.Step)/2, f.Y(f.Grid.Rows-1)+math.Abs(y.Step)/2
	at, to := g.Centre(j)
	reach := fmt.Sprintf("which reaches from (%.6g, %.6g) to (%.6g, %.6g)", west, south, east, north)
	if x.Unit != "" {
		reach += " in " + x.Unit
	}
	if (place != nil || g.Radius != 0) && !f.Grid.inDegrees() {
		return fmt.Errorf("grid: cell %d at (%.4g, %.4g) has no value of the raster, %s: these are no longitudes and "+
			"latitudes, but coordinates of a projection such as UTM or Web Mercator; warp it with gdalwarp -t_srs "+
			"EPSG:4326", j, at, to, reach)
	}
	return fmt.Errorf("grid: cell %d at (%.4g, %.4g) has no value of the raster, %s; take a raster that covers the "+
		"domain, or put such cells outside", j, at, to, reach)
}
