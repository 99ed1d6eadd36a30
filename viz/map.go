package viz

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
)

// Map shows a number per cell as a colour, with a colour bar. Cells without a value (NaN)
// are grey and hatched, and Blank cells are not drawn.
//
//	viz.Show(viz.Map{Field: intensity, Scale: &viz.Scale{Label: "rate (per km²)", Log: true}})
//
// Where scripts run, the pointer shows the values of its cell, and the map can be
// enlarged. [Maps] shows several maps side by side.
type Map struct {
	Field Lattice
	Title string
	Scale *Scale // nil: the Scale of the Maps around it, or the zero Scale

	// Blank cells do not belong to the map, such as the sea on a map of a country. They
	// are white, whatever their value. Blank has the order of Held.
	Blank []bool
	// Missing is the word for cells without a value. Default "no value".
	Missing string
	// Over are lines drawn over the cells.
	Over []Overlay
	// Window selects the cells that lie in it completely or in part. Zero: all cells.
	Window Window
	// Inset enlarges a part of the map in its corner.
	Inset *Inset
	// Tips are further numbers of every cell that are shown under the pointer. Where
	// names the coordinates there; default: the labels of the axes.
	Tips  []Tip
	Where [2]string

	// Held hatches cells over their colour, for example the cells that were held out. It has one entry for each cell.
	// If Field has a method Index(c, r int) int, as expfam/grid's fields have, that method gives the order; otherwise
	// the order is row after row from the upper left of the picture. Nil means none.
	Held []bool

	// Axes are drawn where one of them has a label.
	XLabel, YLabel string
	Aspect         float64 // length of a unit of y over that of x; 0 means 1

	// Note and Width are used if the map is shown by itself.
	Note  string
	Width float64 // px; 0 means what the cells need, at most 800
}

// Encode implements Figure.
func (v Map) Encode(format Format) ([]byte, error) { return v.alone().encode("map", format) }

func (v Map) alone() Maps {
	s := Maps{Maps: []Map{v}, Title: v.Title, Note: v.Note, Width: v.Width}
	s.Maps[0].Title = ""
	return s
}

// tile is a map after layout. It holds everything that does not depend on the format.
type tile struct {
	Map
	*cells
	inset          *tile
	part           Window          // what is seen of regions
	blocks         *blocks         // nil: all cells are drawn
	side           int             // a cell is the mean of side × side cells of the field; 0 or 1: it is one of them
	own            *image.Paletted // the picture if its colours are not those of a scale; nil otherwise
	called         string          // name of the map under the pointer; "" means its titles
	sure           float64         // cells with at least this value are outlined; 0: none
	colours        *colours
	row, col       int
	left, top      float64 // px from the figure's upper left
	width, height  float64 // px
	xticks, yticks []plot.Tick
	missing        bool // some cells have no value
	low            int  // number of cells of 0 or less, which a logarithmic scale cannot show
	held           bool // some cells with a value are held out
}

// read checks the map. It makes a map of more than so many cells coarser.
func (v Map) read(most int) (*tile, error) {
	if v.Field == nil {
		return nil, fmt.Errorf("no field; give Field")
	}
	v.Aspect = cmp.Or(v.Aspect, 1)
	if !(v.Aspect > 0) || math.IsInf(v.Aspect, 0) {
		return nil, fmt.Errorf("aspect %g; it must be positive", v.Aspect)
	}
	m, err := readCells(v.Field)
	if err != nil {
		return nil, err
	}
	t := &tile{Map: v, cells: m}
	if m.regions != nil {
		t.part = m.box
	}
	if t.Held, err = m.flags("Held", v.Held); err != nil {
		return nil, err
	}
	if t.Blank, err = m.flags("Blank", v.Blank); err != nil {
		return nil, err
	}
	if err := t.readTips(); err != nil {
		return nil, err
	}
	for k, o := range v.Over {
		if err := o.check(k); err != nil {
			return nil, err
		}
	}
	if len(t.z) > most && m.regions == nil {
		if v.Window != (Window{}) { // perhaps it has few cells
			if err := t.crop(v.Window); err != nil {
				return nil, err
			}
			v.Window = Window{}
		}
		if t.blocks = t.cells.blocks(t.Blank, most); t.blocks != nil {
			t.coarsen(t.blocks)
		}
	}
	if v.Inset != nil {
		if t.inset, err = v.Inset.read(v, t); err != nil {
			return nil, err
		}
	}
	if v.Window != (Window{}) {
		if err := t.crop(v.Window); err != nil {
			return nil, err
		}
	}
	some := false
	for j, z := range t.z {
		switch {
		case t.blank(j):
		case math.IsNaN(z):
			t.missing = true
		default:
			some = true
			t.held = t.held || t.Held != nil && t.Held[j]
		}
	}
	if !some {
		return nil, fmt.Errorf("all %d %s are NaN; there is nothing to draw", len(t.z), t.noun())
	}
	return t, nil
}

