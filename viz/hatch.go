package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hatch draws strokes over the cells without a value, and over the colour of the cells that were held out.
func (t *tile) hatch(box draw.Canvas) {
	if !t.missing && t.low == 0 && !t.held {
		return
	}
	cell := px(t.width / float64(t.cols))
	if t.regions != nil {
		cell = px(6)
	}
	wide := min(px(1), max(px(0.5), cell/5))
	stroke := func(col color.NRGBA, every int, in func(j int) bool) {
		var path vg.Path
		if t.regions != nil {
			path = t.strokes(box, in)
		} else {
			path = t.diagonals(box.Rectangle, every, in)
		}
		if len(path) > 0 {
			box.SetLineStyle(draw.LineStyle{Color: col, Width: wide})
			box.Stroke(path)
		}
	}
	if t.missing || t.low > 0 {
		// These cells are grey already, so their lines may be about 6 px apart.
		every := int(math.Ceil(float64(px(6) / cell)))
		stroke(color.NRGBA{0xA0, 0xA0, 0xA0, 0xFF}, every, func(j int) bool { return t.absent(j) && !t.blank(j) })
	}
	if t.held && !t.pale() {
		img := t.picture()
		dark := func(j int) bool { return luminance(img.Palette[img.Pix[j]].(color.NRGBA)) < 0.45 }
		held := func(j int) bool { return t.Held[j] && !t.absent(j) && !t.blank(j) }
		stroke(overDark, 1, func(j int) bool { return held(j) && dark(j) })
		stroke(overLight, 1, func(j int) bool { return held(j) && !dark(j) })
	}
}

// luminance returns how bright a colour looks, from 0 for black to 1 for white.
func luminance(c color.NRGBA) float64 {
	return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
}

// diagonals returns parallel lines from lower left to upper right through the cells that are in. Lines that continue
// from cell to cell are joined. If every is at most 1, each cell has one line or more. If every is n > 1, as for
// small cells, one diagonal of cells in n has a line.
func (t *tile) diagonals(box vg.Rectangle, every int, in func(j int) bool) vg.Path {
	w, h := box.Size().X/vg.Length(t.cols), box.Size().Y/vg.Length(t.rows)
	at := func(c, r float64) vg.Point { // in cells from the upper left
		return vg.Point{X: box.Min.X + vg.Length(c)*w, Y: box.Max.Y - vg.Length(r)*h}
	}
	has := func(c, r int) bool {
		return c >= 0 && r >= 0 && c < t.cols && r < t.rows && in(r*t.cols+c)
	}
	var path vg.Path
	line := func(c0, r0, c1, r1 float64) {
		path.Move(at(c0, r0))
		path.Line(at(c1, r1))
	}
	k := 1
	if every <= 1 {
		k = max(1, int(w/px(7)))
	}
	for r := range t.rows {
		for c := range t.cols {
			if !has(c, r) {
				continue
			}
			if (c+r)%max(every, 1) == 0 && !has(c-1, r+1) {
				n := 1
				for has(c+n, r-n) {
					n++
				}
				line(float64(c), float64(r+1), float64(c+n), float64(r+1-n))
			}
			for i := 1; i < k; i++ {
				o := float64(i) / float64(k)
				line(float64(c), float64(r+1)-o, float64(c)+1-o, float64(r))
				line(float64(c)+o, float64(r+1), float64(c+1), float64(r)+o)
			}
		}
	}
	return path
}
