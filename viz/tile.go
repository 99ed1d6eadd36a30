package viz

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
)

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
