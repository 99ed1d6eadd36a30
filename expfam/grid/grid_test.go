package grid

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/expfam/lab/internal/must"
)

var _ plotter.GridXYZ = Field{}

func TestZeroGridHasRowZeroOnTop(t *testing.T) {
	g := Grid{Rows: 3, Cols: 4}
	must.Do(t, g.Check())
	for _, c := range []struct{ j, r, c, x, y int }{{0, 0, 0, 0, 2}, {3, 0, 3, 3, 2}, {11, 2, 3, 3, 0}} {
		x, y := g.Centre(c.j)
		r, col := g.Cell(c.j)
		must.Be(t, r == c.r && col == c.c && x == float64(c.x) && y == float64(c.y) && g.Index(r, col) == c.j,
			"cell %d: (%d, %d) at (%g, %g), want %+v", c.j, r, col, x, y, c)
	}
	for _, a := range g.Areas() {
		must.Need(t, a == 1, "area %g, want the paper's 1", a)
	}
}

func TestLocateIsTheInverseOfCentre(t *testing.T) {
	for _, step := range []float64{0.25, -0.25} {
		g := Grid{Rows: 5, Cols: 7, X: Axis{First: -3, Step: 0.5}, Y: Axis{First: 10, Step: step}}
		for j := range g.Len() {
			at, ok := g.Locate(g.Centre(j))
			must.Be(t, ok && at == j, "step %g: cell %d is found at %d, %v", step, j, at, ok)
		}
		// The edges of X are −3.25, −2.75 … 0.25.
		for _, c := range []struct {
			x   float64
			col int
			ok  bool
		}{{-3.25, 0, true}, {-2.75, 1, true}, {0.25, 6, true}, {0.2500001, 0, false}, {-3.2500001, 0, false},
			{math.NaN(), 0, false}} {
			if j, ok := g.Locate(c.x, 10); ok != c.ok || ok && j != c.col {
				t.Errorf("x = %g is in column %d, %v; want %d, %v", c.x, j, ok, c.col, c.ok)
			}
		}
	}
}

// Points on the outer edges are on the grid, whatever the rounding of First, Step and the number of cells.
func TestLocateOnTheOuterEdges(t *testing.T) {
	for _, first := range []string{"33.1", "-17.45", "0.05"} {
		for _, step := range []string{"0.1", "0.05", "0.3"} {
			a := Axis{First: decimal(t, first), Step: decimal(t, step)}
			for n := 1; n <= 400; n++ {
				west := decimal(t, fmt.Sprintf("%.6f", a.First-a.Step/2))
				east := decimal(t, fmt.Sprintf("%.6f", a.First+(float64(n)-0.5)*a.Step))
				g := Grid{Rows: 1, Cols: n, X: a}
				j, ok := g.Locate(west, 0)
				must.Need(t, ok && j == 0,
					"%s in steps of %s: the western edge %v is in column %d of %d, %v", first, step, west, j, n, ok)
				j, ok = g.Locate(east, 0)
				must.Need(t, ok && j == n-1,
					"%s in steps of %s: the eastern edge %v is in column %d of %d, %v", first, step, east, j, n, ok)
				_, ok = g.Locate(east+1e-6, 0)
				must.Need(t, !ok, "%v is on the grid", east+1e-6)
			}
		}
	}
}

func decimal(t *testing.T, text string) float64 {
	t.Helper()
	return must.Get(strconv.ParseFloat(text, 64))(t)
}

func TestMatrix(t *testing.T) {
	g := Grid{Rows: 2, Cols: 3}
	x := []float64{1, 2, 3, 4, 5, 6}
	m := g.Matrix(x)
	must.Be(t, m[1][0] == 4 && m[0][2] == 3, "rows %v", m)
	must.Be(t, slices.Equal(must.Get(NewField(m))(t).Values, x), "a field of the rows has other values")
}

