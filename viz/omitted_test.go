package viz

import (
	"bytes"
	"encoding/json"
	"image/png"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/expfam/lab/internal/must"
)

var nan, inf = math.NaN(), math.Inf(1)

// weekly is a year of counts with two missing weeks and three zeros on a logarithmic axis.
func weekly() Lines {
	return Lines{Title: "Cases a week", LogY: true, XLabel: "week", Lines: []Line{
		{Name: "cases", Y: []float64{3, 1, 0, 4, nan, 9, nan, 2, 6, 5, 0, 0, 8}, Points: true},
		{Name: "expected", Y: []float64{3, 2, 2, 3, 4, 5, 5, inf, 4, 4, 3, 2, 3}, Low: []float64{1, 0, -1, 1, 2, nan,
			2, 3, 2, 2, 1, 1, 1},
			High: []float64{6, 5, 4, 6, 8, 9, 9, 9, 9, inf, 7, 6, 6}, Dashed: true},
	}}
}

func TestGapsGolden(t *testing.T) {
	c := must.Get(weekly().Chart())(t)
	Golden(t, "gaps", c)
}

// Values that cannot be shown are gaps, and the note counts them. No number of a figure is NaN or infinite.
func TestGapsAreCounted(t *testing.T) {
	draws := mat.NewDense(3, 2, []float64{-1, 1, 0, 2, 2, 3})
	for name, c := range map[string]struct {
		fig  Figure
		note string
	}{
		"a line": {Lines{Lines: []Line{{Y: []float64{1, nan, 3}}}}, "Left out: 1 missing value."},
		"a line and dots": {Lines{Lines: []Line{{Name: "a", Y: []float64{1, nan, nan, 3}, Points: true}}},
			"Left out: 2 missing values."},
		"two lines": {Lines{Lines: []Line{{Y: []float64{1, nan, 3}}, {Y: []float64{nan, nan, 3}}}},
			"Left out: 3 missing values."},
		"a place": {Lines{Lines: []Line{{X: []float64{1, nan, 3}, Y: []float64{1, 2, 3}}}},
			"Left out: 1 missing value."},
		"an infinite end": {Lines{Lines: []Line{{Y: []float64{inf, 2, 3, math.Inf(-1)}}}},
			"Cut off at the frame: 2 infinite values."},
		"an infinite band": {Lines{Lines: []Line{{Y: []float64{1, 2}, Low: []float64{0, math.Inf(-1)},
			High: []float64{2, inf}}}}, "Cut off at the frame: 1 infinite value."},
		"zeros, log y": {Lines{LogY: true, Lines: []Line{{Y: []float64{0, 1, -3}}}},
			"Left out: 2 values of 0 or less, which a logarithmic axis cannot show."},
		"zeros, log x": {Lines{LogX: true, Lines: []Line{{X: []float64{0, 1, 2}, Y: []float64{0, 1, 2}}}},
			"Left out: 1 value of 0 or less, which a logarithmic axis cannot show."},
		"a band, log y": {Lines{LogY: true, Lines: []Line{{Y: []float64{1, 2}, Low: []float64{0, 1},
			High: []float64{2, 3}}}}, "Cut off at the frame: 1 lower end of 0 or less."},
		"everything": {weekly(), "Left out: 3 missing values, 3 values of 0 or less, which a logarithmic axis " +
			"cannot show. Cut off at the frame: 1 infinite value, 2 lower ends of 0 or less."},
		"intervals, log": {Intervals{Draws: draws, LogY: true, Observed: []float64{0, nan}, Truth: []float64{nan,
			3}}, "Left out: 1 missing value, 2 values of 0 or less, which a logarithmic axis cannot show. Cut off " +
			"at the frame: 1 lower end of 0 or less."},
		"training": {Curve{Train: []float64{3, 2, nan, 1}, HeldOut: []float64{inf, 2}},
			"Left out: 1 missing value. Cut off at the frame: 1 infinite value."},
		"a long training": {Curve{Train: append(slowly(999), nan), LogY: true},
			"Left out: 1 missing value, 1 value of 0 or less, which a logarithmic axis cannot show."},
		"a check": {Predictive{Draws: draws, Observed: []float64{nan, 2}},
			"of 1 cells, ends included. Left out: 1 cell without an observation."},
		"nobody examined": {Predictive{Draws: draws, Observed: []float64{0, 2}, Sizes: []float64{0, 4}},
			"Left out: 1 cell without an observation."},
		"a map, log": {Map{Field: Rows{{0, 1, 20}, {-1, nan, 4}}, Scale: &Scale{Log: true}},
			"Grey: no value; 2 cells of 0 or less, which a logarithmic scale cannot show."},
		"a map of zeros too": {Map{Field: Rows{{0, 1}, {3, 4}}, Scale: &Scale{Log: true}},
			"Grey: 1 cell of 0 or less, which a logarithmic scale cannot show."},
		"panels": {Panels{ShareY: true, Figures: []Figure{weekly(),
			Lines{Lines: []Line{{Y: []float64{1, nan}}}, LogY: true}}}, "Left out: 1 missing value.]"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := c.fig.Encode(Text)
			must.Need(t, err == nil && strings.Count(string(text), c.note) == 1,
				"%v, %q\nwant once %q", err, text, c.note)
			for _, format := range []Format{HTML, SVG, PNG, PDF} {
				must.Get(c.fig.Encode(format))(t, format)
			}
			svg, _ := c.fig.Encode(SVG)
			m := regexp.MustCompile(`d="[^"]*(NaN|Inf)[^"]*"|="[^"]*(NaN|Inf)"`).Find(svg)
			must.Be(t, m == nil, "the picture has %s", m)
		})
	}
}

