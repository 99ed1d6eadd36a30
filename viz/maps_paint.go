package viz

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// area returns a part of the canvas. Its place and size are in px, counted from the upper left.
func area(c draw.Canvas, left, top, width, height float64) draw.Canvas {
	return draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: c.Min.X + px(left), Y: c.Max.Y - px(top+height)},
		Max: vg.Point{X: c.Min.X + px(left+width), Y: c.Max.Y - px(top)},
	}}
}

func border(box draw.Canvas) {
	box.SetLineStyle(draw.LineStyle{Color: frame, Width: px(0.75)})
	box.Stroke(box.Rectangle.Path())
}

// raster draws an image with sharp edges between its pixels. The canvas of PNGs would smooth the edges, so raster
// sets the pixels there itself. In SVGs svg asks for sharp edges.
func raster(box draw.Canvas, img *image.Paletted) {
	if _, svg := box.Canvas.(*vgsvg.Canvas); !svg {
		// other formats have a white ground, with which transparent colours are mixed
		flat := slices.Clone(img.Palette)
		for i, c := range flat {
			if c := c.(color.NRGBA); c.A < 0xFF {
				flat[i] = mix(canvas, color.NRGBA{c.R, c.G, c.B, 0xFF}, float64(c.A)/0xFF)
			}
		}
		img = &image.Paletted{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect, Palette: flat}
	}
	target, ok := box.Canvas.(pixelled)
	if !ok {
		box.DrawImage(box.Rectangle, img)
		return
	}
	dst, dpi := target.Image().(*image.RGBA), target.DPI()
	colors := make([]color.RGBA, len(img.Palette))
	for i, c := range img.Palette {
		colors[i] = color.RGBAModel.Convert(c).(color.RGBA)
	}
	h := float64(dst.Bounds().Dy())
	x0, x1 := box.Min.X.Dots(dpi), box.Max.X.Dots(dpi)
	y0, y1 := h-box.Max.Y.Dots(dpi), h-box.Min.Y.Dots(dpi)
	size := img.Bounds().Size()
	for y := int(math.Round(y0)); y < int(math.Round(y1)); y++ {
		r := int(clamp((float64(y)+0.5-y0)/(y1-y0)*float64(size.Y), 0, float64(size.Y-1)))
		for x := int(math.Round(x0)); x < int(math.Round(x1)); x++ {
			k := int(clamp((float64(x)+0.5-x0)/(x1-x0)*float64(size.X), 0, float64(size.X-1)))
			dst.SetRGBA(x, y, colors[img.ColorIndexAt(k, r)])
		}
	}
}

func (s *atlas) paint(c draw.Canvas) {
	c.SetColor(canvas)
	c.Fill(c.Rectangle.Path())
	inner := draw.Crop(c, px(rim), -px(rim), px(4), -px(8))
	heading(&inner, s.Title)
	footnote(&inner, s.Note)
	st := style(13, true, ink)
	st.XAlign = text.XCenter
	for k, name := range s.ColumnLabels {
		if t := s.first(func(t *tile) bool { return t.col == k }); t != nil {
			box := area(c, t.left, t.top, t.width, t.height)
			c.FillText(st, vg.Point{X: box.Center().X, Y: inner.Max.Y},
				fit(printable(name), style(13, true, ink), box.Size().X))
		}
	}
	for k, name := range s.RowLabels {
		if t := s.first(func(t *tile) bool { return t.row == k }); t != nil {
			box := area(c, rim, t.top, t.width, t.height)
			side := st
			side.Rotation = math.Pi / 2
			c.FillText(side, vg.Point{X: box.Min.X - px(2), Y: box.Center().Y},
				fit(printable(name), style(13, true, ink), box.Size().Y))
		}
	}
	for _, t := range s.tiles {
		t.paint(c)
	}
	for _, b := range s.bars {
		b.paint(c)
	}
	if s.key != nil {
		s.key.paint(c, s.right()+14, s.tiles[0].top)
	}
}

