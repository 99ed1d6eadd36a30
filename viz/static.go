package viz

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// px converts CSS pixels (1/96 inch) to lengths of vg.
func px(v float64) vg.Length { return vg.Length(v * 0.75) }

// style returns a text style whose size is in pixels.
func style(size float64, bold bool, c color.Color) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: font.From(f, px(size)), YAlign: text.YTop, Handler: handler}
}

// paint draws the whole chart: title, legend, plot and note from top to bottom, so that the legend never covers data.
// It returns the plot, and the part of the canvas where its data were drawn.
func (d *drawing) paint(c draw.Canvas) (*plot.Plot, draw.Canvas) {
	c.SetColor(canvas)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, px(10), -px(14), px(8), -px(10))
	heading(&c, d.Title)
	height, _ := d.legend(c)
	c.Max.Y -= height
	footnote(&c, d.note())
	p := d.plot()
	// A label that is longer than its axis would leave the data no room.
	p.X.Label.Text = fit(p.X.Label.Text, p.X.Label.TextStyle, c.Size().X)
	p.Y.Label.Text = fit(p.Y.Label.Text, p.Y.Label.TextStyle, c.Size().Y)
	if d.Y.Log {
		// gonum centres the label, and the room for it, at half of the range. On a logarithmic axis this is near the
		// top, so the label is drawn here instead.
		label, left := p.Y.Label, c.Min.X
		p.Y.Label.Text = ""
		st := label.TextStyle
		st.Rotation += math.Pi / 2
		height, descent := label.TextStyle.Height(label.Text), label.TextStyle.FontExtents().Descent
		if label.Text != "" {
			c.Min.X += height + descent + label.Padding
		}
		defer func() {
			area := p.DataCanvas(c)
			c.FillText(st, vg.Point{X: left + height - descent, Y: area.Center().Y}, label.Text)
		}()
	}
	p.Draw(c)
	d.paintLabels(p, p.DataCanvas(c))
	return p, p.DataCanvas(c)
}

// toCanvas returns the function that puts data on a canvas. An infinite y lies one height of the canvas beyond its
// edge.
func toCanvas(c draw.Canvas, p *plot.Plot) func(x, y float64) vg.Point {
	tx, ty := p.Transforms(&c)
	return func(x, y float64) vg.Point {
		switch {
		case math.IsInf(y, 1):
			return vg.Point{X: tx(x), Y: c.Max.Y + c.Size().Y}
		case math.IsInf(y, -1):
			return vg.Point{X: tx(x), Y: c.Min.Y - c.Size().Y}
		}
		return vg.Point{X: tx(x), Y: ty(y)}
	}
}

// heading writes a title at the top of c and takes its room away.
func heading(c *draw.Canvas, title string) {
	st := style(15, true, ink)
	for _, line := range wrap(printable(title), st, c.Size().X) {
		c.FillText(st, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
		c.Max.Y -= px(22)
	}
}

// footnote writes a note at the bottom of c and takes its room away.
func footnote(c *draw.Canvas, text string) {
	st := style(11, false, soft)
	note := wrap(printable(text), st, c.Size().X)
	for i := len(note) - 1; i >= 0; i-- {
		c.FillText(st, vg.Point{X: c.Min.X, Y: c.Min.Y + px(13)}, note[i])
		c.Min.Y += px(15)
	}
	if len(note) > 0 {
		c.Min.Y += px(4)
	}
}

// plot returns the middle part of the chart: axes, grid, marks.
func (d *drawing) plot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	axis := func(a *plot.Axis, spec Axis, lo, hi float64, ticks []plot.Tick) {
		a.Min, a.Max = lo, hi
		a.Label.Text = printable(spec.Label)
		a.Label.TextStyle.Font = style(13, false, ink).Font
		a.Label.TextStyle.Color = ink
		a.Label.TextStyle.Handler = handler
		a.Label.Padding = px(5)
		a.Tick.Label.Font = style(12, false, soft).Font
		a.Tick.Label.Color = soft
		a.Tick.Marker = plot.ConstantTicks(ticks)
		a.Tick.Length = px(5)
		a.LineStyle = draw.LineStyle{Color: frame, Width: px(1)}
		a.Tick.LineStyle = a.LineStyle
		a.Padding = 0
		if spec.Log {
			a.Scale = plot.LogScale{}
		}
	}
	axis(&p.X, d.X, d.xmin, d.xmax, d.xticks)
	if d.X.named != nil {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/2, text.XRight, text.YCenter
	}
	axis(&p.Y, d.Y, d.ymin, d.ymax, d.yticks)
	p.Add(background{d})
	for _, m := range d.marks {
		p.Add(m)
	}
	return p
}