// slowly is losses that fall to 0.
func slowly(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = 1 - float64(i)/float64(n-1)
	}
	return y
}

// A gap has no ink, and a value between two gaps has.
func TestGapsHaveNoInk(t *testing.T) {
	fig := Lines{Width: 400, Height: 200, XMin: 0, XMax: 10, YMin: 0, YMax: 2,
		Lines: []Line{{X: []float64{0, 3, 4, 7, 8, 9, 10}, Y: []float64{1, 1, nan, 1, nan, 1, 1},
			Low: []float64{1, 1, nan, .5, .5, .5, .5}, High: []float64{1, 1, nan, 1, nan, 1, 1}}}}
	data := must.Get(fig.Encode(PNG))(t)
	img := must.Get(png.Decode(bytes.NewReader(data)))(t)
	c, _ := fig.Chart()
	d, _ := c.layout()
	p, area := d.paint(draw.New(vgsvg.New(px(d.Width), px(d.Height))))
	tx, ty := p.Transforms(&area)
	for x, want := range map[float64]bool{1.5: true, 5: false, 6: false, 7: true, 7.5: false, 8.5: false, 9.5: true} {
		left, top := pixels(tx(x)), pixels(px(d.Height)-ty(1))
		blue := false
		for dy := -3; dy <= 3; dy++ {
			r, g, b, _ := img.At(int(1.5*left), int(1.5*top)+dy).RGBA()
			blue = blue || b>>8 > 0x90 && r>>8 < 0x40 && g>>8 < 0x90
		}
		must.Equal(t, blue, want, "ink at x", x)
	}
}

// A live chart has null at a gap, and names what it cannot show at its place.
func TestGapsInLiveCharts(t *testing.T) {
	c, err := Lines{YMin: 0, YMax: 4, Lines: []Line{{Name: "a", Y: []float64{inf, 2, 3, nan, 4}}}}.Chart()
	text, _ := optionOf(t, c, err)
	var got struct {
		Series []struct {
			Type string
			Data json.RawMessage
		}
	}
	must.Do(t, json.Unmarshal(text, &got))
	// The third series is the name beside the line.
	line := `[{"name":"+∞","value":[0,8]},[1,2],[2,3],{"name":"no value","value":[3,null]},[4,4]]`
	must.Be(t, len(got.Series) == 3 && string(got.Series[0].Data) == line && got.Series[1].Type == "scatter" &&
		string(got.Series[1].Data) == `[{"value":[4,4]}]`,
		"series %s", text)
}

// The few points of a long line keep its gaps, its extremes and the count of what is missing.
func TestGapsOfManyPoints(t *testing.T) {
	y := make([]float64, 1_000_000)
	for i := range y {
		y[i] = math.Sin(float64(i) / 1e5)
		if i >= 300_000 && i < 400_000 || i == 700_001 || i < 10 {
			y[i] = nan
		}
	}
	y[123_456], y[123_457] = 7, inf
	c := must.Get(Lines{Lines: []Line{{Y: y}}}.Chart())(t)
	shown, lost := c.clip()
	line, parts := shown.marks[0].(lineMark), 0
	eachFiniteRun(line.y, func(from, to int) {
		if parts++; parts == 1 && math.Abs(line.x[to-1]-300_000) > 500 ||
			parts == 2 && math.Abs(line.x[from]-400_001) > 500 {
			t.Errorf("part %d from %g to %g", parts, line.x[from], line.x[to-1])
		}
	})
	b := line.bounds()
	if parts != 3 || len(line.x) > mostPoints+2000 || b.ymax != 7 || lost != (omitted{missing: 100_011, infinite: 1}) {
		t.Errorf("%d parts, %d points up to %g, %+v", parts, len(line.x), b.ymax, lost)
	}
	for i := range y { // every second value is missing: still few points
		if y[i] = 1; i%2 == 0 {
			y[i] = nan
		}
	}
	c, _ = Lines{Lines: []Line{{Y: y}}}.Chart()
	shown, _ = c.clip()
	n := len(shown.marks[0].(lineMark).x)
	must.Be(t, n <= 2*mostPoints, "%d points", n)
}
