package viz

import "image/color"

// outline is a mark as numbers.
type outline struct {
	Mark   string  `json:"mark"`
	Name   string  `json:"name,omitempty"`
	Color  string  `json:"color"`
	Points int     `json:"points"`
	First  [][]any `json:"first"`
}

// outlineOf returns the numeric rendering of a mark, with its first three points.
func outlineOf(m mark) outline {
	of := func(kind string, c color.NRGBA, n int, rows ...[]float64) outline {
		rgb, _ := hex(c)
		o := outline{Mark: kind, Name: m.name(), Color: rgb, Points: n}
		for i := range min(3, len(rows[0])) {
			r := make([]any, len(rows))
			for j := range rows {
				if r[j] = digits(rows[j][i]); !finite(rows[j][i]) {
					r[j] = number(rows[j][i])
				}
			}
			o.First = append(o.First, r)
		}
		return o
	}
	switch m := m.(type) {
	case arrowMark:
		return of("arrow", m.Color, 1, []float64{m.X}, []float64{m.Y}, []float64{m.X + m.DX}, []float64{m.Y + m.DY})
	case bandMark:
		return of("band", m.fill, len(m.x), m.x, m.low, m.high)
	case barMark:
		return of("bars", m.color, len(m.x), m.x, m.low, m.high)
	case lineMark:
		return of("line", m.Color, len(m.x), m.x, m.y)
	case pointMark:
		return of("points", m.Color, len(m.x), m.x, m.y)
	}
	panic("a mark without an outline")
}
