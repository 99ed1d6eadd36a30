package viz

import (
	"fmt"
	"image/color"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LineStyle is the look of a line.
type LineStyle struct {
	Color  color.NRGBA
	Width  float64 // px; 0 means 1.8
	Dashed bool
	Mute   bool // does not answer the pointer
}

// Line adds a polyline through (x[i], y[i]).
func (c *Chart) Line(name string, x, y []float64, style LineStyle) {
	if style.Width == 0 {
		style.Width = 1.8
	}
	c.marks = append(c.marks, lineMark{name, x, y, style})
}

type lineMark struct {
	label string
	x, y  []float64
	LineStyle
}

func (m lineMark) name() string { return m.label }

func (m lineMark) bounds() box {
	b := emptyBox()
	for i := range m.x {
		b = b.add(m.x[i], m.y[i])
	}
	return b
}

func (m lineMark) style() draw.LineStyle {
	s := draw.LineStyle{Color: m.Color, Width: px(m.Width)}
	if m.Dashed {
		s.Dashes = []vg.Length{px(5), px(4)}
	}
	return s
}

func (m lineMark) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	pts := make([]vg.Point, len(m.x))
	for i := range m.x {
		pts[i] = vg.Point{X: tx(m.x[i]), Y: ty(m.y[i])}
	}
	c.StrokeLines(m.style(), c.ClipLinesXY(pts)...)
}

func (m lineMark) sample(c draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(m.style(), c.Min.X, y, c.Max.X, y)
}

func (m lineMark) series(x, y func(float64) float64) []charts.SingleSeries {
	data := make([][]float64, len(m.x))
	for i := range m.x {
		data[i] = []float64{x(m.x[i]), y(m.y[i])}
	}
	rgb, opacity := hex(m.Color)
	kind := "solid"
	if m.Dashed {
		kind = "dashed"
	}
	return []charts.SingleSeries{{
		Name: m.label, Type: "line", Data: data, Symbol: "none", Color: rgb,
		LineStyle: &opts.LineStyle{Color: rgb, Width: float32(m.Width), Type: kind, Opacity: opts.Float(float32(opacity))},
	}}
}

func (m lineMark) tips() []tip {
	if m.Mute || len(m.x) > 400 {
		return nil
	}
	out, place := make([]tip, len(m.x)), coordinates(m.x)
	for i := range m.x {
		out[i] = tip{m.x[i], m.y[i], fmt.Sprintf("%s\n%s, %s", m.label, place(m.x[i]), number(m.y[i]))}
	}
	return out
}

func (m lineMark) outline() outline {
	rgb, _ := hex(m.Color)
	return outline{"line", m.label, rgb, len(m.x), head(m.x, m.y)}
}
