package viz

import (
	"image/color"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Band fills the area between low and high over x.
func (c *Chart) Band(name string, x, low, high []float64, fill color.NRGBA) {
	c.marks = append(c.marks, bandMark{name, x, low, high, fill})
}

type bandMark struct {
	label        string
	x, low, high []float64
	fill         color.NRGBA
}

func (m bandMark) name() string { return m.label }

func (m bandMark) bounds() box {
	b := emptyBox()
	for i := range m.x {
		b = b.add(m.x[i], m.low[i]).add(m.x[i], m.high[i])
	}
	return b
}

func (m bandMark) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var pts []vg.Point
	for i := range m.x {
		pts = append(pts, vg.Point{X: tx(m.x[i]), Y: ty(m.low[i])})
	}
	for i := len(m.x) - 1; i >= 0; i-- {
		pts = append(pts, vg.Point{X: tx(m.x[i]), Y: ty(m.high[i])})
	}
	c.FillPolygon(m.fill, c.ClipPolygonXY(pts))
}

func (m bandMark) sample(c draw.Canvas) {
	y, h := c.Center().Y, px(5)
	c.FillPolygon(m.fill, []vg.Point{{X: c.Min.X, Y: y - h}, {X: c.Max.X, Y: y - h}, {X: c.Max.X, Y: y + h}, {X: c.Min.X, Y: y + h}})
}

// series returns a custom series whose rows are x, low, high. chart.js has its renderItem, which relies on this
// order.
func (m bandMark) series(x, y func(float64) float64) []charts.SingleSeries {
	data := make([][]float64, len(m.x))
	for i := range m.x {
		data[i] = []float64{x(m.x[i]), y(m.low[i]), y(m.high[i])}
	}
	rgb, opacity := hex(m.fill)
	return []charts.SingleSeries{{
		Name: m.label, Type: "custom", Data: data, Color: rgb,
		Encode:    &opts.Encode{X: 0, Y: []int{1, 2}},
		ItemStyle: &opts.ItemStyle{Color: rgb, Opacity: opts.Float(float32(opacity))},
	}}
}

func (m bandMark) tips() []tip { return nil }

func (m bandMark) outline() outline {
	rgb, _ := hex(m.fill)
	return outline{"band", m.label, rgb, len(m.x), head(m.x, m.low, m.high)}
}
