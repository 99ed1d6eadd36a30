package viz

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
)

// lineLabel is the name of a line, written beside it in the place of a legend.
type lineLabel struct {
	name  string
	x, y  float64 // the centre of the text, in data units
	color color.NRGBA
}

const (
	mostLabelled = 4   // names; a chart with more has a legend
	inkCell      = 4.0 // px; the side of the squares in which free room is sought
	labelGap     = 1   // squares between a line and its name
	labelSize    = 12  // px
)

// labelRooms are how many squares around a name are free of other lines: the more, the plainer it is whose name it is.
var labelRooms = []int{8, 5, 3, 2}

// lineLabels returns a label for each name of the chart, or nil where the chart needs a legend: it has more names than
// mostLabelled, a name that is that of bars, or no free room beside one of its lines.
func (d *drawing) lineLabels() []lineLabel {
	names := d.entries()
	if len(names) == 0 || len(names) > mostLabelled {
		return nil
	}
	s := newInkSheet(d, len(names)+1)
	colours := make([]*color.NRGBA, len(names))
	for _, m := range d.marks {
		owner := len(names) // of what has no name
		for k, name := range names {
			if name == m.name() {
				owner = k
			}
		}
		var c color.NRGBA
		switch m := m.(type) {
		case lineMark:
			c = m.Color
			eachFiniteRun(m.y, func(from, to int) { s.line(owner, m.x[from:to], m.y[from:to]) })
		case pointMark:
			c = m.Color
			for i := range m.x {
				s.dot(owner, m.x[i], m.y[i], m.Radius)
			}
		case arrowMark:
			c = m.Color
			s.line(owner, []float64{m.X, m.X + m.DX}, []float64{m.Y, m.Y + m.DY})
		case bandMark:
			continue // a name is legible on a band
		default:
			return nil
		}
		if owner < len(names) && colours[owner] == nil {
			colours[owner] = &c
		}
	}
	at := s.place(names)
	if at == nil || slices.Contains(colours, nil) { // of a band alone
		return nil
	}
	out := make([]lineLabel, len(names))
	for k, b := range at {
		x, y := s.data(float64(b.col)+float64(b.cols)/2, float64(b.row)+float64(b.rows)/2)
		out[k] = lineLabel{clean(names[k]), x, y, readable(*colours[k])}
	}
	return out
}

// readable darkens a colour until text of it has a contrast of 4.5 with white (WCAG 2.1).
func readable(c color.NRGBA) color.NRGBA {
	c.A = 0xFF
	linear := func(v uint8) float64 { return math.Pow((float64(v)/255+0.055)/1.055, 2.4) }
	for 0.2126*linear(c.R)+0.7152*linear(c.G)+0.0722*linear(c.B) > 1.05/4.5-0.05 {
		c = mix(c, color.NRGBA{A: 0xFF}, 0.05)
	}
	return c
}

// labelBox is a rectangle of squares.
type labelBox struct{ col, row, cols, rows int }

func (b labelBox) widened(by int) labelBox {
	return labelBox{b.col - by, b.row - by, b.cols + 2*by, b.rows + 2*by}
}

func (b labelBox) meets(o labelBox) bool {
	return o.col < b.col+b.cols && b.col < o.col+o.cols && o.row < b.row+b.rows && b.row < o.row+o.rows
}

// place returns where the names stand: each beside its line, on no ink, and with the most of labelRooms between it and
// all other ink and names; nil if one finds no place. Of equal places the name takes the rightmost.
func (s *inkSheet) place(names []string) (placed []labelBox) {
	st, sums := style(labelSize, true, ink), make([]inkSums, len(s.ink))
	for k := range s.ink {
		sums[k] = newInkSums(s.ink[k], s.cols, s.rows)
	}
	for k, name := range names {
		// Fonts of browsers may be wider.
		w := int(math.Ceil(1.1*float64(st.Width(printable(name))/px(inkCell)))) + 1
		at := slices.IndexFunc(labelRooms, func(room int) bool {
			found, ok := s.beside(k, w, 4, func(b labelBox) bool {
				around := b.widened(room)
				for other := range sums {
					if other == k && sums[k].any(b) || other != k && sums[other].any(around) {
						return false
					}
				}
				return !slices.ContainsFunc(placed, around.meets)
			})
			if ok {
				placed = append(placed, found)
			}
			return ok
		})
		if at < 0 {
			return nil
		}
	}
	return placed
}

// beside tries the places above, below, right and left of the ink of an owner, from right to left.
func (s *inkSheet) beside(owner, w, h int, free func(labelBox) bool) (labelBox, bool) {
	for c := s.cols - 1; c >= 0; c-- {
		for r := range s.rows {
			if !s.ink[owner][r*s.cols+c] {
				continue
			}
			for _, at := range [][2]int{{c - w + 1, r - h - labelGap}, {c - w + 1, r + 1 + labelGap},
				{c + 1 + labelGap, r - h/2}, {c - w - labelGap, r - h/2}, {c, r - h - labelGap},
				{c, r + 1 + labelGap}} {
				b := labelBox{at[0], at[1], w, h}
				if b.col >= 1 && b.row >= 1 && b.col+w < s.cols && b.row+h < s.rows && free(b) {
					return b, true
				}
			}
		}
	}
	return labelBox{}, false
}

// paintLabels writes the names beside their lines.
func (d *drawing) paintLabels(p *plot.Plot, c draw.Canvas) {
	place := toCanvas(c, p)
	for _, l := range d.labels {
		st := style(labelSize, true, l.color)
		st.XAlign, st.YAlign = text.XCenter, text.YCenter
		c.FillText(st, place(l.x, l.y), printable(l.name))
	}
}

// labelSeries returns the names beside their lines as points of ECharts, which chart.js gives their texts.
func (d *drawing) labelSeries(x, y func(float64) float64) (all []series) {
	for _, l := range d.labels {
		rgb, _ := hex(l.color)
		all = append(all, series{Name: l.name, Type: "scatter", Color: rgb, SymbolSize: []float64{0.1, 0.1},
			Data: []any{[]float64{x(l.x), y(l.y)}}})
	}
	return all
}
