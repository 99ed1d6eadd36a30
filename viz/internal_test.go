package viz

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/expfam/lab/internal/must"
)

func TestQuantile(t *testing.T) {
	// R: quantile(c(1, 2, 4, 8, 16), p, type = 7); by hand h = 4p.
	s := []float64{1, 2, 4, 8, 16}
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.025, 1.1}, {0.25, 2}, {0.5, 4}, {0.6, 5.6}, {0.975, 15.2},
		{1, 16}} {
		// A rounding error of one product and one sum.
		got := quantile(s, c.p)
		must.Be(t, math.Abs(got-c.want) <= 1e-14*16, "p = %g: %g, want %g", c.p, got, c.want)
	}
	must.Equal(t, quantile([]float64{3}, 0.975), 3, "one draw")
}

// A line of very many points has the same extremes, in few points.
func TestManyPoints(t *testing.T) {
	y := make([]float64, 1_000_000)
	y[123_456], y[654_321] = 7, -3
	c := must.Get(Lines{Lines: []Line{{Y: y}}}.Chart())(t)
	shown, _ := c.clip()
	line := shown.marks[0].(lineMark)
	n, b := len(line.x), line.bounds()
	must.Be(t, n <= mostPoints && b.ymin == -3 && b.ymax == 7 && b.xmin == 0 && b.xmax >= 999_000,
		"%d points in %v", n, b)
}

// The numbers of a y axis in metres and its label lie side by side.
func TestAxisRoom(t *testing.T) {
	room := func(first float64) float64 {
		return (&tile{cells: &cells{cols: 1, rows: 10, dx: 1, y: first, dy: 100}}).axisRoom()
	}
	// Seven digits of 11 px, each 0.556 em wide, need 43 px.
	near, far := room(0), room(5.4e6)
	must.Be(t, near == axisLeft && far == axisLeft+math.Ceil(7*0.556*11-axisWidth), "%g px and %g px", near, far)
}

