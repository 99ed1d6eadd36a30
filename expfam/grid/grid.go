package grid

import (
	"cmp"
	"fmt"
	"math"
)

// Grid is a lattice of Rows × Cols cells. With only Rows and Cols set it is the paper's grid: cells of area 1, none
// outside the domain. A field on the grid is a vector of length [Grid.Len], row after row.
type Grid struct {
	Rows, Cols int
	// X and Y place the centres: cell (r, c) is at (X.At(c), Y.At(r)). An axis whose Step is 0 has spacing 1 and its
	// lowest centre at First. Such a Y axis has row 0 on top, as in images and rasters.
	X, Y Axis
	// Outside marks cells that don't belong to the domain. Default none.
	Outside []bool
	// Radius is the radius of the sphere, for axes that are longitude and latitude in degrees. The unit of areas is the
	// square of the unit of Radius: EarthRadius gives km². Default 0, a plane.
	Radius float64
	// Area overrides |Sⱼ|, the area of every cell. Default: the area follows from the spacing.
	Area []float64
}

// EarthRadius is the mean radius R₁ of the Earth in kilometres (IUGG). The areas of cells
// on the ellipsoid differ from those on this sphere by up to 0.7%.
const EarthRadius = 6371.0088

// Axis is a line of equally spaced centres.
type Axis struct {
	Name, Unit string
	// First is the centre of cell 0. Step is the distance to the next centre and may be negative.
	First, Step float64
}

// At returns the centre of cell i. If Step may be 0, take the axis from [Grid.Axes] first.
func (a Axis) At(i int) float64 { return a.First + float64(i)*a.Step }

// String returns the label of the axis for figures, such as "easting (km)".
func (a Axis) String() string {
	if a.Unit == "" {
		return a.Name
	}
	return fmt.Sprintf("%s (%s)", a.Name, a.Unit)
}

// locate returns the cell that contains u. A cell contains its first edge; the last cell
// contains both edges. A point that rounding moved off an outer edge is on it.
func (a Axis) locate(u float64, n int) (int, bool) {
	const rounding = 1e-9 // of the outer edges, in cells
	i := (u-a.First)/a.Step + 0.5
	if !(i >= -rounding && i <= float64(n)+rounding) {
		return 0, false
	}
	return min(max(int(i), 0), n-1), true
}

// Axes returns X and Y with their defaults filled in.
func (g Grid) Axes() (x, y Axis) {
	x, y = g.X, g.Y
	x.Step = cmp.Or(x.Step, 1)
	if y.Step == 0 {
		y.Step = -1
		y.First += float64(g.Rows - 1)
	}
	return x, y
}

// Spacing returns the distances between neighbouring centres in a row (across) and in a column (down), in the unit of
// the axes. On a sphere they are measured in the middle row, in the unit of Radius.
func (g Grid) Spacing() (across, down float64) {
	x, y := g.Axes()
	across, down = math.Abs(x.Step), math.Abs(y.Step)
	if g.Radius == 0 {
		return across, down
	}
	middle := (y.At(0) + y.At(g.Rows-1)) / 2
	return g.Radius * radians(across) * math.Cos(radians(middle)), g.Radius * radians(down)
}

// Len returns the number of cells, cells outside included.
func (g Grid) Len() int { return g.Rows * g.Cols }

// Index returns the position of cell (r, c) in a vector.
func (g Grid) Index(r, c int) int { return r*g.Cols + c }

// Cell returns the row and the column of cell j. It is the inverse of Index.
func (g Grid) Cell(j int) (r, c int) { return j / g.Cols, j % g.Cols }

// Centre returns the centre of cell j.
func (g Grid) Centre(j int) (x, y float64) {
	ax, ay := g.Axes()
	r, c := g.Cell(j)
	return ax.At(c), ay.At(r)
}

// Locate returns the cell that contains a point; ok is false if the point is off the grid. A point on the edge between
// two cells belongs to the later cell. A point on the last edge of the grid belongs to the last cell.
func (g Grid) Locate(x, y float64) (j int, ok bool) {
	ax, ay := g.Axes()
	c, inX := ax.locate(x, g.Cols)
	r, inY := ay.locate(y, g.Rows)
	return g.Index(r, c), inX && inY
}

// Inside reports whether cell j belongs to the domain.
func (g Grid) Inside(j int) bool { return g.Outside == nil || !g.Outside[j] }

// Matrix cuts a vector into rows, which share its memory.
func (g Grid) Matrix(x []float64) [][]float64 {
	rows := make([][]float64, g.Rows)
	for r := range rows {
		rows[r] = x[r*g.Cols : (r+1)*g.Cols]
	}
	return rows
}

// Check refuses an impossible grid.
func (g Grid) Check() error {
	if g.Rows < 1 || g.Cols < 1 || g.Rows > math.MaxInt32/g.Cols {
		return fmt.Errorf("grid: %d rows and %d columns; both must be at least 1 and the cells fewer than 2³¹", g.Rows,
			g.Cols)
	}
	if g.Outside != nil && len(g.Outside) != g.Len() {
		return fmt.Errorf("grid: Outside has %d cells, the grid %d", len(g.Outside), g.Len())
	}
	for _, a := range []Axis{g.X, g.Y} {
		if s := a.First + a.Step; math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("grid: axis %q begins at %g with step %g; both must be finite", a.Name, a.First, a.Step)
		}
	}
	return g.checkArea()
}

// CountIf returns the number of cells in the domain for which is returns true.
func (g Grid) CountIf(is func(j int) bool) (n int) {
	for j := range g.Len() {
		if g.Inside(j) && is(j) {
			n++
		}
	}
	return n
}

// BlockSums returns the sum of x over the cells of every block of rows × cols cells, block by block as the cells of a
// grid. Cells outside of the domain are left out. Blocks at the last row and column may have fewer cells.
func (g Grid) BlockSums(x []float64, rows, cols int) []float64 {
	wide := (g.Cols + cols - 1) / cols
	sums := make([]float64, (g.Rows+rows-1)/rows*wide)
	for j, v := range x {
		if r, c := g.Cell(j); g.Inside(j) {
			sums[r/rows*wide+c/cols] += v
		}
	}
	return sums
}
