package viz

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// decide outlines the cells whose value is at least t.sure. The line is dark with a white rim, so that it shows on
// every colour.
func (t *tile) decide(box draw.Canvas) {
	if t.sure == 0 {
		return
	}
	sure := func(j int) bool { return !t.blank(j) && t.z[j] >= t.sure }
	var path vg.Path
	if t.regions != nil {
		path = t.limits(box, sure)
	} else {
		path = t.edges(box.Rectangle, sure)
	}
	box.Push()
	box.Translate(vg.Point{}) // marks the outline, as in inside: maps.js redraws it for other thresholds
	for _, line := range []draw.LineStyle{{Color: overDark, Width: px(3.6)}, {Color: overLight, Width: px(1.8)}} {
		box.SetLineStyle(line)
		box.Stroke(path)
	}
	box.Pop()
}

// edges returns the edges between cells that are in and cells that are not. Edges that continue each other are joined.
func (t *tile) edges(box vg.Rectangle, in func(j int) bool) vg.Path {
	w, h := box.Size().X/vg.Length(t.cols), box.Size().Y/vg.Length(t.rows)
	has := func(c, r int) bool { return c >= 0 && r >= 0 && c < t.cols && r < t.rows && in(r*t.cols+c) }
	var path vg.Path
	scan := func(along, across int, differ func(i, k int) bool, at func(i, k int) vg.Point) {
		for k := range across + 1 {
			for i := 0; i < along; i++ {
				from := i
				for i < along && differ(i, k) {
					i++
				}
				if i > from {
					path.Move(at(from, k))
					path.Line(at(i, k))
				}
			}
		}
	}
	scan(t.cols, t.rows, func(c, r int) bool { return has(c, r-1) != has(c, r) },
		func(c, r int) vg.Point {
			return vg.Point{X: box.Min.X + vg.Length(c)*w, Y: box.Max.Y - vg.Length(r)*h}
		})
	scan(t.rows, t.cols, func(r, c int) bool { return has(c-1, r) != has(c, r) },
		func(r, c int) vg.Point {
			return vg.Point{X: box.Min.X + vg.Length(c)*w, Y: box.Max.Y - vg.Length(r)*h}
		})
	return path
}
