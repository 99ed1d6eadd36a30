package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
)

// Pixelation maps draws (Lucchesi & Wikle 2017, Stat 6): each cell is divided into 4 × 4 pixels, or into fewer on a
// large map, and each pixel has the value of another draw. A cell that is certain has one colour, and an
// uncertain cell is speckled.
type Pixelation struct {
	// Map has the cells in its Field, and a Scale for the draws. Cells where the Field is NaN are grey; its other
	// values are shown under the pointer.
	Map   Map
	Draws Draws // in the order of [Map.Held]
}

// Encode implements Figure.
func (v Pixelation) Encode(format Format) ([]byte, error) {
	f, err := supersample("pixelation", v.Map, 4, 3)
	if err != nil {
		return nil, err
	}
	if isNil(v.Draws) {
		return nil, fmt.Errorf("pixelation: no draws; give Draws")
	}
	n, d := v.Draws.Dims()
	pixels := f.side * f.side
	if d != len(f.whole.z) || n < pixels {
		return nil, fmt.Errorf("pixelation: %d draws of %d cells for a map of %d cells; give at least %d draws, one "+
			"for each pixel of a cell", n, d, len(f.whole.z), pixels)
	}
	draws := make([][]float64, pixels) // evenly spaced ones
	for k := range draws {
		draws[k] = f.shown(func(i int) float64 { return v.Draws.At(k*n/pixels, i) })
	}
	one := f.paint(func(j, r, c int) float64 {
		if math.IsNaN(f.coarse.z[j]) {
			return math.NaN()
		}
		// The order of the draws differs from cell to cell, so that no pattern of the order shows.
		return draws[(r*f.side+c+7*j)%pixels][j]
	})
	one.Note += fmt.Sprintf(" Each cell has the values of %d draws.", f.side*f.side)
	return one.alone().encode("pixelation", format)
}

// Glyphs maps a value and its certainty: a disc in each cell has the colour of the value, and is the smaller the more
// uncertain the value is. The largest disc fills its cell but for a thin rim.
type Glyphs struct {
	Map Map // of the values
	// Uncertainty is a number from 0 on for each cell, such as the width of its interval, in the order of [Map.Held]. A
	// cell with 0 has a full disc, and the most uncertain cell the smallest.
	Uncertainty []float64
	Label       string // name of the uncertainty; default "uncertainty"
}

// smallestGlyph is the radius of the smallest disc over that of the largest.
const smallestGlyph = 0.25

// Encode implements Figure.
func (v Glyphs) Encode(format Format) ([]byte, error) {
	f, err := supersample("glyphs", v.Map, 13, 5)
	if err != nil {
		return nil, err
	}
	if len(v.Uncertainty) != len(f.whole.z) {
		return nil, fmt.Errorf("glyphs: %d uncertainties for a map of %d cells", len(v.Uncertainty), len(f.whole.z))
	}
	for j, u := range v.Uncertainty {
		if math.IsInf(u, 0) || u < 0 {
			return nil, fmt.Errorf("glyphs: the uncertainty of cell %d is %g; give finite ones that are not negative",
				j, u)
		}
	}
	uncertainty, most := f.shown(func(i int) float64 { return v.Uncertainty[i] }), 0.0
	for _, u := range uncertainty {
		if !math.IsNaN(u) {
			most = max(most, u)
		}
	}
	if !(most > 0) {
		return nil, fmt.Errorf("glyphs: uncertainties up to %g; one must be positive", most)
	}
	tip := Tip{Name: cmp.Or(v.Label, "uncertainty"), Values: v.Uncertainty}
	if f.blocks != nil {
		tip.Values = uncertainty
	}
	f.from.Tips = append([]Tip{tip}, f.from.Tips...)
	one := f.paint(func(j, _, _ int) float64 { return f.coarse.z[j] })
	one.Blank = spread(f, func(j, r, c int) bool {
		u := uncertainty[j]
		half := float64(f.side) / 2
		size := 0.94 * half * (1 - (1-smallestGlyph)*u/most)
		out := math.Hypot(float64(r)+0.5-half, float64(c)+0.5-half) > size
		return f.blank != nil && f.blank[j] || !math.IsNaN(f.coarse.z[j]) && !math.IsNaN(u) && out
	})
	one.Note = fmt.Sprintf("%s Full disc: %s 0. Smallest: %s.", f.from.Note, cmp.Or(v.Label, "uncertainty"),
		number(most))
	return one.alone().encode("glyphs", format)
}

