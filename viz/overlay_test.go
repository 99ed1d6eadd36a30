package viz

import (
	"bytes"
	"encoding/base64"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/expfam/lab/internal/must"
)

// paths are lines given as points.
type paths [][][2]float64

func (p paths) Len() int { return len(p) }
func (p paths) Path(k int) (x, y []float64) {
	for _, at := range p[k] {
		x, y = append(x, at[0]), append(y, at[1])
	}
	return x, y
}

// island is 6 × 4 cells with sea around the middle and one cell without a value.
// x goes from 10 to 15, y from 4 at the top down to 1.
func island() Map {
	m := Map{Field: lattice{6, 4, 10, 1, 1, 1, func(x, y float64) float64 {
		if x == 12 && y == 2 {
			return math.NaN()
		}
		return x + 10*y
	}}, Blank: make([]bool, 24), Missing: "no survey", Width: 500, Scale: &Scale{Label: "rate"}}
	for j := range m.Blank {
		c, r := j%6, j/6
		m.Blank[j] = c == 0 || c == 5 || r == 0 || r == 3
	}
	return m
}

func coast() Overlay {
	return Overlay{Lines: paths{{{10.5, 1.5}, {14.5, 1.5}, {14.5, 3.5}, {10.5, 3.5}, {10.5, 1.5}},
		{{-50, -50}, {-40, -50}}}}
}

// insetIsland shows its right half enlarged.
func insetIsland() Map {
	m := island()
	m.Over = []Overlay{coast()}
	m.Inset = &Inset{Window: Window{13, 15.2, 1.2, 2.8}, Title: "south-east"}
	m.Where = [2]string{"longitude", "latitude"}
	values := make([]float64, 24)
	for j := range values {
		values[j] = float64(j % 2)
	}
	m.Tips = []Tip{{Name: "country", At: func(j int) float64 { return values[j] }, Words: []string{"A", "B"}}}
	return m
}

func TestOverlaysGolden(t *testing.T) {
	window := island()
	window.Window = Window{11, 14, 2, 3} // from centre to centre
	goldenMaps(t, "map-window", "map", window.alone())
	goldenMaps(t, "map-inset", "map", insetIsland().alone())
}

// The range is that of the cells that are drawn, and the note speaks of the one that has no value.
func TestBlank(t *testing.T) {
	s := must.Get(island().alone().layout("map"))(t)
	if c := s.tiles[0].colours; c.lo != 31 || c.hi != 44 { // x + 10 y of x = 11 to 14, y = 2 and 3
		t.Errorf("range %g to %g, want 31 to 44", c.lo, c.hi)
	}
	must.Equal(t, s.Note, "Grey: no survey.", "note")
	data := must.Get(island().Encode(PNG))(t)
	img := must.Get(png.Decode(bytes.NewReader(data)))(t)
	m := s.tiles[0]
	at := func(c, r float64) color.NRGBA {
		x, y := m.left+(c+0.5)*m.width/6, m.top+(r+0.5)*m.height/4
		return color.NRGBAModel.Convert(img.At(int(1.5*x), int(1.5*y))).(color.NRGBA)
	}
	must.Equal(t, at(0, 0), canvas, "sea want white")
	got := at(1, 1)
	must.Be(t, got != canvas && got != absent, "land: %v, want a colour of the scale", got)
}

// Lines are where their coordinates are: the coast runs along the edges of the
// cells that it encloses, and a path beyond the map is not drawn.
func TestOverlayPlace(t *testing.T) {
	v := insetIsland()
	v.Inset = nil
	svg := must.Get(v.Encode(SVG))(t)
	s := must.Get(v.alone().layout("map"))(t)
	m := s.tiles[0]
	x := 0.75 * (m.left + m.width/6)
	y := 0.75 * (s.height - m.top - m.height*3/4)
	want := regexp.MustCompile(`d="M([\d.]+),([\d.]+)L`).FindAllSubmatch(svg, -1)
	found := false
	for _, p := range want {
		a, _ := strconv.ParseFloat(string(p[1]), 64)
		b, _ := strconv.ParseFloat(string(p[2]), 64)
		found = found || math.Abs(a-x) < 0.06 && math.Abs(b-y) < 0.06 // tenths of a point
	}
	must.Be(t, found, "no line begins at (%.2f, %.2f), the lower left corner of the coast", x, y)
}

