package viz

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
)

// Map shows a number a cell as colours, with a colour bar. Cells without a value
// (NaN) are grey and hatched.
//
//	viz.Show(viz.Map{Field: intensity, Scale: &viz.Scale{Label: "rate (per km²)", Log: true}})
//
// [Maps] puts several beside each other.
type Map struct {
	Field Lattice
	Title string
	Scale *Scale // nil: that of the Maps around it, or the zero Scale

	// Held hatches cells over their colour, as those held out: one for each
	// cell in the order of the vectors of a Field that has a method
	// Index(c, r int) int, as expfam/grid's, otherwise row after row from the
	// upper left of the picture. Nil means none.
	Held []bool

	// Axes are drawn where one of them has a label.
	XLabel, YLabel string
	Down           bool    // y grows downwards
	Aspect         float64 // length of a unit of y over that of x; 0 means 1

	// For a map by itself.
	Note  string
	Width float64 // px; 0 means what the cells need, at most 800
}

// Encode implements Figure.
func (v Map) Encode(format Format) ([]byte, error) {
	return v.alone().encode("map", format)
}

func (v Map) alone() Maps {
	s := Maps{Maps: []Map{v}, Title: v.Title, Note: v.Note, Width: v.Width}
	s.Maps[0].Title = ""
	return s
}

// tile is a map with everything decided that does not depend on the format.
type tile struct {
	Map
	*cells
	colours        *colours
	row, col       int
	left, top      float64 // px from the figure's upper left
	width, height  float64 // px
	xticks, yticks []plot.Tick
	missing        bool // some cells have no value
	held           bool // some cells with a value are held out
}

func (v Map) read() (*tile, error) {
	if v.Field == nil {
		return nil, fmt.Errorf("no field; give Field")
	}
	if v.Aspect == 0 {
		v.Aspect = 1
	}
	if !(v.Aspect > 0) || math.IsInf(v.Aspect, 0) {
		return nil, fmt.Errorf("aspect %g; it must be positive", v.Aspect)
	}
	m, err := readCells(v.Field, v.Down)
	if err != nil {
		return nil, err
	}
	t := &tile{Map: v, cells: m}
	if v.Held != nil && len(v.Held) != len(m.z) {
		return nil, fmt.Errorf("%d cells of Held for %d columns and %d rows", len(v.Held), m.cols, m.rows)
	}
	if v.Held != nil {
		t.Held = make([]bool, len(m.z)) // as drawn
		for j, i := range m.index {
			t.Held[j] = v.Held[i]
		}
	}
	some := false
	for j, z := range m.z {
		if math.IsNaN(z) {
			t.missing = true
		} else {
			some = true
			t.held = t.held || v.Held != nil && t.Held[j]
		}
	}
	if !some {
		return nil, fmt.Errorf("all %d cells are NaN; there is nothing to draw", len(m.z))
	}
	return t, nil
}

// ratio is height over width.
func (t *tile) ratio() float64 {
	return t.Aspect * math.Abs(t.dy) * float64(t.rows) / (math.Abs(t.dx) * float64(t.cols))
}

// axes reports whether the map has any.
func (t *tile) axes() bool { return t.XLabel != "" || t.YLabel != "" }

// pale reports whether cells are too small for strokes: those held out are paler.
func (t *tile) pale() bool { return t.width/float64(t.cols) < 1.8 }

// name is what the figure says of the map: row, column, title.
func (t *tile) name(s *atlas) string {
	return joined(nth(s.RowLabels, t.row), t.inRow(s))
}

// inRow is what tells the map from the others of its row.
func (t *tile) inRow(s *atlas) string { return joined(nth(s.ColumnLabels, t.col), t.Title) }

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

func nth(labels []string, i int) string {
	if i < len(labels) {
		return labels[i]
	}
	return ""
}

// picture is the map as an image of one pixel a cell.
func (t *tile) picture() *image.Paletted {
	levels, pale := t.colours.levels, 0
	if t.held && t.pale() {
		levels = min(levels, 120)
		pale = levels + 1
	}
	img := image.NewPaletted(image.Rect(0, 0, t.cols, t.rows), make(color.Palette, levels+1+pale))
	for i := range levels {
		img.Palette[i] = t.colours.Palette(t.colours.tone(float64(i) / float64(levels-1)))
	}
	img.Palette[levels] = absent
	for i := range pale {
		img.Palette[pale+i] = mix(img.Palette[i].(color.NRGBA), canvas, 0.55)
	}
	for j, z := range t.z {
		img.Pix[j] = uint8(levels)
		if !math.IsNaN(z) {
			img.Pix[j] = uint8(math.Round(float64(levels-1) * clamp(t.colours.share(z), 0, 1)))
			if pale > 0 && t.Held[j] {
				img.Pix[j] += uint8(pale)
			}
		}
	}
	return img
}
