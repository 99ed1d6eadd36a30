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

// Arrow is an arrow from (X, Y) to (X+DX, Y+DY) in data units: a slope, a pull.
type Arrow struct {
	Name         string // name of a line whose legend entry the arrow shares; "" means no entry
	X, Y, DX, DY float64
	Color        color.NRGBA // zero value: the colour of text
	Width        float64     // px; 0 means 2.2
}

// Arrow adds an arrow.
func (c *Chart) Arrow(a Arrow) {
	if a.Color == (color.NRGBA{}) {
		a.Color = ink
	}
	a.Width = cmp.Or(a.Width, 2.2)
	c.marks = append(c.marks, arrowMark{a})
}

type arrowMark struct{ Arrow }

// arrowHead is the length of the head in px.
const arrowHead = 11

func (m arrowMark) name() string { return m.Name }
func (m arrowMark) tips() []tip  { return nil }

func (m arrowMark) clip(axes) (mark, omitted) { return m, omitted{} }

func (m arrowMark) bounds() box { return emptyBox().add(m.X, m.Y).add(m.X+m.DX, m.Y+m.DY) }

func (m arrowMark) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	from, to := vg.Point{X: tx(m.X), Y: ty(m.Y)}, vg.Point{X: tx(m.X + m.DX), Y: ty(m.Y + m.DY)}
	m.stroke(c, from, to, c.ClipLinesXY([]vg.Point{from, to}), c.Contains(to))
}

// stroke paints the shaft, which is clipped to the canvas, and the head if tip reports that the arrow ends inside.
func (m arrowMark) stroke(c draw.Canvas, from, to vg.Point, shaft [][]vg.Point, tip bool) {
	length := math.Hypot(float64(to.X-from.X), float64(to.Y-from.Y))
	if length == 0 {
		return
	}
	head := math.Min(float64(px(arrowHead)), length)
	u := vg.Point{X: (to.X - from.X) / vg.Length(length), Y: (to.Y - from.Y) / vg.Length(length)}
	back := func(along, across float64) vg.Point {
		return vg.Point{X: to.X - u.X*vg.Length(along) - u.Y*vg.Length(across),
			Y: to.Y - u.Y*vg.Length(along) + u.X*vg.Length(across)}
	}
	if tip && len(shaft) == 1 {
		shaft[0][len(shaft[0])-1] = back(0.7*head, 0) // the shaft must not blunt the tip
	}
	c.StrokeLines(draw.LineStyle{Color: m.Color, Width: px(m.Width)}, shaft...)
	if tip {
		c.FillPolygon(m.Color, []vg.Point{to, back(head, 0.42*head), back(0.7*head, 0), back(head, -0.42*head)})
	}
}

func (m arrowMark) legendKey(c draw.Canvas) {
	from, to := vg.Point{X: c.Min.X, Y: c.Center().Y}, vg.Point{X: c.Max.X, Y: c.Center().Y}
	m.stroke(c, from, to, [][]vg.Point{{from, to}}, true)
}

// series returns a marked line on a series without data, because no other lines of ECharts have heads.
func (m arrowMark) series(x, y func(float64) float64) []series {
	rgb, opacity := hex(m.Color)
	end := func(atX, atY float64) map[string][2]float64 {
		return map[string][2]float64{"coord": {x(atX), y(atY)}}
	}
	return []series{{
		Name: m.Name, Type: "line", Data: [][]float64{}, Symbol: "none", Color: rgb,
		LineStyle: &opts.LineStyle{Color: rgb, Width: float32(m.Width)},
		MarkLines: &opts.MarkLines{
			Data: []any{[2]any{end(m.X, m.Y), end(m.X+m.DX, m.Y+m.DY)}},
			MarkLineStyle: opts.MarkLineStyle{
				Symbol: []string{"none", "arrow"}, SymbolSize: arrowHead, Label: &opts.Label{Show: opts.Bool(false)},
				LineStyle: &opts.LineStyle{Color: rgb, Width: float32(m.Width), Type: "solid",
					Opacity: opts.Float(float32(opacity))},
			},
		},
	}}
}