// cells returns the cells of the field, and which of them are Blank, in drawing order.
func (v Map) cells(kind string) (*cells, []bool, error) {
	if v.Field == nil {
		return nil, nil, fmt.Errorf("%s: no field; give Map a Field", kind)
	}
	m, err := readCells(v.Field)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", kind, err)
	}
	blank, err := m.flags("Blank", v.Blank)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", kind, err)
	}
	return m, blank, nil
}

// flags returns marks of cells in drawing order.
func (m *cells) flags(name string, of []bool) ([]bool, error) {
	if of == nil {
		return nil, nil
	}
	if len(of) != len(m.z) {
		return nil, fmt.Errorf("%d cells of %s for %d columns and %d rows", len(of), name, m.cols, m.rows)
	}
	return pick(of, m.index), nil
}

// absent reports whether cell j has no colour: it has no value, or one that a logarithmic scale cannot show.
func (t *tile) absent(j int) bool { return math.IsNaN(t.z[j]) || t.colours.Log && t.z[j] <= 0 }

// blank reports whether cell j does not belong to the map.
func (t *tile) blank(j int) bool { return t.Blank != nil && t.Blank[j] }

// shown returns the values, with NaN for blank cells.
func (t *tile) shown() []float64 {
	if t.Blank == nil {
		return t.z
	}
	z := slices.Clone(t.z)
	for j := range z {
		if t.Blank[j] {
			z[j] = math.NaN()
		}
	}
	return z
}

// ratio returns the height of the map over its width.
func (t *tile) ratio() float64 {
	if t.regions != nil {
		return t.Aspect * t.aspect * (t.part.YMax - t.part.YMin) / (t.part.XMax - t.part.XMin)
	}
	return t.Aspect * math.Abs(t.dy) * float64(t.rows) / (math.Abs(t.dx) * float64(t.cols))
}

// axes reports whether the map has axes.
func (t *tile) axes() bool { return t.XLabel != "" || t.YLabel != "" }

// pale reports whether cells are too small for strokes. Cells that were held out are then shown in paler colours.
func (t *tile) pale() bool { return t.regions == nil && t.width/float64(t.cols) < 1.8 }

// name returns the labels of the map's row and column, and its title.
func (t *tile) name(s *atlas) string { return joined(nth(s.RowLabels, t.row), t.inRow(s)) }

// inRow returns the column label and the title, which tell the map from the others of its row.
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

// picture returns the map as an image of one pixel per cell.
func (t *tile) picture() *image.Paletted {
	if t.own != nil {
		return t.own
	}
	levels, pale := t.colours.levels, 0
	if t.held && t.pale() {
		levels = min(levels, 120)
		pale = levels + 2
	}
	img := image.NewPaletted(image.Rect(0, 0, t.cols, t.rows), make(color.Palette, levels+2+pale))
	for i := range levels {
		img.Palette[i] = t.colours.Palette(t.colours.tone(float64(i) / float64(levels-1)))
	}
	img.Palette[levels], img.Palette[levels+1] = absentCell, blankCell
	for i := range pale {
		img.Palette[pale+i] = mix(img.Palette[i].(color.NRGBA), canvas, 0.55)
	}
	for j, z := range t.z {
		img.Pix[j] = uint8(levels)
		if t.blank(j) {
			img.Pix[j]++
		} else if !t.absent(j) {
			img.Pix[j] = uint8(math.Round(float64(levels-1) * clamp(t.colours.share(z), 0, 1)))
			if pale > 0 && t.Held[j] {
				img.Pix[j] += uint8(pale)
			}
		}
	}
	return img
}
