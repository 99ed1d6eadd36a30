package viz

import (
	"image/color"
	"math"

	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars draws upright bars from low[i] to high[i] at x[i], width px wide.
func (c *Chart) Bars(name string, x, low, high []float64, col color.NRGBA, width float64) {
	c.add(barMark{name, x, low, high, col, width}, len(x), len(low), len(high))
}

type barMark struct {
	label        string
	x, low, high []float64
	color        color.NRGBA
	width        float64
}

func (m barMark) name() string        { return m.label }
func (m barMark) bounds() box         { return bandMark{x: m.x, low: m.low, high: m.high}.bounds() }
func (m barMark) tips() []tip         { return nil }
func (m barMark) pen() draw.LineStyle { return draw.LineStyle{Color: m.color, Width: px(m.width)} }

// clip leaves out the bars that have no place in the frame.
func (m barMark) clip(a axes) (mark, omitted) {
	x, low, high, g := a.spans(m.x, m.low, m.high)
	m.x, m.low, m.high = nil, nil, nil
	for i := range x {
		if !math.IsNaN(high[i]) {
			m.x, m.low, m.high = append(m.x, x[i]), append(m.low, low[i]), append(m.high, high[i])
		}
	}
	return m, g
}

// Plot strokes all bars as one path, which keeps the SVG small.
func (m barMark) Plot(c draw.Canvas, p *plot.Plot) {
	place := toCanvas(c, p)
	var path vg.Path
	for i := range m.x {
		from, to := place(m.x[i], m.low[i]), place(m.x[i], m.high[i])
		x, lo, hi := from.X, max(from.Y, c.Min.Y), min(to.Y, c.Max.Y)
		if c.ContainsX(x) && lo <= hi {
			path.Move(vg.Point{X: x, Y: lo})
			path.Line(vg.Point{X: x, Y: hi})
		}
	}
	c.SetLineStyle(m.pen())
	c.Stroke(path)
}

func (m barMark) legendKey(c draw.Canvas) {
	// Bars wider than 2 px are the inner interval, so they are also shorter in the legend.
	h := px(8)
	if m.width > 2 {
		h = px(4)
	}
	x, y, pen := c.Center().X, c.Center().Y, m.pen()
	pen.Width = min(pen.Width, px(12)) // the bars of a rootogram are wider than the sign
	c.StrokeLine2(pen, x, y-h, x, y+h)
}

// series returns one line with a gap after each bar.
func (m barMark) series(x, y func(float64) float64) []series {
	var data [][]any
	for i := range m.x {
		at := x(m.x[i])
		data = append(data, []any{at, y(m.low[i])}, []any{at, y(m.high[i])}, []any{at, nil})
	}
	rgb, opacity := hex(m.color)
	return []series{{
		Name: m.label, Type: "line", Data: data, Symbol: "circle", ShowSymbol: opts.Bool(false), Color: rgb,
		LineStyle: &opts.LineStyle{Color: rgb, Width: float32(m.width), Opacity: opts.Float(float32(opacity))},
	}}
}
