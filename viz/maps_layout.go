package viz

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// atlas is maps with everything decided that does not depend on the format.
type atlas struct {
	Maps
	kind          string
	tiles         []*tile
	bars          []*bar
	rows          int
	gutter        float64 // px of the row labels
	width, height float64
}

// Sizes in px.
const (
	rim       = 10  // around the figure
	gap       = 8   // between maps
	axisLeft  = 58  // ticks and label of a y axis
	axisBelow = 40  // of an x axis
	lowBar    = 58  // a bar below, with its texts
	largest   = 380 // side of a map that could be larger
)

func (v Maps) layout(kind string) (*atlas, error) {
	s := &atlas{Maps: v, kind: kind}
	if err := s.read(); err != nil {
		return nil, err
	}
	if err := s.shareColours(); err != nil {
		return nil, err
	}
	left, below := 0.0, 0.0
	tall := 0.0
	for _, t := range s.tiles {
		tall = max(tall, t.ratio())
		if t.axes() {
			left, below = axisLeft, axisBelow
		}
	}
	if len(v.RowLabels) > 0 {
		s.gutter = 22
	}
	beside := 0.0
	for _, room := range s.rooms() {
		beside += room
	}
	n := float64(s.Columns)
	taken := 2*rim + s.gutter + n*left + (n-1)*gap + beside
	side := math.Floor((s.Width - taken) / n)
	if s.Width == 0 {
		side = math.Floor(min((800-taken)/n, largest, largest/tall))
		s.width = math.Ceil(max(taken+n*side, 320))
	} else {
		s.width = s.Width
	}
	if !(s.width >= 200 && s.width <= 4000) {
		return nil, fmt.Errorf("%s: width %g px; must be in 200 to 4000", kind, s.width)
	}
	if side < 16 {
		return nil, fmt.Errorf("%s: %d columns in %g px leave each map %g px; use fewer columns or a greater Width", kind, s.Columns, min(s.width, 800), side)
	}
	s.place(side, left, below)
	if s.height > 8000 {
		return nil, fmt.Errorf("%s: %d rows are %g px high; show fewer at a time", kind, s.rows, s.height)
	}
	return s, nil
}

// read checks the maps and gives each its row and column.
func (s *atlas) read() error {
	if len(s.Maps.Maps) == 0 {
		return fmt.Errorf("%s: no maps; give at least one", s.kind)
	}
	if s.Columns == 0 {
		s.Columns = len(s.ColumnLabels)
	}
	if s.Columns == 0 {
		s.Columns = min(4, len(s.Maps.Maps))
	}
	if s.Columns < 1 || s.Columns > len(s.Maps.Maps) {
		return fmt.Errorf("%s: %d columns for %d maps; use 1 to %d", s.kind, s.Columns, len(s.Maps.Maps), len(s.Maps.Maps))
	}
	s.rows = (len(s.Maps.Maps) + s.Columns - 1) / s.Columns
	if n := len(s.ColumnLabels); n != 0 && n != s.Columns {
		return fmt.Errorf("%s: %d column labels for %d columns", s.kind, n, s.Columns)
	}
	if n := len(s.RowLabels); n != 0 && n != s.rows {
		return fmt.Errorf("%s: %d row labels for %d rows", s.kind, n, s.rows)
	}
	for k, m := range s.Maps.Maps {
		if m.Field == nil && s.kind == "maps" {
			continue
		}
		t, err := m.read()
		if err != nil {
			return s.at(k, err)
		}
		t.row, t.col = k/s.Columns, k%s.Columns
		s.tiles = append(s.tiles, t)
	}
	if len(s.tiles) == 0 {
		return fmt.Errorf("%s: no map has a field; give at least one", s.kind)
	}
	return nil
}

// explain puts the signs that the maps use before the note.
func (s *atlas) explain() {
	for _, sign := range []struct {
		text string
		has  func(*tile) bool
	}{
		{"Hatched over the colour: held out.", func(t *tile) bool { return t.held && !t.pale() }},
		{"Pale: held out.", func(t *tile) bool { return t.held && t.pale() }},
		{"Grey: no value.", func(t *tile) bool { return t.missing }},
	} {
		if s.first(sign.has) != nil {
			s.Note = strings.TrimSpace(sign.text + " " + s.Note)
		}
	}
}

// at says which map an error is about.
func (s *atlas) at(k int, err error) error {
	if s.kind == "map" {
		return fmt.Errorf("map: %w", err)
	}
	return fmt.Errorf("maps: map %d (row %d, column %d): %w", k+1, k/s.Columns+1, k%s.Columns+1, err)
}

// shareColours resolves each scale once over its maps, and makes its bar.
func (s *atlas) shareColours() error {
	own := new(Scale)
	if s.Scale != nil {
		own = s.Scale
	}
	var order []*Scale
	users := map[*Scale][]*tile{}
	for _, t := range s.tiles {
		if t.Scale == nil {
			t.Scale = own
		}
		if users[t.Scale] == nil {
			order = append(order, t.Scale)
		}
		users[t.Scale] = append(users[t.Scale], t)
	}
	palettes := map[[3]color.NRGBA]bool{}
	var all []*colours
	for _, scale := range order {
		var values [][]float64
		for _, t := range users[scale] {
			values = append(values, t.z)
		}
		c, err := scale.resolve(values)
		if err != nil {
			t := users[scale][0]
			return s.at(t.row*s.Columns+t.col, err)
		}
		palettes[[3]color.NRGBA{c.Palette(0), c.Palette(0.5), c.Palette(1)}] = true
		all = append(all, c)
		b := &bar{colours: c, tiles: users[scale], row: users[scale][0].row}
		inRow := true
		for _, t := range b.tiles {
			t.colours = c
			inRow = inRow && t.row == b.row
		}
		b.vertical = len(s.tiles) == 1 || inRow && s.rows > 1
		if !scale.NoBar {
			s.bars = append(s.bars, b)
		}
	}
	for _, c := range all {
		// With those of the letters a PNG has at most 256 colours.
		c.levels = max(40, 200/len(palettes))
	}
	return nil
}

// place puts maps and bars from top to bottom.
func (s *atlas) place(side, left, below float64) {
	rooms := s.rooms()
	inset := 0.0 // keeps the last label of a bar from the first of the next
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

// rooms are the widths of the bars on the right, first ones of all rows first.
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

// right is where the last column ends.
func (s *atlas) right() float64 {
	x := 0.0
	for _, t := range s.tiles {
		x = max(x, t.left+t.width)
	}
	return x
}

// placeBelow puts the bars that stand below their columns at height y, in as
// many lines as keep them apart, and returns what they take.
func (s *atlas) placeBelow(y float64) float64 {
	var ends []float64 // of each line
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
		// A bar needs no more length than can be read.
		length := min(to-from, 400)
		b.put(from+(to-from-length)/2, y+12+float64(line)*lowBar, length, 12)
	}
	return float64(len(ends))*lowBar + 8
}

// words describe the figure where no picture can be shown.
func (s *atlas) words() []string {
	words := (&Chart{Title: s.Title}).words()
	for _, t := range s.tiles {
		w := fmt.Sprintf("%d by %d cells, %s to %s", t.cols, t.rows, number(t.colours.lo), number(t.colours.hi))
		if name := t.name(s); name != "" {
			w = name + ": " + w
		}
		if t.colours.Label != "" {
			w += ", " + t.colours.Label
		}
		words = append(words, w)
	}
	return append(words, (&Chart{Note: s.Note}).words()...)
}
