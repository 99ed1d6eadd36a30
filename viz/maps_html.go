package viz

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
)

//go:embed maps.js
var mapScript string

// liveMap is what maps.js needs to know of a map.
type liveMap struct {
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Row    int     `json:"row"`
	Cols   int     `json:"cols"`
	Rows   int     `json:"rows"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	DX     float64 `json:"dx"`
	DY     float64 `json:"dy"`
	XName  string  `json:"xname,omitempty"`
	YName  string  `json:"yname,omitempty"`
	Name   string  `json:"name,omitempty"`
	Values string  `json:"values"`
	Held   string  `json:"held,omitempty"`
}

// html is the image with a script that answers the pointer. It needs no ECharts,
// whose heat maps draw a rectangle for each cell: the image is the picture
// wherever it is shown.
func (s *atlas) html() ([]byte, error) {
	svg, err := vectorise(s.kind, s.width, s.height, s.words(), s.paint)
	if err != nil {
		return nil, err
	}
	u := struct {
		ID    string    `json:"id"`
		Width float64   `json:"width"`
		Maps  []liveMap `json:"maps"`
	}{Width: s.width}
	// The same figure has the same id, so that running a cell again changes
	// nothing in the saved notebook.
	h := fnv.New64a()
	h.Write(svg)
	for _, t := range s.tiles {
		m := liveMap{
			Left: t.left, Top: t.top, Width: t.width, Height: t.height, Row: t.row, Cols: t.cols, Rows: t.rows,
			X: t.x, Y: t.y, DX: t.dx, DY: t.dy, XName: clean(t.XLabel), YName: clean(t.YLabel),
			Name: clean(nonEmpty(t.inRow(s), t.colours.Label)), Values: packed(t.z),
		}
		if t.held {
			m.Held = bits(t.Held)
		}
		u.Maps = append(u.Maps, m)
		h.Write([]byte(m.Values))
	}
	u.ID = fmt.Sprintf("viz-%x", h.Sum64())
	arg, err := json.Marshal(u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.kind, err)
	}
	return element(u.ID, "", s.width, svg, strings.Join(s.words(), "; "), mapScript, arg), nil
}

// packed are values as float32 without the lowest byte, which leaves 17 bits or
// five digits, in base64: four characters a value.
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

// bits are flags in base64, the lowest bit of a byte first.
func bits(on []bool) string {
	b := make([]byte, (len(on)+7)/8)
	for i, v := range on {
		if v {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return base64.StdEncoding.EncodeToString(b)
}
