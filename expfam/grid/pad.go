package grid

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// Padding is a grid that was enlarged by rows below and columns on the right. The added cells are
// outside of the domain.
type Padding struct {
	Grid   Grid // the enlarged grid
	Within Grid // the grid before it was enlarged
}

// Pad enlarges a grid until its rows and columns are multiples of a number, for networks that
// halve the grid. A U-Net with n resolutions, the len(Multiples) of nn.UNet, needs multiples of
// 2ⁿ⁻¹. A grid whose rows and columns are such multiples keeps its size.
func (g Grid) Pad(multiple int) (Padding, error) {
	if err := g.Check(); err != nil {
		return Padding{}, err
	}
	if multiple < 1 || multiple > 1<<16 {
		return Padding{}, fmt.Errorf("grid: rows and columns in multiples of %d; give 1 to 65536, for a U-Net a "+
			"factor of 2 for each halving", multiple)
	}
	up := func(n int) int { return (n + multiple - 1) / multiple * multiple }
	p := Padding{Grid: Grid{Rows: up(g.Rows), Cols: up(g.Cols), Radius: g.Radius}, Within: g}
	p.Grid.X, p.Grid.Y = g.Axes()
	p.Grid.Outside = make([]bool, p.Grid.Len())
	for j := range p.Grid.Outside {
		r, c := p.Grid.Cell(j)
		p.Grid.Outside[j] = r >= g.Rows || c >= g.Cols || !g.Inside(g.Index(r, c))
	}
	if g.Area != nil {
		p.Grid.Area = p.spread(g.Area)
	}
	if err := p.Grid.Check(); err != nil {
		return Padding{}, fmt.Errorf("%w (after %d by %d cells became %d by %d)", err, g.Rows, g.Cols, p.Grid.Rows,
			p.Grid.Cols)
	}
	return p, nil
}

// spread moves the numbers x of the grid within onto the enlarged grid. The added cells have the number 0.
func (p Padding) spread(x []float64) []float64 {
	out := make([]float64, p.Grid.Len())
	for j, v := range x {
		r, c := p.Within.Cell(j)
		out[p.Grid.Index(r, c)] = v
	}
	return out
}

// Field moves a field of the grid within onto the enlarged grid. The added cells have no value,
// so ObserveField takes them as missing.
func (p Padding) Field(f Field) (Field, error) {
	if err := f.Check(); err != nil {
		return Field{}, err
	}
	if f.Grid.Rows != p.Within.Rows || f.Grid.Cols != p.Within.Cols {
		return Field{}, fmt.Errorf("grid: a field of %d rows and %d columns on a grid of %d and %d that was "+
			"enlarged; give one of the same grid", f.Grid.Rows, f.Grid.Cols, p.Within.Rows, p.Within.Cols)
	}
	if !p.Within.sharesCentres(f.Grid) {
		return Field{}, fmt.Errorf("grid: the first cell of the field is at %s and that of the grid that was "+
			"enlarged at %s, or their rows run in opposite directions; give a field of the same grid, or move it "+
			"there with Onto", f.Grid.first(), p.Within.first())
	}
	g := p.Grid
	g.Outside = make([]bool, g.Len())
	for j := range g.Outside {
		r, c := g.Cell(j)
		g.Outside[j] = r >= f.Grid.Rows || c >= f.Grid.Cols || !f.Grid.Inside(f.Grid.Index(r, c))
	}
	out := Field{Grid: g, Values: p.spread(f.Values), Counts: f.Counts}
	out.blank()
	return out, nil
}

// sharesCentres reports whether the centres of another grid of the same size are those of g, up to half a cell. It is
// also true if one of them has no axes, such as the grid of a table of numbers.
func (g Grid) sharesCentres(other Grid) bool {
	nowhere := func(g Grid) bool { return g.X.First == 0 && g.X.Step == 0 && g.Y.First == 0 && g.Y.Step == 0 }
	if nowhere(g) || nowhere(other) {
		return true
	}
	ax, ay := g.Axes()
	bx, by := other.Axes()
	near := func(a, b Axis, n int) bool {
		most := 0.51 * math.Abs(a.Step)
		return math.Abs(a.At(0)-b.At(0)) <= most && math.Abs(a.At(n-1)-b.At(n-1)) <= most
	}
	return near(ax, bx, g.Cols) && near(ay, by, g.Rows)
}

// first returns the centre of the first cell as text.
func (g Grid) first() string {
	x, y := g.Centre(0)
	return fmt.Sprintf("(%.6g, %.6g)", x, y)
}

// Cells returns the cells of the enlarged grid that belong to the grid within, in the order of the grid within.
func (p Padding) Cells() []int {
	cells := make([]int, p.Within.Len())
	for j := range cells {
		r, c := p.Within.Cell(j)
		cells[j] = p.Grid.Index(r, c)
	}
	return cells
}

// Cut cuts a posterior on the enlarged grid back to the grid within.
func (p Padding) Cut(post *expfam.Posterior) (*expfam.Posterior, error) {
	if post == nil || post.X == nil {
		return nil, fmt.Errorf("grid: the posterior is nil; look at the error of the function that should have made it")
	}
	if _, cells := post.Dims(); cells != p.Grid.Len() {
		return nil, fmt.Errorf("grid: a posterior of %d cells on a grid of %d rows and %d columns; give one that "+
			"was sampled on it", cells, p.Grid.Rows, p.Grid.Cols)
	}
	out, err := post.Part(p.Cells())
	if err != nil {
		return nil, err
	}
	out.Info.Rows, out.Info.Cols = p.Within.Rows, p.Within.Cols
	return out, nil
}
