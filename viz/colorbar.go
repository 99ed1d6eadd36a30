package viz

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// point is the length in px of the arrowhead which shows that values lie beyond an end of a bar.
const point = 7

// bar is the colour bar of a scale.
type bar struct {
	*colours
	tiles         []*tile
	row           int
	vertical      bool // the bar stands on the right of its row
	left, top     float64
	width, height float64
	ticks         []plot.Tick
}

// put gives the bar a rectangle, less the room for the arrowheads at its ends.
func (b *bar) put(left, top, width, height float64) {
	low, high := 0.0, 0.0
	if b.below {
		low = point
	}
	if b.above {
		high = point
	}
	if b.vertical {
		top, height = top+high, height-high-low
	} else {
		left, width = left+low, width-high-low
	}
	b.left, b.top, b.width, b.height = left, top, width, height
	if b.vertical {
		b.ticks = b.tick(height, 34)
	} else {
		b.ticks = b.tick(width, 52)
	}
}

// room returns the width in px that a bar on the right takes.
func (b *bar) room() float64 {
	room := 14 + 13 + 6 + b.widest(b.tick(300, 34))
	if b.Label != "" {
		room += 22
	}
	return room
}

// labelRoom returns the length that the label may have.
func (b *bar) labelRoom() vg.Length {
	if b.vertical {
		return px(b.height)
	}
	return px(b.width + 40)
}

// widest returns the width in px of the widest label of the ticks.
func (b *bar) widest(ticks []plot.Tick) float64 {
	w := vg.Length(0)
	for _, t := range ticks {
		w = max(w, style(11, false, soft).Width(printable(t.Label)))
	}
	return float64(w / px(1))
}

// strip returns the bar as an image, with low values at the left or below.
func (b *bar) strip() *image.Paletted {
	n := b.levels
	r := image.Rect(0, 0, n, 1)
	if b.vertical {
		r = image.Rect(0, 0, 1, n)
	}
	img := image.NewPaletted(r, make(color.Palette, n))
	for i := range n {
		img.Palette[i] = b.Palette(b.tone(float64(i) / float64(n-1)))
		img.Pix[i] = uint8(i)
		if b.vertical {
			img.Pix[i] = uint8(n - 1 - i)
		}
	}
	return img
}

func (b *bar) paint(c draw.Canvas) {
	box := area(c, b.left, b.top, b.width, b.height)
	raster(box, b.strip())
	border(box)
	b.ends(box)
	st := style(11, false, soft)
	line := draw.LineStyle{Color: frame, Width: px(1)}
	free := vg.Length(math.Inf(-1))
	for _, t := range b.ticks {
		at := vg.Length(b.share(t.Value))
		if at < -1e-9 || at > 1+1e-9 {
			continue
		}
		name := printable(t.Label)
		if b.vertical {
			y := box.Min.Y + at*box.Size().Y
			c.StrokeLine2(line, box.Max.X, y, box.Max.X+px(3), y)
			if name != "" && y-px(6) > free {
				st.YAlign = text.YCenter
				c.FillText(st, vg.Point{X: box.Max.X + px(6), Y: y}, name)
				free = y + px(7)
			}
			continue
		}
		x := box.Min.X + at*box.Size().X
		c.StrokeLine2(line, x, box.Min.Y, x, box.Min.Y-px(3))
		if half := st.Width(name) / 2; name != "" && x-half > free {
			st.XAlign, st.YAlign = text.XCenter, text.YTop
			c.FillText(st, vg.Point{X: x, Y: box.Min.Y - px(4)}, name)
			free = x + half + px(6)
		}
	}
	st = style(12, false, ink)
	st.XAlign = text.XCenter
	if b.vertical {
		st.Rotation = math.Pi / 2
		c.FillText(st, vg.Point{X: box.Max.X + px(10+b.widest(b.ticks)), Y: box.Center().Y},
			fit(printable(b.Label), style(12, false, ink), b.labelRoom()))
		return
	}
	c.FillText(st, vg.Point{X: box.Center().X, Y: box.Min.Y - px(20)},
		fit(printable(b.Label), style(12, false, ink), b.labelRoom()))
}

// ends draws an arrowhead at each end of the bar beyond which values lie.
func (b *bar) ends(box draw.Canvas) {
	arrow := func(share float64, tip, one, two vg.Point) {
		box.FillPolygon(b.Palette(b.tone(share)), []vg.Point{tip, one, two})
	}
	mid, by := box.Center(), px(point)
	lower, upper := vg.Point{X: box.Max.X, Y: box.Min.Y}, vg.Point{X: box.Min.X, Y: box.Max.Y}
	switch {
	case b.vertical && b.below:
		arrow(0, vg.Point{X: mid.X, Y: box.Min.Y - by}, box.Min, lower)
	case b.below:
		arrow(0, vg.Point{X: box.Min.X - by, Y: mid.Y}, box.Min, upper)
	}
	switch {
	case b.vertical && b.above:
		arrow(1, vg.Point{X: mid.X, Y: box.Max.Y + by}, box.Max, upper)
	case b.above:
		arrow(1, vg.Point{X: box.Max.X + by, Y: mid.Y}, box.Max, lower)
	}
}
