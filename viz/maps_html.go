package viz

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/viz/program"
)

// liveMap is what maps.js needs to know of a map or of an inset.
type liveMap struct {
	Left   float64   `json:"left"`
	Top    float64   `json:"top"`
	Width  float64   `json:"width"`
	Height float64   `json:"height"`
	Row    int       `json:"row"`
	Cols   int       `json:"cols"`
	Rows   int       `json:"rows"`
	X      float64   `json:"x"`
	Y      float64   `json:"y"`
	DX     float64   `json:"dx"`
	DY     float64   `json:"dy"`
	XName  string    `json:"xname,omitempty"`
	YName  string    `json:"yname,omitempty"`
	Name   string    `json:"name,omitempty"`
	Values string    `json:"values,omitempty"`
	Held   string    `json:"held,omitempty"`
	Blank  string    `json:"blank,omitempty"`
	Tips   []liveTip `json:"tips,omitempty"`
	// Areas is true if the cells are regions, which are the paths of a group of the image. Names are theirs, or those
	// of the first map.
	Areas bool     `json:"areas,omitempty"`
	Plain bool     `json:"plain,omitempty"` // values are not shown under the pointer
	Names []string `json:"names,omitempty"`
	// Of and From belong to an inset: the index of its map, and the column and row of its first cell in that map.
	Of   *int    `json:"of,omitempty"`
	From *[2]int `json:"from,omitempty"`
}

type liveTip struct {
	Name   string   `json:"name"`
	Values string   `json:"values"`
	Words  []string `json:"words,omitempty"`
}

// html returns the image with a script that answers the pointer. It does not use ECharts, whose heat maps draw a
// rectangle for each cell. The picture is therefore the image wherever it is shown.
func (s *atlas) html(svg []byte) ([]byte, error) {
	u := struct {
		ID     string     `json:"id"`
		Width  float64    `json:"width"`
		Height float64    `json:"height"`
		Maps   []liveMap  `json:"maps"`
		Frames *mapFrames `json:"frames,omitempty"`
		Areas  bool       `json:"areas,omitempty"` // some map is of regions
	}{Width: s.width, Height: s.height, Frames: s.frames}
	id := [][]byte{svg}
	for _, t := range s.tiles {
		m := t.live()
		m.XName, m.YName = clean(cmp.Or(t.Where[0], t.XLabel)), clean(cmp.Or(t.Where[1], t.YLabel))
		m.Name = clean(cmp.Or(t.called, cmp.Or(t.inRow(s), t.colours.Label)))
		m.Values = packed(t.drawn(t.z))
		m.Plain = t.colours.plain
		u.Areas = u.Areas || m.Areas
		if t.regions != nil && (len(u.Maps) == 0 || t.regions != s.tiles[0].regions) {
			m.Names = t.names
		}
		if t.held {
			m.Held = bits(t.Held)
		}
		if t.Blank != nil {
			m.Blank = bits(t.Blank)
		}
		for _, tip := range t.Tips {
			m.Tips = append(m.Tips, liveTip{tip.Name, packed(t.drawn(tip.Values)), tip.Words})
			id = append(id, []byte(tip.Name+m.Tips[len(m.Tips)-1].Values))
		}
		at := len(u.Maps)
		u.Maps = append(u.Maps, m)
		id = append(id, []byte(m.Values))
		if n := t.inset; n != nil {
			m := n.live()
			m.Of, m.From = &at, &[2]int{n.from[0] - t.from[0], n.from[1] - t.from[1]}
			u.Maps = append(u.Maps, m)
		}
	}
	if s.frames != nil {
		id = append(id, []byte(s.frames.Values))
	}
	u.ID = identity(id...)
	arg, err := json.Marshal(u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.kind, err)
	}
	code := program.Maps
	if u.Areas {
		code = program.Areas
	}
	return element(u.ID, "", legible*s.width, s.width, svg, strings.Join(s.altText(), "; "), code, arg), nil
}

// live returns the place of the map in the figure, and the grid of its cells.
func (t *tile) live() liveMap {
	m := liveMap{Left: t.left, Top: t.top, Width: t.width, Height: t.height, Row: t.row, Cols: t.cols, Rows: t.rows}
	if m.Areas = t.regions != nil; !m.Areas {
		m.X, m.Y, m.DX, m.DY = digits(t.x), digits(t.y), digits(t.dx), digits(t.dy)
	}
	return m
}

// drawn returns the values of the cells that are not blank.
func (t *tile) drawn(z []float64) []float64 {
	if t.Blank == nil {
		return z
	}
	var out []float64
	for j, v := range z {
		if !t.Blank[j] {
			out = append(out, v)
		}
	}
	return out
}

// packed encodes values in base64, with four characters for each value. It keeps a float32 without its lowest byte,
// which leaves 17 bits or five digits.
func packed(z []float64) string {
	b := make([]byte, 0, 3*len(z))
	for _, v := range z {
		u := math.Float32bits(float32(v))
		if !math.IsNaN(v) && u&0x7fffffff < 0x7f7fff80 {
			u += 0x80 // to the nearest
		}
		b = append(b, byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// bits encodes flags in base64. The lowest bit of a byte comes first.
func bits(on []bool) string {
	b := make([]byte, (len(on)+7)/8)
	for i, v := range on {
		if v {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return base64.StdEncoding.EncodeToString(b)
}
