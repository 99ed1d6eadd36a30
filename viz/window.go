package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Window is a part of a map, in the coordinates of its Field.
type Window struct{ XMin, XMax, YMin, YMax float64 }

// Inset is an enlarged part of a map in its lower left corner, with the same colours and lines. On a map of regions it
// is in the corner that it covers least of.
type Inset struct {
	Window Window
	Title  string
}

// read returns the inset as a tile of its own. v is the map around the inset, and around its tile.
func (n Inset) read(v Map, around *tile) (*tile, error) {
	v.Inset, v.Window, v.Title, v.XLabel, v.YLabel, v.Tips = nil, Window{}, n.Title, "", "", nil
	t := &tile{Map: v, cells: new(cells)}
	*t.cells = *around.cells
	t.Held, t.Blank = around.Held, around.Blank
	if err := t.crop(n.Window); err != nil {
		return nil, fmt.Errorf("inset: %w", err)
	}
	for j := range t.z {
		t.missing = t.missing || math.IsNaN(t.z[j]) && !t.blank(j)
		t.held = t.held || t.Held != nil && t.Held[j] && !t.blank(j)
	}
	return t, nil
}

// crop keeps only the cells that lie in a window, completely or in part.
func (t *tile) crop(w Window) error {
	if !(w.XMin < w.XMax && w.YMin < w.YMax) {
		return fmt.Errorf("window %g to %g by %g to %g; give XMin below XMax and YMin below YMax", w.XMin, w.XMax,
			w.YMin, w.YMax)
	}
	if t.regions != nil {
		if !t.box.meets(w) {
			return fmt.Errorf("window %g to %g by %g to %g has no region of the map", w.XMin, w.XMax, w.YMin, w.YMax)
		}
		t.part = w
		return nil
	}
	// A cell that a window only touches is not in it.
	span := func(lo, hi, first, step float64, n int) (from, to int) {
		a, b := (lo-first)/step+0.5, (hi-first)/step+0.5
		a, b = min(a, b), max(a, b)
		return max(0, int(math.Floor(a+1e-6))), min(n, int(math.Ceil(b-1e-6)))
	}
	c0, c1 := span(w.XMin, w.XMax, t.x, t.dx, t.cols)
	r0, r1 := span(w.YMin, w.YMax, t.y, t.dy, t.rows)
	if c0 >= c1 || r0 >= r1 {
		return fmt.Errorf("window %g to %g by %g to %g has no cell of the map", w.XMin, w.XMax, w.YMin, w.YMax)
	}
	part := func(n int) []int { // indices of the kept cells, row after row
		var keep []int
		for r := r0; r < r1; r++ {
			for c := c0; c < c1; c++ {
				keep = append(keep, r*n+c)
			}
		}
		return keep
	}(t.cols)
	t.cells = &cells{
		cols: c1 - c0, rows: r1 - r0, x: t.x + float64(c0)*t.dx, y: t.y + float64(r0)*t.dy, dx: t.dx, dy: t.dy,
		z: pick(t.z, part), index: pick(t.index, part), from: [2]int{t.from[0] + c0, t.from[1] + r0},
	}
	t.Held, t.Blank = pick(t.Held, part), pick(t.Blank, part)
	t.Tips = slices.Clone(t.Tips)
	for k := range t.Tips {
		t.Tips[k].Values = pick(t.Tips[k].Values, part)
	}
	return nil
}

// hidden marks the cells that are blank, and those of which nothing lies in the Window. It may return nil for none.
func (v Map) hidden(m *cells, blank []bool) []bool {
	t := &tile{cells: m}
	if v.Window == (Window{}) || t.crop(v.Window) != nil { // the layout returns the error
		return blank
	}
	out := make([]bool, len(m.z))
	for j := range out {
		if m.regions != nil {
			out[j] = !slices.ContainsFunc(m.rings[j], func(r [][2]float64) bool { return windowOf(r).meets(v.Window) })
		} else {
			c, r := j%m.cols-t.from[0], j/m.cols-t.from[1]
			out[j] = c < 0 || r < 0 || c >= t.cols || r >= t.rows
		}
		out[j] = out[j] || blank != nil && blank[j]
	}
	return out
}

// pick returns the values of the slice at the given indices. A nil slice stays nil.
func pick[T any](of []T, at []int) []T {
	if of == nil {
		return nil
	}
	out := make([]T, len(at))
	for k, j := range at {
		out[k] = of[j]
	}
	return out
}

// placeInset gives the inset its size and its place in the corner of the map.
func (t *tile) placeInset() {
	n := t.inset
	if n == nil {
		return
	}
	const margin, share = 6, 0.4
	n.row, n.col, n.colours, n.low = t.row, t.col, t.colours, t.low
	n.width = math.Round(share * t.width)
	n.height = math.Round(n.width * n.ratio())
	if most := math.Round(0.7 * t.height); n.height > most {
		n.width, n.height = math.Round(most/n.ratio()), most
	}
	n.left, n.top = t.left+margin, t.top+t.height-margin-n.height
	if t.regions == nil {
		return
	}
	covered, right, top := t.covered(n.left, n.top, n.width, n.height), t.left+t.width-margin-n.width, t.top+margin
	if n.Title != "" {
		top += 18
	}
	for _, at := range [][2]float64{{right, n.top}, {n.left, top}, {right, top}} {
		if c := t.covered(at[0], at[1], n.width, n.height); c < covered-0.02 {
			covered, n.left, n.top = c, at[0], at[1]
		}
	}
}

// frameInset draws a frame around the part of the map that its inset enlarges.
func (t *tile) frameInset(box draw.Canvas) {
	if t.inset == nil {
		return
	}
	left, right, top, bottom := t.inset.extent()
	place := t.placer(box)
	box.SetLineStyle(insetEdge)
	box.Stroke(vg.Rectangle{Min: place(left, bottom), Max: place(right, top)}.Path())
}

var insetEdge = draw.LineStyle{Color: ink, Width: px(1)}

func (t *tile) paintInset(c draw.Canvas) {
	n := t.inset
	if n == nil {
		return
	}
	c.Push()
	c.Scale(1, 1) // marks for maps.js what it hides when a map is enlarged
	box := area(c, n.left, n.top, n.width, n.height)
	box.SetColor(canvas)
	box.Fill(box.Rectangle.Path())
	n.inside(box)
	box.SetLineStyle(insetEdge)
	box.Stroke(box.Rectangle.Path())
	if n.Title != "" {
		st := style(11, true, ink)
		st.XAlign = text.XCenter
		name := fit(printable(n.Title), style(11, true, ink), box.Size().X)
		if t.regions != nil { // the ground of a name over regions
			w := st.Width(name)/2 + px(4)
			box.SetColor(canvas)
			box.Fill(vg.Rectangle{Min: vg.Point{X: box.Center().X - w, Y: box.Max.Y + px(0.5)},
				Max: vg.Point{X: box.Center().X + w, Y: box.Max.Y + px(16)}}.Path())
		}
		box.FillText(st, vg.Point{X: box.Center().X, Y: box.Max.Y + px(15)}, name)
	}
	c.Pop()
}
