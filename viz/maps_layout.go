package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
)

// atlas is Maps after layout. It holds everything that does not depend on the format.
type atlas struct {
	Maps
	kind          string
	tiles         []*tile
	bars          []*bar
	rows          int
	gutter        float64 // width of the row labels in px
	width, height float64
	frames        *mapFrames // slider of the first map; nil: none
}

// Sizes in px.
const (
	rim       = 10 // around the figure
	gap       = 8  // between maps
	axisLeft  = 58 // ticks and label of a y axis, whose numbers are at most axisWidth wide
	axisWidth = 32
	axisBelow = 40  // ticks and label of an x axis
	lowBar    = 58  // a colour bar below the maps, with its texts
	largest   = 380 // side of a map, if no Width is given
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
			left, below = max(left, t.axisRoom()), axisBelow
		}
	}
	if len(v.RowLabels) > 0 {
		s.gutter = 22
	}
	beside := 0.0
	for _, room := range s.rooms() {
		beside += room
	}
	if v.key != nil {
		beside += keyRoom
	}
	n := float64(s.Columns)
	taken := 2*rim + s.gutter + n*left + (n-1)*gap + beside
	side := math.Floor((s.Width - taken) / n)
	if s.Width == 0 {
		wide, high := float64(largest), float64(largest)
		if s.tiles[0].regions != nil { // outlines need more room than cells, and are seldom square
			wide, high = 800, 520
		}
		side = math.Floor(min((800-taken)/n, wide, high/tall))
		s.width = math.Ceil(max(taken+n*side, 320))
	} else {
		s.width = s.Width
	}
	if !(s.width >= 200 && s.width <= 4000) {
		return nil, fmt.Errorf("%s: width %g px; must be in 200 to 4000", kind, s.width)
	}
	if side < 16 && s.Width == 0 && largest/tall < 16 {
		return nil, fmt.Errorf("%s: a map is %.3g times as high as wide; give it an Aspect below 1", kind, tall)
	}
	if side < 16 {
		return nil, fmt.Errorf("%s: %d columns in %g px leave each map %g px; use fewer columns or a greater Width",
			kind, s.Columns, min(s.width, 800), side)
	}
	s.place(side, left, below)
	if s.height > 8000 {
		return nil, fmt.Errorf("%s: %d rows are %g px high; show fewer at a time, or give high maps an Aspect below 1",
			kind, s.rows, s.height)
	}
	return s, nil
}

// read checks the maps and gives each its row and column.
func (s *atlas) read() error {
	if len(s.Maps.Maps) == 0 {
		return fmt.Errorf("%s: no maps; give at least one", s.kind)
	}
	s.Columns = cmp.Or(s.Columns, len(s.ColumnLabels), min(4, len(s.Maps.Maps)))
	if s.Columns < 1 || s.Columns > len(s.Maps.Maps) {
		return fmt.Errorf("%s: %d columns for %d maps; use 1 to %d", s.kind, s.Columns, len(s.Maps.Maps),
			len(s.Maps.Maps))
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
		most := math.MaxInt // other figures have numbers for each cell beside the map, and make it coarser themselves
		if s.kind == "maps" || s.kind == "map" {
			most = mostCells
		}
		t, err := m.read(most)
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

// explain puts before the note what the signs in the maps mean.
func (s *atlas) explain() {
	for _, sign := range []struct {
		text string
		has  func(*tile) bool
	}{
		{"Hatched over the colour: held out.", func(t *tile) bool { return t.held && !t.pale() }},
		{"Pale: held out.", func(t *tile) bool { return t.held && t.pale() }},
	} {
		if s.first(sign.has) != nil {
			s.Note = strings.TrimSpace(sign.text + " " + s.Note)
		}
	}
	if t := s.first(func(t *tile) bool { return t.side > 1 }); t != nil {
		s.Note = strings.TrimSpace(means(t.side) + s.Note)
	}
	var missing []string
	low := 0
	for _, t := range s.tiles {
		low += t.low
		if text := cmp.Or(t.Missing, "no value"); t.missing && !slices.Contains(missing, text) {
			missing = append(missing, text)
		}
	}
	if low > 0 {
		missing = append(missing, some(low, "cell", " of 0 or less, which a logarithmic scale cannot show"))
	}
	if missing != nil {
		s.Note = strings.TrimSpace("Grey: " + strings.Join(missing, "; ") + ". " + s.Note)
	}
}

// at adds to an error which map it is about.
func (s *atlas) at(k int, err error) error {
	if s.kind != "maps" {
		return fmt.Errorf("%s: %w", s.kind, err)
	}
	return fmt.Errorf("maps: map %d (row %d, column %d): %w", k+1, k/s.Columns+1, k%s.Columns+1, err)
}

// shareColours resolves each scale once, over the values of all its maps, and makes its colour bar.
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
			values = append(values, t.shown())
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
			for _, v := range t.shown() {
				if c.Log && v <= 0 {
					t.low++
				}
			}
			inRow = inRow && t.row == b.row
		}
		b.vertical = len(s.tiles) == 1 || inRow && s.rows > 1
		if !scale.NoBar {
			s.bars = append(s.bars, b)
		}
	}
	for _, c := range all {
		// Together with the colours of the letters, a PNG then has at most 256 colours.
		c.levels = max(40, 200/len(palettes))
	}
	return nil
}
