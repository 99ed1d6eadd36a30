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