// supersampled is a map whose cells are divided into side × side pixels. Where there would be too many pixels, its
// cells are blocks of those of the field.
type supersampled struct {
	from                Map
	whole, coarse, fine *cells // of the field, of the map, and its pixels
	blocks              *blocks
	side                int
	blank               []bool // coarse, in drawing order
}

// supersample divides the cells of a map into at most usual × usual pixels, and into at least as many in a row.
func supersample(kind string, m Map, usual, least int) (*supersampled, error) {
	whole, _, err := m.cells(kind)
	if err != nil {
		return nil, err
	}
	if whole.regions != nil {
		return nil, fmt.Errorf("%s: a map of regions has no pixels to divide; take Bivariate or Outcomes", kind)
	}
	m, b, err := m.coarse(kind, mostCells/(least*least))
	if err != nil {
		return nil, err
	}
	coarse, blank, err := m.cells(kind)
	if err != nil {
		return nil, err
	}
	row := max(coarse.cols, coarse.rows)
	side := min(max(3, min(usual, int(math.Sqrt(mostCells/float64(len(coarse.z)))))), 2048/row)
	if side < 3 {
		return nil, fmt.Errorf("%s: %d × %d cells; at most 682 in a row can be divided into pixels", kind, coarse.rows,
			coarse.cols)
	}
	n := float64(side)
	fine := &cells{cols: side * coarse.cols, rows: side * coarse.rows, dx: coarse.dx / n, dy: coarse.dy / n}
	fine.x, fine.y = coarse.x-coarse.dx/2+fine.dx/2, coarse.y-coarse.dy/2+fine.dy/2
	fine.z = make([]float64, fine.cols*fine.rows)
	for k := range fine.z {
		fine.index = append(fine.index, k)
	}
	return &supersampled{m, whole, coarse, fine, b, side, blank}, nil
}

// shown returns numbers of the cells of the field, which have the order of [Map.Held], for the cells of the map.
func (f *supersampled) shown(of func(i int) float64) []float64 {
	out := make([]float64, len(f.whole.z))
	for j, i := range f.whole.index {
		if out[j] = of(i); math.IsNaN(f.whole.z[j]) {
			out[j] = math.NaN()
		}
	}
	if f.blocks != nil {
		return f.blocks.mean(out)
	}
	return out
}

// at returns the place of pixel (r, c) of cell j.
func (f *supersampled) at(j, r, c int) int {
	row, col := j/f.coarse.cols, j%f.coarse.cols
	return (row*f.side+r)*f.fine.cols + col*f.side + c
}

// spread returns the values of the pixels.
func spread[T any](f *supersampled, value func(j, r, c int) T) []T {
	out := make([]T, len(f.fine.z))
	for j := range f.coarse.z {
		for r := range f.side {
			for c := range f.side {
				out[f.at(j, r, c)] = value(j, r, c)
			}
		}
	}
	return out
}

// paint returns the map of pixels. Tips and blanks of cells are those of all their pixels.
func (f *supersampled) paint(value func(j, r, c int) float64) Map {
	one := f.from
	if f.blank != nil {
		one.Blank = spread(f, func(j, _, _ int) bool { return f.blank[j] })
	}
	one.Tips = nil
	for _, tip := range f.from.Tips {
		if tip.At != nil {
			tip.Values, tip.At = tabulate(len(f.coarse.z), tip.At), nil
		}
		if of := tip.Values; len(of) == len(f.coarse.z) {
			tip.Values = spread(f, func(j, _, _ int) float64 { return of[f.coarse.index[j]] })
		}
		one.Tips = append(one.Tips, tip)
	}
	one.Field, one.Held = resampledField{f.fine, spread(f, value)}, nil
	return one
}

// lighterVik is vik without its dark ends, which would hide lines over them.
func lighterVik(t float64) color.NRGBA { return Vik(0.14 + 0.72*t) }