func TestTicks(t *testing.T) {
	show := func(ticks []plot.Tick) string {
		var out []string
		for _, t := range ticks {
			if t.Label != "" {
				out = append(out, t.Label)
			}
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		name, got, want string
	}{
		{"unit", show(linearTicks(0, 1, 5)), "0 0.2 0.4 0.6 0.8 1.0"},
		{"cells", show(linearTicks(0.4, 30.6, 8)), "5 10 15 20 25 30"},
		{"negative", show(linearTicks(-0.012, 0.011, 4)), "−0.01 0 0.01"},
		{"large", show(linearTicks(0, 4e6, 4)), "0 1e6 2e6 3e6 4e6"},
		{"far from zero", show(linearTicks(1000, 1000.5, 5)), "1000.0 1000.1 1000.2 1000.3 1000.4 1000.5"},
		{"metres", show(linearTicks(5.4e6, 5.401e6, 4)), "5400000 5400500 5401000"},
		{"across 1e5", show(linearTicks(99990, 100010, 4)), "99990 99995 100000 100005 100010"},
		{"small and far", show(linearTicks(1.234e-5, 1.2343e-5, 3)), "1.234e−5 1.2341e−5 1.2342e−5 1.2343e−5"},
		{"thousands", show(linearTicks(9e4, 1.2e5, 6)), "90000 95000 1e5 1.05e5 1.1e5 1.15e5 1.2e5"},
		{"small", show(linearTicks(0, 4e-7, 4)), "0 1e−7 2e−7 3e−7 4e−7"},
		{"neighbours", show(linearTicks(math.Nextafter(1, 0), 1, 10)), "0.999999999999999889"},
		{"two at least", show(linearTicks(0.05, 0.83, 3)), "0.2 0.4 0.6 0.8"},
		{"log/decades", show(logTicks(0.01, 1000)), "0.01 0.1 1 10 100 1000"},
		{"log/one decade", show(logTicks(0.3, 25)), "0.5 1 2 5 10 20"},
		{"log/no decade", show(logTicks(2.1, 8.5)), "3 4 5 6 7 8"},
		{"log/narrow", show(logTicks(2.1, 2.6)), "2.1 2.2 2.3 2.4 2.5 2.6"},
		{"log/around a decade", show(logTicks(0.95, 1.25)), "1.0 1.1 1.2"},
		{"log/rounded powers", show(logTicks(1e-300, 1e-294)), "1e−300 1e−299 1e−298 1e−297 1e−296 1e−295 1e−294"},
		{"log/to the largest number", show(logTicks(1e306, math.MaxFloat64)), "1e306 1e307 1e308"},
		{"log/many decades", show(logTicks(1e-20, 1)), "1e−20 1e−17 1e−14 1e−11 1e−8 1e−5 0.01"},
	} {
		t.Run(c.name, func(t *testing.T) { must.Equal(t, c.got, c.want) })
	}
}

// The ticks of a logarithmic axis of any length are few enough to be told apart, and some have labels.
func TestLogTicksAreFew(t *testing.T) {
	for _, c := range [][2]float64{{1e-3, 1e3}, {1e-9, 1e9}, {1e-20, 1}, {1e-45, 1e45}, {1e-150, 1e100},
		{math.SmallestNonzeroFloat64, math.MaxFloat64}} {
		ticks, labels := logTicks(c[0], c[1]), 0
		for _, tick := range ticks {
			if !(tick.Value >= c[0]*(1-1e-9) && tick.Value <= c[1]) {
				t.Errorf("%g to %g: a tick at %g", c[0], c[1], tick.Value)
			}
			if tick.Label != "" {
				labels++
			}
		}
		if len(ticks) > 180 || labels < 3 || labels > 10 {
			t.Errorf("%g to %g: %d ticks, %d of them with labels", c[0], c[1], len(ticks), labels)
		}
	}
}

// Values on a logarithmic scale of more than 308 decades have colours of their own.
func TestLogScaleOfAllNumbers(t *testing.T) {
	c := must.Get(Scale{Log: true}.resolve([][]float64{{1e-300, 1, 1e300}}))(t)
	for v, want := range map[float64]float64{1e-300: 0, 1e-150: 0.25, 1: 0.5, 1e300: 1} {
		got := c.share(v)
		must.Be(t, math.Abs(got-want) <= 1e-12, "%g has the share %g, want %g", v, got, want)
	}
	for _, v := range []float64{math.SmallestNonzeroFloat64, math.MaxFloat64} {
		c := must.Get(Scale{Log: true}.resolve([][]float64{{v}}))(t)
		must.Be(t, c.lo > 0 && finite(c.hi) && c.lo < c.hi, "%g alone has the scale %g to %g", v, c.lo, c.hi)
		c.tick(300, 34)
	}
}

// TestAverage checks what a symmetric kernel with normalised weights must do.
// The legend of very many lines leaves room for them, and the note says how many names it has.
func TestManyNames(t *testing.T) {
	for n, want := range map[int]string{12: "Paths.", 200: "Paths. Legend: the first 64 of 200 names."} {
		v := Lines{Note: "Paths.", Lines: make([]Line, n)}
		for k := range v.Lines {
			v.Lines[k].Y = []float64{0, float64(k)}
		}
		c := must.Get(v.Chart())(t)
		d := must.Get(c.layout())(t)
		_, area := d.paint(draw.New(vgsvg.New(px(d.Width), px(d.Height))))
		share := float64(area.Size().Y / px(d.Height))
		must.Be(t, share >= 0.5, "%d lines: the data have %.2f of the height", n, share)
		p := must.Get(d.interactive())(t)
		var option struct{ Legend struct{ Data []any } }
		must.Do(t, json.Unmarshal(p.Option, &option))
		if d.note() != want || p.Note != want || n > 12 && len(option.Legend.Data) != 64 || n == 12 &&
			len(option.Legend.Data) != 12 {
			t.Errorf("%d lines: note %q, %d names in the live legend", n, p.Note, len(option.Legend.Data))
		}
	}
}

// Axes at the ends of what a float64 holds have no room for their margin.
func TestExtremeAxes(t *testing.T) {
	for name, v := range map[string]Lines{
		"largest":      {Lines: []Line{{Y: []float64{0, math.MaxFloat64}}}},
		"log, largest": {LogY: true, Lines: []Line{{Y: []float64{1e-300, 1.7e308}}}},
		"log, least":   {LogY: true, Lines: []Line{{Y: []float64{math.SmallestNonzeroFloat64, 1}}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range []Format{SVG, PNG, PDF, HTML} {
				must.Get(v.Encode(format))(t, format)
			}
		})
	}
}

func TestAverage(t *testing.T) {
	const tol = 1e-12 // sums of a few hundred terms of order 1
	flat, line := slices.Repeat([]float64{2.5}, 300), make([]float64, 301)
	for i := range line {
		line[i] = float64(i)
	}
	for i, v := range average(flat, 7, false) {
		must.Need(t, math.Abs(v-2.5) <= tol, "a constant changes at %d: %g", i, v)
	}
	if got := average(line, 7, false)[150]; math.Abs(got-150) > 1e-6 { // ends weigh exp(-150/7) = 5e-10, times 150
		t.Errorf("a straight line is shifted: %g at 150", got)
	}
	impulse := make([]float64, 101)
	impulse[50] = 1
	y := average(impulse, 5, false)
	// The ends take exp(-47/5) = 8e-5 of the weight.
	if ratio := y[53] / y[50]; math.Abs(ratio-math.Exp(-3.0/5)) > 1e-4 || math.Abs(y[53]-y[47]) > tol {
		t.Errorf("kernel at 3: %g of its centre, want exp(-3/5); left %g, right %g", ratio, y[47], y[53])
	}
}

func TestThinning(t *testing.T) {
	x := count(10000)
	y := make([]float64, len(x))
	y[4321], y[8765] = 5, -5
	for _, log := range []bool{false, true} {
		ex, ey := envelope(x, y, 300, log)
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range ey {
			lo, hi = min(lo, ey[i]), max(hi, ey[i])
		}
		must.Be(t, lo == -5 && hi == 5 && len(ex) <= 600,
			"envelope (log %v): %d points from %g to %g, want at most 600 from -5 to 5", log, len(ex), lo, hi)
		tx, _ := thin(x, y, 400, log)
		must.Be(t, len(tx) <= 402 && tx[0] == 1 && tx[len(tx)-1] == 10000,
			"thin (log %v): %d points from %g to %g, want at most 402 from 1 to 10000", log, len(tx), tx[0],
			tx[len(tx)-1])
	}
}

// The label of a y axis takes no height from the plot, on any scale.
func TestYLabel(t *testing.T) {
	height := func(label string, log bool) float64 {
		c := &Chart{Kind: "test", Y: Axis{Label: label, Log: log}}
		c.Line("", []float64{0, 1}, []float64{0.01, 100}, LineStyle{Color: ink})
		d := must.Get(c.layout())(t)
		_, area := d.paint(draw.New(vgsvg.New(px(d.Width), px(d.Height))))
		return float64(area.Size().Y)
	}
	for _, log := range []bool{false, true} {
		if short, long := height("y", log), height("the label of an axis, in words", log); short != long {
			t.Errorf("log %v: the plot is %g pt high under a short label and %g under a long one", log, short, long)
		}
	}
}

// Places far from zero differ where a thousandth of the axis does.
func TestCoordinates(t *testing.T) {
	for _, c := range []struct {
		axis []float64
		v    float64
		want string
	}{
		{[]float64{5400000, 5400400}, 5400215, "5400215"}, {[]float64{2000, 2030}, 2024.5, "2024.5"},
		{[]float64{0, 29}, 12, "12"}, {[]float64{0, 1}, 0.123456, "0.1235"}, {[]float64{-3e6, -2.9e6}, -2954321,
			"−2954321"},
		{[]float64{1e-9, 2e-9}, 1.23456e-9, "1.235e−09"}, {[]float64{7, math.NaN()}, 7.12345, "7.123"},
		{[]float64{5400000, math.NaN(), 5400400}, 5400215, "5400215"}, {nil, 1, "1"},
	} {
		must.Equal(t, coordinates(c.axis)(c.v), c.want, c.v, "on", c.axis)
	}
}
