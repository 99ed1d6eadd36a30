package viz

import (
	"math"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// ramped is a field whose value at (c, r) is c + r/1000, without its lower left corner.
type ramped struct{ n int }

func (f ramped) Dims() (c, r int) { return f.n, f.n }
func (f ramped) X(c int) float64  { return float64(c) }
func (f ramped) Y(r int) float64  { return float64(r) }
func (f ramped) Z(c, r int) float64 {
	if c < 8 && r < 8 {
		return math.NaN()
	}
	return float64(c) + float64(r)/1000
}

// A map of 2000 × 2000 cells is one of 500 × 500, of two and a half megabytes instead of 23, and says so. Its cells are
// means, its coordinates those of the field. A window of few cells, and a map of 512 × 512, are as they are.
func TestCoarseMaps(t *testing.T) {
	m := Map{Field: ramped{2000}, Tips: []Tip{{Name: "row", At: func(j int) float64 { return float64(j / 2000) }}}}
	s := must.Get(m.alone().layout("map"))(t)
	a := s.tiles[0]
	must.Be(t, a.cols == 500 && a.rows == 500 && a.side == 4 && a.dx == 4 && a.dy == -4 && a.x == 1.5 && a.y == 1997.5,
		"%d × %d cells from (%g, %g) in steps of %g, %g", a.cols, a.rows, a.x, a.y, a.dx, a.dy)
	// The means of columns 4 to 7 and of the four highest rows, 1996 to 1999.
	must.Be(t, math.Abs(a.z[1]-(5.5+1.9975)) < 1e-12 && a.Tips[0].Values[1] == 1.5, "the second cell is %g, its tip %g",
		a.z[1], a.Tips[0].Values[1])
	corner := len(a.z) - 500
	must.Be(t, math.IsNaN(a.z[corner]) && math.IsNaN(a.z[corner+1]) && !math.IsNaN(a.z[corner+2]),
		"the corner without values is %g, %g, %g", a.z[corner], a.z[corner+1], a.z[corner+2])
	must.Be(t, strings.Contains(s.Note, "mean of 4 × 4 cells"), "note %q", s.Note)
	m.Tips = nil
	html := must.Get(m.Encode(HTML))(t)
	must.Be(t, len(html) <= 2<<20, "%d bytes, want at most 2 MB", len(html))
	m.Window = Window{XMin: 0, XMax: 99, YMin: 0, YMax: 49}
	a = must.Get(m.alone().layout("map"))(t).tiles[0]
	must.Be(t, a.cols == 99+1 && a.side == 0, "a window of %d columns, side %d", a.cols, a.side)
	a = must.Get(Map{Field: ramped{512}}.alone().layout("map"))(t).tiles[0]
	must.Be(t, a.cols == 512, "a map of 512 columns has %d", a.cols)
}

// wide are draws of 1200 × 1200 cells: draw i of cell j is i + 1 in the left half and 0 in the right one.
type wide struct{}

func (wide) Dims() (draws, cells int) { return 10, 1200 * 1200 }
func (wide) At(i, j int) float64 {
	if j%1200 < 600 {
		return float64(i + 1)
	}
	return 0
}

// TestCoarseFigures: probabilities, uncertainties and draws of very many cells are means of blocks, and the sentence
// about the outlined cells counts those of the field.
func TestCoarseFigures(t *testing.T) {
	m := Map{Field: ramped{1200}}
	e := Exceedance{Map: m, Draws: wide{}, Thresholds: []float64{2, 5.5}, Threshold: 2, Sure: 0.8}
	s := must.Get(e.layout())(t)
	a := s.tiles[0]
	must.Be(t, a.cols == 400 && a.z[0] == 0.8 && a.z[399] == 0 && len(s.frames.Values) < 450_000,
		"%d columns, %g and %g, %d bytes of frames", a.cols, a.z[0], a.z[399], len(s.frames.Values))
	must.Be(t, strings.Contains(s.Note, "mean of 3 × 3 cells"), "note %q", s.Note)
	must.Be(t, strings.Contains(a.Title, "719936 of 1439936 cells"), "title %q", a.Title)
	spread := make([]float64, 1200*1200)
	for j := range spread {
		spread[j] = float64(j % 1200)
	}
	b := must.Get(Bivariate{Map: m, Uncertainty: spread}.layout())(t).tiles[0]
	must.Be(t, b.cols == 400 && b.Tips[0].Values[1] == 4, "%d columns, uncertainty %g", b.cols, b.Tips[0].Values[1])
	o := Outcomes{Map: m, Draws: wide{}, Frames: 10}
	of, values, err := o.read()
	must.Be(t, err == nil && of.cols == 300 && values[9][0] == 10 && values[9][299] == 0, "%v, %d columns", err,
		of.cols)
	html := must.Get(Outcomes{Map: m, Draws: wide{}}.Encode(HTML))(t)
	must.Be(t, len(html) <= 2<<20, "%d bytes, want at most 2 MB", len(html))
}

// TestManyLines: a figure of thousands of lines draws some of them and says so; of two dozen each has fewer points.
func TestManyLines(t *testing.T) {
	y := residuals(500)
	for n, want := range map[int]int{1000: 112, 20: 20} {
		var lines []Line
		for range n {
			lines = append(lines, Line{Name: "draw", Y: y, Color: soft})
		}
		if n == 20 {
			for k := range lines {
				lines[k].Y = residuals(20_000)
			}
		}
		d := must.Get(must.Get(Lines{Lines: lines}.Chart())(t).layout())(t)
		drawn, points := 0, 0
		for _, m := range d.marks {
			if l, ok := m.(lineMark); ok {
				drawn, points = drawn+1, points+len(l.x)
			}
		}
		must.Be(t, drawn == want && points <= mostStroked, "%d of %d lines with %d points", drawn, n, points)
		must.Be(t, strings.Contains(d.Note, "lines are drawn") == (drawn < n), "note %q", d.Note)
		html := must.Get(Lines{Lines: lines}.Encode(HTML))(t)
		must.Be(t, len(html) <= 2e6, "%d lines are %d bytes of HTML", n, len(html))
	}
}
