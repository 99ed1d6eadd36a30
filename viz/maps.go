package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Maps shows small multiples: maps in rows and columns with common colour scales, so that equal colours are equal
// values.
//
//	rate, spread := &viz.Scale{Label: "rate"}, &viz.Scale{Label: "interquartile range"}
//	viz.Show(viz.Maps{ColumnLabels: []string{"truth", "median", "IQR"}, Maps: []viz.Map{
//		{Field: truth, Scale: rate}, {Field: median, Scale: rate}, {Field: iqr, Scale: spread},
//	}})
//
// If there are several rows and all maps of a scale are in one of them, the colour bar of the scale is on the right of
// that row. Other colour bars are below the columns of their maps.
type Maps struct {
	Maps    []Map // row by row; one without Field leaves its place empty
	Columns int   // 0 means one for each of ColumnLabels; without labels 4, or fewer for fewer maps
	Scale   *Scale

	RowLabels, ColumnLabels []string

	Title string
	Note  string
	Width float64 // px; 0 means what the cells need, at most 800

	key *bivariateKey // legend on the right; nil: none
}

// Encode implements Figure.
func (v Maps) Encode(format Format) ([]byte, error) { return v.encode("maps", format) }

func (v Maps) encode(kind string, format Format) ([]byte, error) {
	if format == Phone {
		v = v.column()
	}
	return format.of(v.layout(kind))
}

// column returns the maps below each other, each with the labels of its row and column as its title.
func (v Maps) column() Maps {
	var maps []Map
	n := max(1, cmp.Or(v.Columns, len(v.ColumnLabels)))
	for k, m := range v.Maps {
		label := func(of []string, at int) string {
			if at < len(of) {
				return of[at]
			}
			return ""
		}
		words := []string{label(v.ColumnLabels, k%n), label(v.RowLabels, k/n), m.Title}
		words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
		if m.Title = strings.Join(words, ", "); m.Field != nil {
			maps = append(maps, m)
		}
	}
	v.Maps, v.Columns, v.RowLabels, v.ColumnLabels, v.Width = maps, 1, nil, nil, phoneWidth
	return v
}

// Encode renders the maps as they are laid out.
func (s *atlas) Encode(format Format) ([]byte, error) {
	return rendering{s.kind, s.width, s.height, s.altText(), s.paint, s.html}.encode(format)
}

// place positions the maps and the colour bars, from top to bottom.
func (s *atlas) place(side, left, below float64) {
	rooms := s.rooms()
	inset := 0.0 // keeps the last label of a bar apart from the first label of the next bar
	if s.rows > 1 {
		inset = 5
	}
	y := 10.0
	y += 22 * float64(len(wrap(printable(s.Title), style(15, true, ink), px(s.width-2*rim))))
	if len(s.ColumnLabels) > 0 {
		y += 20
	}
	for row := range s.rows {
		tallest, titled := 0.0, 0.0
		for _, t := range s.tiles {
			if t.row == row && t.Title != "" {
				titled = 18
			}
		}
		y += titled
		for _, t := range s.tiles {
			if t.row != row {
				continue
			}
			t.left = rim + s.gutter + left + float64(t.col)*(side+left+gap)
			t.top, t.width, t.height = y, side, max(8, math.Round(side*t.ratio()))
			t.ticks()
			t.placeInset()
			tallest = max(tallest, t.height)
		}
		x, k := s.right()+14, 0
		for _, b := range s.bars {
			if b.vertical && b.row == row {
				b.put(x, y+inset, 13, tallest-2*inset)
				x += rooms[k]
				k++
			}
		}
		y += tallest + below
		if row < s.rows-1 {
			y += gap
		}
	}
	y += s.placeBelow(y)
	s.explain()
	lines := len(wrap(printable(s.Note), style(11, false, soft), px(s.width-2*rim)))
	s.height = y + float64(15*lines) + 6
}

// rooms returns the widths in px of the columns of colour bars on the right. Entry k is the width of the widest bar
// that is bar k of its row.
func (s *atlas) rooms() []float64 {
	var rooms []float64
	count := make([]int, s.rows)
	for _, b := range s.bars {
		if !b.vertical {
			continue
		}
		k := count[b.row]
		count[b.row]++
		if k == len(rooms) {
			rooms = append(rooms, 0)
		}
		rooms[k] = max(rooms[k], b.room())
	}
	return rooms
}

// right returns where the last column of maps ends, in px.
func (s *atlas) right() float64 {
	x := 0.0
	for _, t := range s.tiles {
		x = max(x, t.left+t.width)
	}
	return x
}

// placeBelow positions the bars that stand below their columns, from height y on. Bars that would overlap go on
// different lines. It returns the height that all lines take.
func (s *atlas) placeBelow(y float64) float64 {
	var ends []float64 // where the last bar of each line ends
	for _, b := range s.bars {
		if b.vertical {
			continue
		}
		from, to := math.Inf(1), 0.0
		for _, t := range b.tiles {
			from, to = min(from, t.left), max(to, t.left+t.width)
		}
		line := 0
		for line < len(ends) && ends[line] > from {
			line++
		}
		if line == len(ends) {
			ends = append(ends, 0)
		}
		ends[line] = to
		// A longer bar is no easier to read. Labels at the ends of neighbours stay apart.
		length := min(to-from, 400)
		if to-from < s.right()-rim {
			length = min(length, to-from+gap-6-b.widest(b.tick(length, 52)))
		}
		b.put(from+(to-from-length)/2, y+12+float64(line)*lowBar, length, 12)
	}
	return float64(len(ends))*lowBar + 8
}

// altText returns the texts that describe the figure where no picture can be shown.
func (s *atlas) altText() []string {
	words := (&Chart{Title: s.Title}).altText()
	for _, t := range s.tiles {
		size := fmt.Sprintf("%d by %d cells", t.cols, t.rows)
		if t.regions != nil {
			size = some(t.cols, "region", "")
		}
		w := fmt.Sprintf("%s, %s to %s", size, number(t.colours.lo), number(t.colours.hi))
		if name := t.name(s); name != "" {
			w = name + ": " + w
		}
		if t.colours.Label != "" {
			w += ", " + t.colours.Label
		}
		words = append(words, w)
	}
	return append(words, (&Chart{Note: s.Note}).altText()...)
}
