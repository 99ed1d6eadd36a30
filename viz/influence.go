package viz

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/viz/program"
)

// Influences are the effects of data on the values of cells, such as a decide.InfluenceMap.
type Influences interface {
	Dims() (data, cells int)
	// Datum returns the number of the datum in place c, its effect on cell j, and half the width of the band in which
	// effects of noise are.
	Datum(c, j int) (number int, effect, noise float64)
}

// Influence answers why a map is as it is. Where scripts run, a press on a cell lists the data that moved it most. A
// picture has the list of one cell.
type Influence struct {
	Map  Map // any map of the cells, such as the posterior mean
	Of   Influences
	Name func(datum int) string // of a datum, such as "Kano: 12 of 50"; default its number
	// whose list is shown first, in the order of [Map.Held]; default that of the largest effect
	Cell int
	Top  int // length of the list; default 5
}

// entry is a line of a list: a datum, its effect, and the noise.
type entry struct {
	number        int
	effect, noise float64
}

// Encode implements Figure.
func (v Influence) Encode(format Format) ([]byte, error) {
	if v.Of == nil || v.Map.Field == nil {
		return nil, fmt.Errorf("influence: it needs a Field in Map, and Of, such as the map of a decide.Influence")
	}
	m, _, err := v.Map.cells("influence")
	if err != nil {
		return nil, err
	}
	t, err := v.Map.read(mostCells)
	if err != nil {
		return nil, fmt.Errorf("influence: %w", err)
	}
	data, n := v.Of.Dims()
	if n != len(m.z) || data < 1 || v.Cell < 0 || v.Cell >= n || v.Top < 0 {
		return nil, fmt.Errorf("influence: %d data for %d cells, a map of %d cells, and the list of cell %d", data, n,
			len(m.z), v.Cell)
	}
	v.Top = cmp.Or(v.Top, 5)
	lists := make([][]entry, n)
	for j := range lists {
		if lists[j], err = v.list(j, data); err != nil {
			return nil, err
		}
	}
	seen := t.cells // a press on the map counts the cells of its Window
	if t.blocks != nil {
		seen = m
		if format == HTML {
			return nil, fmt.Errorf("influence: HTML of %d cells; give at most %d, or a Window", n, mostCells)
		}
	}
	if v.Cell == 0 {
		v.Cell = v.moved(seen, lists)
	}
	one := v.Map
	one.Over = append(slices.Clone(one.Over), v.mark(m))
	if format != HTML {
		one.Note = strings.TrimSpace(one.Note + " Framed cell: " + strings.Join(v.lines(lists[v.Cell]), "; ") +
			". Brackets: ± noise.")
		return one.Encode(format)
	}
	picture, err := one.Encode(HTML)
	if err != nil {
		return nil, err
	}
	return v.interactive(picture, seen, lists)
}

// list returns the largest effects on cell j.
func (v Influence) list(j, data int) ([]entry, error) {
	all := make([]entry, data)
	for c := range all {
		e := &all[c]
		if e.number, e.effect, e.noise = v.Of.Datum(c, j); !finite(e.effect) || !finite(e.noise) {
			return nil, fmt.Errorf("influence: the effect of datum %d on cell %d is %g with a noise of %g", e.number, j,
				e.effect, e.noise)
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		if math.Abs(a.effect) > math.Abs(b.effect) {
			return -1
		}
		return 1
	})
	return all[:min(v.Top, data)], nil
}

// moved returns the cell of the largest effect.
func (v Influence) moved(m *cells, lists [][]entry) (at int) {
	most := -1.0
	for i, j := range m.index {
		blank := v.Map.Blank != nil && v.Map.Blank[j]
		if e := math.Abs(lists[j][0].effect); !blank && !math.IsNaN(m.z[i]) && e > most {
			at, most = j, e
		}
	}
	return at
}

func (v Influence) lines(list []entry) []string {
	out := make([]string, len(list))
	for k, e := range list {
		out[k] = fmt.Sprintf("%s %s [%s]", v.name(e.number), signed(e.effect), number(digits3(e.noise)))
	}
	return out
}

func (v Influence) name(datum int) string {
	if v.Name == nil {
		return fmt.Sprintf("datum %d", datum)
	}
	return clean(v.Name(datum))
}

func signed(x float64) string {
	if x > 0 {
		return "+" + number(digits3(x))
	}
	return number(digits3(x))
}

// mark is a frame around the cell, or the outline of the region.
func (v Influence) mark(m *cells) Overlay {
	i := slices.Index(m.index, v.Cell)
	x, y, dx, dy := m.x+float64(i%m.cols)*m.dx, m.y+float64(i/m.cols)*m.dy, m.dx/2, m.dy/2
	rings := [][][2]float64{{{x - dx, y - dy}, {x + dx, y - dy}, {x + dx, y + dy}, {x - dx, y + dy}, {x - dx, y - dy}}}
	if m.regions != nil {
		rings = m.rings[i]
	}
	var lines segments
	for _, ring := range rings {
		var line [2][]float64
		for _, p := range ring {
			line[0], line[1] = append(line[0], p[0]), append(line[1], p[1])
		}
		lines = append(lines, line)
	}
	return Overlay{Width: 2.4, Color: color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}, Lines: lines}
}

// interactive puts the list under the map, and the program that fills it.
func (v Influence) interactive(picture []byte, m *cells, lists [][]entry) ([]byte, error) {
	id, _, _ := bytes.Cut(bytes.TrimPrefix(picture, []byte(`<div id="`)), []byte(`"`))
	u := struct {
		ID      string   `json:"id"`
		Map     string   `json:"map"`
		Effects [][]any  `json:"effects"` // of each cell in drawing order: number of the name, effect, noise, and so on
		Names   []string `json:"names"`
	}{Map: string(id)}
	place := map[int]int{}
	for _, j := range m.index {
		var row []any
		for _, e := range lists[j] {
			k, ok := place[e.number]
			if !ok {
				k = len(u.Names)
				place[e.number], u.Names = k, append(u.Names, v.name(e.number))
			}
			row = append(row, k, digits3(e.effect), digits3(e.noise))
		}
		u.Effects = append(u.Effects, row)
	}
	text, err := json.Marshal(u.Effects)
	if err != nil {
		return nil, fmt.Errorf("influence: %w", err)
	}
	u.ID = identity(picture, text)
	arg, err := json.Marshal(u)
	if err != nil {
		return nil, fmt.Errorf("influence: %w", err)
	}
	var b bytes.Buffer
	b.Write(picture)
	fmt.Fprintf(&b, `<div id="%s" class="%s" style="font:13px/1.5 'Liberation Sans',Arial,Helvetica,sans-serif;`+
		`max-width:720px"><div class="viz-cell">The framed cell is moved most by</div><table style="`+
		`border-collapse:collapse;`+`margin:4px 0">`, u.ID, plain)
	for _, e := range lists[v.Cell] {
		fmt.Fprintf(&b,
			`<tr><td style="text-align:left;padding:1px 14px 1px 0">%s</td><td style="text-align:right;padding:1px `+
				`8px">%s</td><td style="text-align:right;padding:1px 8px;opacity:.7">± %s noise</td></tr>`,
			html.EscapeString(v.name(e.number)), signed(e.effect), number(digits3(e.noise)))
	}
	b.WriteString("</table>" + program.Call(program.Influence, string(arg)) + "</div>\n")
	return b.Bytes(), nil
}
