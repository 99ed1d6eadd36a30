package viz

import (
	"image/color"

	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Band fills the area between low and high over x.
func (c *Chart) Band(name string, x, low, high []float64, fill color.NRGBA) {
	c.add(bandMark{name, x, low, high, fill}, len(x), len(low), len(high))
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

func (m bandMark) clip(a axes) (mark, omitted) {
	var g omitted
	m.x, m.low, m.high, g = a.spans(m.x, m.low, m.high)
	return m, g
}

func (m bandMark) Plot(c draw.Canvas, p *plot.Plot) {
	place := toCanvas(c, p)
	eachFiniteRun(m.high, func(from, to int) {
		var pts []vg.Point
		for i := from; i < to; i++ {
			pts = append(pts, place(m.x[i], m.low[i]))
		}
		for i := to - 1; i >= from; i-- {
			pts = append(pts, place(m.x[i], m.high[i]))
		}
		c.FillPolygon(m.fill, c.ClipPolygonXY(pts))
	})
	if bars, some := m.alone(); some {
		bars.Plot(c, p)
	}
}

// alone returns the places between gaps, where the band has no width, as bars.
func (m bandMark) alone() (bars barMark, some bool) {
	bars = barMark{label: m.label, color: m.fill, width: 4}
	eachFiniteRun(m.high, func(from, to int) {
		if to == from+1 {
			bars.x = append(bars.x, m.x[from])
			bars.low, bars.high = append(bars.low, m.low[from]), append(bars.high, m.high[from])
		}
	})
	return bars, bars.x != nil
}

func (m bandMark) legendKey(c draw.Canvas) {
	y, h := c.Center().Y, px(5)
	c.FillPolygon(m.fill, []vg.Point{{X: c.Min.X, Y: y - h}, {X: c.Max.X, Y: y - h}, {X: c.Max.X, Y: y + h},
		{X: c.Min.X, Y: y + h}})
}

// series returns a custom series for each part of the band between gaps. Its rows are x, low, high. chart.js has its
// renderItem, which relies on this order.
func (m bandMark) series(x, y func(float64) float64) (all []series) {
	rgb, opacity := hex(m.fill)
	eachFiniteRun(m.high, func(from, to int) {
		data := make([][]float64, 0, to-from)
		for i := from; i < to; i++ {
			data = append(data, []float64{x(m.x[i]), y(m.low[i]), y(m.high[i])})
		}
		all = append(all, series{
			Name: m.label, Type: "custom", Data: data, Color: rgb,
			Encode:    &opts.Encode{X: 0, Y: []int{1, 2}},
			ItemStyle: &opts.ItemStyle{Color: rgb, Opacity: opts.Float(float32(opacity))},
		})
	})
	if bars, some := m.alone(); some {
		all = append(all, bars.series(x, y)...)
	}
	return all
}

func (m bandMark) tips() []tip { return nil }