// background is what lies under the marks: stripes and the grid.
type background struct{ *drawing }

func (g background) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, s := range g.stripes {
		l, r := max(tx(s[0]), c.Min.X), min(tx(s[1]), c.Max.X)
		if l < r {
			c.FillPolygon(shade, []vg.Point{{X: l, Y: c.Min.Y}, {X: r, Y: c.Min.Y}, {X: r, Y: c.Max.Y},
				{X: l, Y: c.Max.Y}})
		}
	}
	var path vg.Path
	for _, t := range g.xticks {
		if t.Label != "" && len(g.stripes) == 0 {
			path.Move(vg.Point{X: tx(t.Value), Y: c.Min.Y})
			path.Line(vg.Point{X: tx(t.Value), Y: c.Max.Y})
		}
	}
	for _, t := range g.yticks {
		if t.Label != "" {
			path.Move(vg.Point{X: c.Min.X, Y: ty(t.Value)})
			path.Line(vg.Point{X: c.Max.X, Y: ty(t.Value)})
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: hair, Width: px(1)})
	c.Stroke(path)
}

// legend draws the entries in rows, of which it draws no more than leave room for the data, and none if lines have
// their names beside them. It returns the height that it took and the number of entries that it drew.
func (d *drawing) legend(c draw.Canvas) (height vg.Length, drawn int) {
	names := d.entries()
	if len(names) == 0 || d.labels != nil {
		return 0, 0
	}
	const row, swatch, gap, space = 20, 22, 6, 18
	rows, most := 1, max(2, int(d.Height/3/row))
	st := style(12, false, ink)
	st.YAlign = text.YCenter
	x, y := c.Min.X, c.Max.Y
	for _, name := range names {
		shown := fit(printable(name), st, c.Size().X-px(swatch+gap))
		w := px(swatch+gap) + st.Width(shown)
		if x > c.Min.X && x+w > c.Max.X {
			if rows == most {
				break
			}
			rows++
			x, y = c.Min.X, y-px(row)
		}
		box := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - px(row)},
			Max: vg.Point{X: x + px(swatch), Y: y}}}
		for _, m := range d.marks {
			if m.name() == name {
				m.legendKey(box)
			}
		}
		// Half the height of the digits below the centre looks centred.
		c.FillText(st, vg.Point{X: x + px(swatch+gap), Y: y - px(row)/2}, shown)
		x += w + px(space)
		drawn++
	}
	return c.Max.Y - y + px(row+6), drawn
}

// legendSize returns the number of rows that the legend takes at the chart's width, and its number of entries.
func (d *drawing) legendSize() (rows, drawn int) {
	c := draw.New(vgsvg.New(px(d.Width), px(d.Height)))
	h, drawn := d.legend(draw.Crop(c, px(10), -px(14), 0, 0))
	return int(h / px(20)), drawn
}

// note returns the chart's note. If the legend has no room for all names, the note contains how many it has.
func (d *drawing) note() string {
	_, drawn := d.legendSize()
	if names := len(d.entries()); drawn < names && d.labels == nil {
		return strings.TrimSpace(fmt.Sprintf("%s Legend: the first %d of %d names.", d.Note, drawn, names))
	}
	return d.Note
}