func TestSphericalAreas(t *testing.T) {
	globe := Grid{Rows: 180, Cols: 360, X: Axis{First: -179.5, Step: 1}, Y: Axis{First: 89.5, Step: -1},
		Radius: EarthRadius}
	must.Do(t, globe.Check())
	area, sum := globe.Areas(), 0.0
	for _, a := range area {
		sum += a
	}
	// All cells make the sphere; 64800 additions round by less than 1e-12.
	want := 4 * math.Pi * EarthRadius * EarthRadius
	must.Be(t, math.Abs(sum/want-1) <= 1e-12, "the globe has area %g, want %g", sum, want)
	// A cap from latitude 89° to the pole: 2π R² (1 − sin 89°), 360 cells.
	want = 2 * math.Pi * EarthRadius * EarthRadius * (1 - math.Sin(89*math.Pi/180)) / 360
	must.Be(t, math.Abs(area[0]/want-1) <= 1e-11, "the cell at the pole has area %g, want %g", area[0], want)
	// Rows that are centred on the poles make the sphere as well.
	points := Grid{Rows: 5, Cols: 1, X: Axis{Step: 360}, Y: Axis{First: -90, Step: 45}, Radius: 1}
	must.Do(t, points.Check())
	sum = 0
	for _, a := range points.Areas() {
		sum += a
	}
	must.Be(t, math.Abs(sum/(4*math.Pi)-1) <= 1e-14, "rows through the poles: area %g, want 4π", sum)
	bad := Grid{Rows: 182, Cols: 1, X: Axis{Step: 1}, Y: Axis{First: -90, Step: 1}, Radius: 1}
	must.Err(t, bad.Check(), "latitude")
}

func TestBlockSums(t *testing.T) {
	g := Grid{Rows: 4, Cols: 6, X: Axis{First: 10, Step: 2}, Outside: make([]bool, 24)}
	x := make([]float64, g.Len())
	for j := range x {
		x[j] = float64(j * j)
	}
	for _, j := range []int{0, 1, 6, 7, 9} { // the first block, and a cell of the second
		g.Outside[j] = true
	}
	sums := g.BlockSums(x, 2, 2)
	must.Be(t, sums[0] == 0 && sums[1] == 4+9+64 && sums[5] == 16*16+17*17+22*22+23*23, "sums %v", sums)
	must.Equal(t, Grid{Rows: 3, Cols: 3}.BlockSums(x[:9], 2, 2), []float64{1 + 9 + 16, 4 + 25, 36 + 49, 64}, "edges")
}

func TestFieldViewAscends(t *testing.T) {
	f := must.Get(Grid{Rows: 2, Cols: 2, X: Axis{First: 5, Step: -1}}.Field([]float64{1, 2, 3, math.NaN()}))(t)
	// Row 0 is the top one; column 0 is the right one.
	must.Be(t, f.X(0) == 4 && f.X(1) == 5 && f.Y(0) == 0 && f.Y(1) == 1,
		"axes %g %g, %g %g", f.X(0), f.X(1), f.Y(0), f.Y(1))
	must.Be(t, f.Z(1, 1) == 1 && f.Z(0, 1) == 2 && f.Z(1, 0) == 3 && math.IsNaN(f.Z(0, 0)),
		"values %g %g %g %g", f.Z(1, 1), f.Z(0, 1), f.Z(1, 0), f.Z(0, 0))
}

func TestStretch(t *testing.T) {
	f := Field{Grid: Grid{Rows: 2, Cols: 3}, Values: []float64{7, 3, 5, 4, 4, 4}}
	s, err := f.Stretch()
	must.Be(t, err == nil && slices.Equal(s.Values, []float64{1, -1, 0, -0.5, -0.5, -0.5}), "%v, %v", s.Values, err)
	must.Refuse((Field{Grid: Grid{Rows: 1, Cols: 2}, Values: []float64{3, 3}}).Stretch())(t)
}

func TestGridRefuses(t *testing.T) {
	for name, g := range map[string]Grid{
		"no cells":      {},
		"overflow":      {Rows: 1 << 20, Cols: 1 << 20},
		"short mask":    {Rows: 2, Cols: 2, Outside: []bool{true}},
		"NaN axis":      {Rows: 2, Cols: 2, X: Axis{First: math.NaN(), Step: 1}},
		"zero area":     {Rows: 1, Cols: 2, Area: []float64{1, 0}},
		"negative size": {Rows: 2, Cols: 2, Radius: -1},
	} {
		must.Be(t, g.Check() != nil, "%s: accepted", name)
	}
}

func TestSpacing(t *testing.T) {
	plane := Grid{Rows: 2, Cols: 3, X: Axis{Step: -2}, Y: Axis{Step: 0.5}}
	// A degree of a sphere of radius 180/π is 1 long, and half that in longitude at latitude 60.
	sphere := Grid{Rows: 3, Cols: 3, X: Axis{Step: 2}, Y: Axis{First: 62, Step: -2}, Radius: 180 / math.Pi}
	for _, c := range []struct {
		g            Grid
		across, down float64
	}{{plane, 2, 0.5}, {Grid{Rows: 1, Cols: 1}, 1, 1}, {sphere, 1, 2}} {
		across, down := c.g.Spacing()
		must.Be(t, math.Abs(across-c.across) <= 1e-12 && math.Abs(down-c.down) <= 1e-12,
			"spacing %g, %g, want %g, %g", across, down, c.across, c.down)
	}
}