// Points that a picture does not show go, corners stay.
func TestStraighten(t *testing.T) {
	p := []vg.Point{{X: 0, Y: 0}, {X: 1, Y: 0.01}, {X: 2, Y: 0}, {X: 2, Y: 1}, {X: 2.01, Y: 2}, {X: 2, Y: 3}}
	got := straighten(p, 0.1)
	must.Be(t, len(got) == 3 && got[1] == p[2], "%v, want the ends and the corner", got)
}

func TestOverlayErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Map)
		want   string
	}{
		{"no lines", func(m *Map) { m.Over = []Overlay{{}} }, "map: overlay 1 has no lines; give Lines"},
		{"point", func(m *Map) { m.Over = []Overlay{coast(), {Lines: paths{{{1, math.NaN()}}}}} },
			"map: overlay 2: path 0: point 0 is (1, NaN)"},
		{"width", func(m *Map) { m.Over = []Overlay{{Lines: paths{}, Width: -1}} },
			"map: overlay 1 is -1 px wide; the width must not be negative"},
		{"blank", func(m *Map) { m.Blank = make([]bool, 3) }, "map: 3 cells of Blank for 6 columns and 4 rows"},
		{"tip", func(m *Map) { m.Tips = []Tip{{Name: "n"}} }, `map: tip "n" has 0 values for 6 columns and 4 rows`},
		{"tip", func(m *Map) {
			m.Tips = []Tip{{Name: "n", Values: make([]float64, 24), At: func(int) float64 { return 0 }}}
		}, `map: tip "n" has Values and At; leave one of the two out`},
		{"window", func(m *Map) { m.Window = Window{2, 1, 0, 1} },
			"map: window 2 to 1 by 0 to 1; give XMin below XMax and YMin below YMax"},
		{"empty window", func(m *Map) { m.Window = Window{20, 30, 0, 1} },
			"map: window 20 to 30 by 0 to 1 has no cell of the map"},
		{"inset", func(m *Map) { m.Inset = &Inset{Window: Window{20, 30, 0, 1}} },
			"map: inset: window 20 to 30 by 0 to 1 has no cell of the map"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := island()
			c.change(&m)
			_, err := m.Encode(SVG)
			must.Be(t, err != nil && err.Error() == c.want, "got  %v\nwant %s", err, c.want)
		})
	}
}

func TestOverlayEscape(t *testing.T) {
	const hostile = `</script><img src=x onerror="alert(1)"> &`
	m := insetIsland()
	m.Missing, m.Inset.Title, m.Where = hostile, hostile, [2]string{hostile, hostile}
	m.Tips[0].Name, m.Tips[0].Words = hostile, []string{hostile, hostile}
	html := must.Get(m.Encode(HTML))(t)
	must.Be(t, !strings.Contains(string(html), "<img src=x") && strings.Count(string(html), "</script") == 1,
		"the HTML has unescaped text")
}

// The script gets the values of the cells that are drawn, and the inset's place.
func TestOverlayScript(t *testing.T) {
	html := must.Get(insetIsland().Encode(HTML))(t)
	m := regexp.MustCompile(`"values":"([^"]*)".*"of":0,"from":\[(\d),(\d)\]`).FindSubmatch(html)
	must.Need(t, m != nil, "no values and inset in the script")
	must.Equal(t, len(must.Get(base64.StdEncoding.DecodeString(string(m[1])))(t)), 3*8, "bytes of values")
	// The window from x = 13 and below y = 2.8 begins in column 3 and row 1 from the top.
	must.Be(t, string(m[2]) == "3" && string(m[3]) == "1", "inset from column %s, row %s", m[2], m[3])
}
