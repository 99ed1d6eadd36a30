package land

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/grid"
)

// Frame says which part of the Earth a map shows, and in how many cells. The zero value
// is sub-Saharan Africa on 64 × 64 cells.
type Frame struct {
	// Rows and Cols are the numbers of cells. If one of them is 0 it equals the other. Default 64.
	Rows, Cols int
	// Country is the name or code of a country, which is then the only land on the map. Default: every country.
	Country string
	// Regions are the land on the map instead of countries, for example districts that
	// [GeoJSON] or [Shapefile] read. A region with polygons that overlap is refused, as by operator.Polygons. A cell
	// in several regions belongs to the last of them, and [Map.String] counts such cells. A region without the centre
	// of a cell has no cell, and [Map.String] names it; take more cells then.
	Regions []Region
	// Box is the window. Default [SubSahara], or the box around the Country or the Regions. A window across
	// the date line has an East above 180, or a West below −180.
	Box Box
	// Projection maps places to the axes of the grid. Default [LonLat].
	Projection Projection
}

// Map makes the map, with row 0 in the north. A cell is land if its centre is in a country (or region) and in no lake.
func (f Frame) Map() (*Map, error) {
	countries := regions().countries
	if f.Country != "" {
		only, err := Country(f.Country)
		if err != nil {
			return nil, err
		}
		countries = []Region{only}
		if f.Box == (Box{}) {
			f.Box = only.box
		}
	}
	if len(f.Regions) > 0 {
		if f.Country != "" {
			return nil, fmt.Errorf("land: a frame of the country %q and of %d regions; give one of them", f.Country,
				len(f.Regions))
		}
		countries = slices.Clone(f.Regions)
		around := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
		for k, r := range f.Regions {
			checked, err := newRegion(r.Name, r.Polygons)
			if err == nil {
				err = checked.degrees()
			}
			if err != nil {
				return nil, fmt.Errorf("land: region %d: %w", k, err)
			}
			r.box = checked.box
			countries[k] = r
			around = Box{min(around.West, r.box.West), min(around.South, r.box.South), max(around.East, r.box.East),
				max(around.North, r.box.North)}
		}
		if f.Box == (Box{}) {
			if err := together(countries, around); err != nil {
				return nil, err
			}
			f.Box = around
		}
	}
	if f.Box == (Box{}) {
		f.Box = SubSahara
	}
	if f.Projection == nil {
		f.Projection = LonLat{}
	}
	if f.Rows == 0 && f.Cols == 0 {
		f.Rows = 64
	}
	f.Rows, f.Cols = cmp.Or(f.Rows, f.Cols), cmp.Or(f.Cols, f.Rows)
	if err := f.check(); err != nil {
		return nil, err
	}
	m := &Map{Projection: f.Projection, Countries: countries, districts: len(f.Regions) > 0}
	x, y, radius := f.Projection.Axes()
	west, east := f.Projection.X(f.Box.West), f.Projection.X(f.Box.East)
	south, north := f.Projection.Y(f.Box.South), f.Projection.Y(f.Box.North)
	x.Step, y.Step = (east-west)/float64(f.Cols), -(north-south)/float64(f.Rows)
	x.First, y.First = west+x.Step/2, north+y.Step/2
	m.Grid = grid.Grid{Rows: f.Rows, Cols: f.Cols, X: x, Y: y, Radius: radius}
	if err := m.Grid.Check(); err != nil {
		return nil, fmt.Errorf("land: %w", err)
	}
	m.fill()
	return m, nil
}

func (f Frame) check() error {
	b := f.Box
	if !(b.West < b.East && b.East-b.West <= 360 && b.South < b.North && b.South >= -90 && b.North <= 90) ||
		math.Abs(b.West) > 360 {
		return fmt.Errorf("land: the box is %g to %g° east and %g to %g° north; give west below east, south below "+
			"north, in degrees", b.West, b.East, b.South, b.North)
	}
	if p, ok := f.Projection.(EqualArea); ok && !(math.Abs(p.Parallel) < 90) {
		return fmt.Errorf("land: an equal-area map true at %g°; the parallel must be below 90°", p.Parallel)
	}
	if f.Rows < 1 || f.Cols < 1 || f.Rows > maxCells/f.Cols {
		return fmt.Errorf("land: %d rows and %d columns; both must be at least 1 and the cells at most %d", f.Rows,
			f.Cols, maxCells)
	}
	return nil
}

// maxCells is the largest number of cells. It gives sub-Saharan Africa cells of 3 km, and the
// coastline is not more accurate than that.
const maxCells = 1 << 23
