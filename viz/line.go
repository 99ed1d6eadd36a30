package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"strings"

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
	style.Width = cmp.Or(style.Width, 1.8)
	c.add(lineMark{label: name, x: x, y: y, LineStyle: style}, len(x), len(y))
}

// thinned adds a line of many points. fewer makes a line of few points of it that looks the same on an axis that is
// logarithmic or not. Gaps are counted before.
func (c *Chart) thinned(name string, x, y []float64, style LineStyle, fewer thinner) {
	c.Line(name, x, y, style)
	m := c.marks[len(c.marks)-1].(lineMark)
	m.fewer = fewer
	c.marks[len(c.marks)-1] = m
}

type lineMark struct {
	label string
	x, y  []float64
	LineStyle
	fewer thinner // nil: all points are drawn
	dates bool    // x are dates
}

// thinner makes a line of few points, for an x axis that is logarithmic or not.
type thinner func(x, y []float64, log bool) (fx, fy []float64)

func (m lineMark) name() string { return m.label }

func (m lineMark) bounds() box {
	b := emptyBox()
	for i := range m.x {
		b = b.add(m.x[i], m.y[i])
	}
	return b
}

func (m lineMark) clip(a axes) (mark, omitted) {
	var g omitted
	m.x, m.y, g = a.points(m.x, m.y)
	for n := len(m.y); n > 0 && math.IsNaN(m.y[n-1]); n-- {
		m.x, m.y = m.x[:n-1], m.y[:n-1]
	}
	for len(m.y) > 0 && math.IsNaN(m.y[0]) {
		m.x, m.y = m.x[1:], m.y[1:]
	}
	if m.fewer != nil {
		m.x, m.y = m.fewer(m.x, m.y, a.logX)
	}
	m.dates = a.dates
	if m.Mute {
		g = omitted{} // it decorates a mark that is counted
	}
	return m, g
}

func (m lineMark) style() draw.LineStyle {
	s := draw.LineStyle{Color: m.Color, Width: px(m.Width)}
	if m.Dashed {
		s.Dashes = []vg.Length{px(5), px(4)}
	}
	return s
}

func (m lineMark) Plot(c draw.Canvas, p *plot.Plot) {
	place := toCanvas(c, p)
	eachFiniteRun(m.y, func(from, to int) {
		pts := make([]vg.Point, 0, to-from)
		for i := from; i < to; i++ {
			pts = append(pts, place(m.x[i], m.y[i]))
		}
		c.StrokeLines(m.style(), c.ClipLinesXY(pts)...)
	})
	if dots, some := m.alone(); some {
		dots.Plot(c, p)
	}
}

// alone returns the values between gaps, which no stroke shows, as dots.
func (m lineMark) alone() (dots pointMark, some bool) {
	dots = pointMark{label: m.label, PointStyle: PointStyle{Color: m.Color, Shape: Dot, Radius: max(1.5, 0.9*m.Width)}}
	eachFiniteRun(m.y, func(from, to int) {
		if to == from+1 && finite(m.y[from]) {
			dots.x, dots.y = append(dots.x, m.x[from]), append(dots.y, m.y[from])
		}
	})
	return dots, dots.x != nil
}

func (m lineMark) legendKey(c draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(m.style(), c.Min.X, y, c.Max.X, y)
}

func (m lineMark) series(x, y func(float64) float64) []series {
	data := make([]any, len(m.x))
	for i := range m.x {
		switch v := m.y[i]; {
		case math.IsNaN(m.x[i]):
			data[i] = []any{nil, nil}
		case math.IsNaN(v):
			data[i] = opts.LineData{Name: "no value", Value: []any{x(m.x[i]), nil}}
		case math.IsInf(v, 0): // its place at the frame must not be read as its value
			data[i] = opts.LineData{Name: strings.Replace(number(v), "Inf", "∞", 1), Value: []any{x(m.x[i]), y(v)}}
		default:
			data[i] = []float64{x(m.x[i]), y(v)}
		}
	}
	rgb, opacity := hex(m.Color)
	kind := "solid"
	if m.Dashed {
		kind = "dashed"
	}
	all := []series{{
		Name: m.label, Type: "line", Data: data, Symbol: "none", Color: rgb,
		LineStyle: &opts.LineStyle{Color: rgb, Width: float32(m.Width), Type: kind,
			Opacity: opts.Float(float32(opacity))},
	}}
	if dots, some := m.alone(); some {
		all = append(all, dots.series(x, y)...)
	}
	return all
}

func (m lineMark) tips() []tip {
	if m.Mute || len(m.x) > 400 {
		return nil
	}
	out, place := make([]tip, 0, len(m.x)), coordinates(m.x)
	if m.dates {
		place = dateText
	}
	for i := range m.x {
		if finite(m.y[i]) {
			out = append(out, tip{m.x[i], m.y[i], fmt.Sprintf("%s\n%s, %s", m.label, place(m.x[i]), number(m.y[i]))})
		}
	}
	return out
}
