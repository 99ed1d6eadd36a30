package viz

import (
	"cmp"
	"image/color"
	"math"

	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shape is the sign of a point.
type Shape struct {
	path    func(p *vg.Path, at vg.Point, r vg.Length)
	filled  bool
	echarts string // symbol of ECharts
	stretch float64
}

// The shapes.
var (
	Dot = Shape{filled: true, echarts: "circle", stretch: 1, path: func(p *vg.Path, at vg.Point, r vg.Length) {
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
	}}
	Ring = Shape{echarts: "emptyCircle", stretch: 1, path: Dot.path}
	// Cross is ×, the sign of the truth.
	Cross = Shape{echarts: "path://M0,1L1,0L9,8L8,9ZM8,0L9,1L1,9L0,8Z", stretch: 1,
		path: func(p *vg.Path, at vg.Point, r vg.Length) {
			p.Move(vg.Point{X: at.X - r, Y: at.Y - r})
			p.Line(vg.Point{X: at.X + r, Y: at.Y + r})
			p.Move(vg.Point{X: at.X - r, Y: at.Y + r})
			p.Line(vg.Point{X: at.X + r, Y: at.Y - r})
		}}
	// Tick is a short horizontal stroke, the sign of an observation.
	Tick = Shape{echarts: "rect", stretch: 0.25, path: func(p *vg.Path, at vg.Point, r vg.Length) {
		p.Move(vg.Point{X: at.X - r, Y: at.Y})
		p.Line(vg.Point{X: at.X + r, Y: at.Y})
	}}
)

// PointStyle is the look of points.
type PointStyle struct {
	Color  color.NRGBA
	Shape  Shape   // zero value: Dot
	Radius float64 // px; 0 means 3
	Width  float64 // px; width of the stroke of open shapes; 0 means 1.4
	Halo   bool    // a white rim, for signs that lie on other marks
}

// Points adds a sign at each (x[i], y[i]). Texts, if any, are shown under the pointer, one for each point.
func (c *Chart) Points(name string, x, y []float64, texts []string, style PointStyle) {
	if style.Shape.path == nil {
		style.Shape = Dot
	}
	style.Radius = cmp.Or(style.Radius, 3)
	style.Width = cmp.Or(style.Width, 1.4)
	told := len(x)
	if texts != nil {
		told = len(texts)
	}
	c.add(pointMark{name, x, y, texts, style}, len(x), len(y), told)
}

type pointMark struct {
	label string
	x, y  []float64
	texts []string
	PointStyle
}

func (m pointMark) name() string { return m.label }

func (m pointMark) bounds() box { return lineMark{x: m.x, y: m.y}.bounds() }

// clip leaves out the points that have no place in the frame.
func (m pointMark) clip(a axes) (mark, omitted) {
	x, y, g := a.points(m.x, m.y)
	if g == (omitted{}) {
		return m, g
	}
	texts := m.texts
	m.x, m.y, m.texts = nil, nil, nil
	for i := range x {
		if !finite(y[i]) {
			continue
		}
		m.x, m.y = append(m.x, x[i]), append(m.y, y[i])
		if texts != nil {
			m.texts = append(m.texts, texts[i])
		}
	}
	return m, g
}

// ink paints paths of signs: what is behind all signs first.
func (m pointMark) ink(c draw.Canvas, paths ...vg.Path) {
	stroke := func(style draw.LineStyle) {
		for _, path := range paths {
			c.SetLineStyle(style)
			c.Stroke(path)
		}
	}
	if m.Halo {
		width := m.Width + 2
		if m.Shape.filled {
			width = 1.8
		}
		stroke(draw.LineStyle{Color: canvas, Width: px(width)})
	}
	if !m.Shape.filled {
		stroke(draw.LineStyle{Color: m.Color, Width: px(m.Width)})
		return
	}
	c.SetColor(m.Color)
	for _, path := range paths {
		c.Fill(path)
	}
}

// Plot paints all points as one path, which keeps the SVG small. In pixels it paints a few at once, if they are opaque,
// because the time for a path grows faster than its length.
func (m pointMark) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	most := len(m.x)
	if _, pixels := c.Canvas.(pixelled); pixels && m.Color.A == 0xFF {
		most = piece
	}
	var paths []vg.Path
	n := 0
	for i := range m.x {
		at := vg.Point{X: tx(m.x[i]), Y: ty(m.y[i])}
		if !c.Contains(at) {
			continue
		}
		if n%most == 0 {
			paths = append(paths, nil)
		}
		m.Shape.path(&paths[len(paths)-1], at, px(m.Radius))
		n++
	}
	m.ink(c, paths...)
}

func (m pointMark) legendKey(c draw.Canvas) {
	var path vg.Path
	m.Shape.path(&path, c.Center(), px(m.Radius))
	m.ink(c, path)
}

func (m pointMark) series(x, y func(float64) float64) []series {
	data := make([]opts.ScatterData, len(m.x))
	for i := range m.x {
		data[i].Value = []float64{x(m.x[i]), y(m.y[i])}
		if m.texts != nil {
			data[i].Name = m.texts[i]
		}
	}
	rgb, opacity := hex(m.Color)
	size := 2 * m.Radius
	style := &opts.ItemStyle{Color: rgb, Opacity: opts.Float(float32(opacity))}
	if m.Halo && m.Shape.filled { // the border would hide the thin strokes of open shapes
		style.BorderColor, style.BorderWidth = "#fff", 0.6
		size++
	}
	return []series{{
		Name: m.label, Type: "scatter", Data: data, Color: rgb, Symbol: m.Shape.echarts,
		SymbolSize: []float64{size, size * m.Shape.stretch},
		ItemStyle:  style,
	}}
}

func (m pointMark) tips() []tip {
	out := make([]tip, len(m.texts))
	for i := range m.texts {
		out[i] = tip{m.x[i], m.y[i], m.texts[i]}
	}
	return out
}

// beyond counts the points above or below the range that the y axis was given.
func (c *Chart) beyond() int {
	n := 0
	if c.Y.Min == 0 && c.Y.Max == 0 {
		return 0
	}
	for _, m := range c.marks {
		if p, ok := m.(pointMark); ok {
			for _, y := range p.y {
				if y < c.Y.Min || y > c.Y.Max {
					n++
				}
			}
		}
	}
	return n
}