func (s *atlas) first(is func(*tile) bool) *tile {
	for _, t := range s.tiles {
		if is(t) {
			return t
		}
	}
	return nil
}

func (t *tile) paint(c draw.Canvas) {
	box := area(c, t.left, t.top, t.width, t.height)
	t.inside(box)
	border(box)
	t.paintInset(c)
	if t.Title != "" {
		st := style(12, false, ink)
		st.XAlign = text.XCenter
		c.FillText(st, vg.Point{X: box.Center().X, Y: box.Max.Y + px(17)},
			fit(printable(t.Title), style(12, false, ink), box.Size().X))
	}
	if t.axes() {
		box.Push()
		box.Scale(1, 1) // marks the axes for maps.js, as in paintInset
		t.axis(box)
		box.Pop()
	}
}

// inside paints the cells and what lies over them.
func (t *tile) inside(box draw.Canvas) {
	box.Push()
	box.Translate(vg.Point{}) // marks for maps.js what it enlarges
	if t.regions != nil {
		t.fill(box)
	} else {
		raster(box, t.picture())
	}
	t.hatch(box)
	t.overlays(box)
	t.decide(box)
	t.frameInset(box)
	box.Pop()
}

// ticks puts round numbers on the axes.
func (t *tile) ticks() {
	if !t.axes() {
		return
	}
	xlo, xhi, ylo, yhi := t.extent()
	t.xticks = linearTicks(xlo, xhi, max(2, int(t.width/70)))
	t.yticks = linearTicks(min(ylo, yhi), max(ylo, yhi), max(2, int(t.height/50)))
}

// extent returns the coordinates of the map's edges.
func (t *tile) extent() (left, right, top, bottom float64) {
	if t.regions != nil {
		return t.part.XMin, t.part.XMax, t.part.YMax, t.part.YMin
	}
	return t.x - t.dx/2, t.x + (float64(t.cols)-0.5)*t.dx, t.y - t.dy/2, t.y + (float64(t.rows)-0.5)*t.dy
}

// axisRoom returns the width in px of the y axis with its ticks and label. Coordinates in metres need more of it.
func (t *tile) axisRoom() float64 {
	_, _, top, bottom := t.extent()
	wide := 0.0
	for _, k := range linearTicks(min(top, bottom), max(top, bottom), largest/50) {
		wide = max(wide, float64(style(11, false, soft).Width(k.Label)/px(1)))
	}
	return axisLeft + math.Ceil(max(0, wide-axisWidth))
}

func (t *tile) axis(box draw.Canvas) {
	left, right, top, bottom := t.extent()
	line := draw.LineStyle{Color: frame, Width: px(1)}
	st := style(11, false, soft)
	st.XAlign = text.XCenter
	for _, k := range t.xticks {
		x := box.Min.X + vg.Length((k.Value-left)/(right-left))*box.Size().X
		box.StrokeLine2(line, x, box.Min.Y, x, box.Min.Y-px(4))
		box.FillText(st, vg.Point{X: x, Y: box.Min.Y - px(5)}, printable(k.Label))
	}
	st.XAlign, st.YAlign = text.XRight, text.YCenter
	for _, k := range t.yticks {
		y := box.Max.Y - vg.Length((k.Value-top)/(bottom-top))*box.Size().Y
		box.StrokeLine2(line, box.Min.X, y, box.Min.X-px(4), y)
		box.FillText(st, vg.Point{X: box.Min.X - px(7), Y: y}, printable(k.Label))
	}
	st = style(12, false, ink)
	plain := st
	st.XAlign = text.XCenter
	box.FillText(st, vg.Point{X: box.Center().X, Y: box.Min.Y - px(22)}, fit(printable(t.XLabel), plain, box.Size().X))
	st.Rotation, st.YAlign = math.Pi/2, text.YTop
	box.FillText(st, vg.Point{X: box.Min.X - px(t.axisRoom()-2), Y: box.Center().Y},
		fit(printable(t.YLabel), plain, box.Size().Y))
}
