package grid

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Field is one number per cell: an image, a raster, a truth.
type Field struct {
	Grid Grid
	// Values has a number for every cell, row after row. It is NaN where a cell has no value: all readers and
	// methods of this package write NaN in cells outside. In a field that is made by hand, a number in a cell outside
	// is ignored, and NaN in a cell inside is a missing value.
	Values []float64
	// Counts says that values are numbers of people or things in the cells, which are summed and not averaged:
	// [Field.Onto] and [Field.Coarsen] refuse such a field. Readers of rasters set it if the name of the file, the unit
	// or the description says so, such as nga_ppp_2020.tif. Set it to false to average anyway.
	Counts bool
}

// missing reports whether cell j has no value.
func (f Field) missing(j int) bool { return !f.Grid.Inside(j) || math.IsNaN(f.Values[j]) }

// Dims, X, Y and Z implement gonum/plot's GridXYZ: c and r count from the lower left,
// whatever the direction of the axes, and cells outside are NaN.
func (f Field) Dims() (c, r int) { return f.Grid.Cols, f.Grid.Rows }

// X returns the c-th lowest x coordinate of the cell centres, from 0.
func (f Field) X(c int) float64 {
	x, _ := f.Grid.Axes()
	return x.At(x.ascending(c, f.Grid.Cols))
}

// Y returns the r-th lowest y coordinate of the cell centres, from 0.
func (f Field) Y(r int) float64 {
	_, y := f.Grid.Axes()
	return y.At(y.ascending(r, f.Grid.Rows))
}

// Z returns the value at (X(c), Y(r)), NaN in a cell outside.
func (f Field) Z(c, r int) float64 {
	j := f.Index(c, r)
	if !f.Grid.Inside(j) {
		return math.NaN()
	}
	return f.Values[j]
}

// Index returns the position in a vector of the cell at (X(c), Y(r)).
func (f Field) Index(c, r int) int {
	x, y := f.Grid.Axes()
	return f.Grid.Index(y.ascending(r, f.Grid.Rows), x.ascending(c, f.Grid.Cols))
}

// ascending returns the index of the i-th lowest of n centres.
func (a Axis) ascending(i, n int) int {
	if a.Step < 0 {
		return n - 1 - i
	}
	return i
}

// NewField makes a field from rows of numbers, the top row first. Cells that are NaN are outside.
func NewField(rows [][]float64) (Field, error) {
	if len(rows) == 0 {
		return Field{}, errors.New("grid: there are no rows")
	}
	g := Grid{Rows: len(rows), Cols: len(rows[0])}
	values, err := g.Vector(rows)
	if err != nil {
		return Field{}, err
	}
	return g.Field(values)
}

// Check refuses an impossible grid, and a number of values that differs from the number of cells.
func (f Field) Check() error {
	if err := f.Grid.Check(); err != nil {
		return err
	}
	if len(f.Values) != f.Grid.Len() {
		return fmt.Errorf("grid: a field of %d values on %d rows and %d columns", len(f.Values), f.Grid.Rows,
			f.Grid.Cols)
	}
	return nil
}

// Without returns the field in which cells with one of the given values are outside of the
// domain. For example, some files mark a missing value by -9999.
func (f Field) Without(values ...float64) Field {
	out := Field{Grid: f.Grid, Values: slices.Clone(f.Values), Counts: f.Counts}
	out.Grid.Outside = make([]bool, len(f.Values))
	copy(out.Grid.Outside, f.Grid.Outside)
	for j, v := range f.Values {
		if slices.Contains(values, v) {
			out.Grid.Outside[j] = true
		}
		if out.Grid.Outside[j] {
			out.Values[j] = math.NaN()
		}
	}
	return out
}

// Transpose swaps rows and columns, for arrays that were written the other way round. The axes of
// the result have their defaults, because the old axes describe the wrong directions.
func (f Field) Transpose() Field {
	g := f.Grid
	out := Field{Grid: Grid{Rows: g.Cols, Cols: g.Rows, Radius: g.Radius}, Values: transpose(g, f.Values),
		Counts: f.Counts}
	out.Grid.Outside, out.Grid.Area = transpose(g, g.Outside), transpose(g, g.Area)
	out.blank()
	return out
}

func transpose[T any](g Grid, x []T) []T {
	if x == nil {
		return nil
	}
	out := make([]T, len(x))
	for j, v := range x {
		r, c := g.Cell(j)
		out[c*g.Rows+r] = v
	}
	return out
}

// Stretch scales the values of the cells inside to [−1, 1]: x ↦ 2 (x − min)/(max − min) − 1.
// The paper does so with every image.
func (f Field) Stretch() (Field, error) {
	if err := f.undeclared(); err != nil {
		return Field{}, err
	}
	low, high := math.Inf(1), math.Inf(-1)
	for j, v := range f.Values {
		if !f.missing(j) {
			low, high = min(low, v), max(high, v)
		}
	}
	if !(high > low) || math.IsInf(high-low, 0) {
		return Field{}, fmt.Errorf("grid: all values are %g to %g; there is no range to scale to [-1, 1]", low, high)
	}
	out := Field{Grid: f.Grid, Values: make([]float64, len(f.Values))}
	for j, v := range f.Values {
		out.Values[j] = 2*((v-low)/(high-low)) - 1
	}
	out.blank()
	return out, nil
}

// Crop returns the part of rows × cols cells whose first cell is (r, c).
func (f Field) Crop(r, c, rows, cols int) (Field, error) {
	g := f.Grid
	if r < 0 || c < 0 || rows < 1 || cols < 1 || rows > g.Rows-r || cols > g.Cols-c {
		return Field{}, fmt.Errorf("grid: a crop of %d by %d from (%d, %d) does not fit into %d rows and %d columns",
			rows, cols, r, c, g.Rows, g.Cols)
	}
	x, y := g.Axes()
	x.First, y.First = x.At(c), y.At(r)
	out := Field{Grid: Grid{Rows: rows, Cols: cols, X: x, Y: y, Radius: g.Radius}, Counts: f.Counts}
	out.Values = crop(g, f.Values, r, c, rows, cols)
	out.Grid.Outside = crop(g, g.Outside, r, c, rows, cols)
	out.Grid.Area = crop(g, g.Area, r, c, rows, cols)
	out.blank()
	return out, nil
}

func crop[T any](g Grid, x []T, r, c, rows, cols int) []T {
	if x == nil {
		return nil
	}
	out := make([]T, 0, rows*cols)
	for i := range rows {
		at := g.Index(r+i, c)
		out = append(out, x[at:at+cols]...)
	}
	return out
}

// Coarsen returns the field on the blocks of [Grid.Coarsen]. The value of a block is the mean
// of its cells that have a value, weighted by area: the average intensity. A field of Counts is refused.
func (f Field) Coarsen(rows, cols int) (Field, error) {
	if f.Counts {
		return Field{}, errors.New("grid: a mean of numbers of people has no meaning: sum them with SumOnto or " +
			"BlockSums, or set Counts of the field to false to average")
	}
	if err := f.undeclared(); err != nil {
		return Field{}, err
	}
	coarse, err := f.Grid.Coarsen(rows, cols)
	if err != nil {
		return Field{}, err
	}
	area := f.Grid.Areas()
	weighted := make([]float64, len(area))
	for j, a := range area {
		if f.missing(j) {
			area[j] = 0
		} else {
			weighted[j] = a * f.Values[j]
		}
	}
	sums, areas := f.Grid.BlockSums(weighted, rows, cols), f.Grid.BlockSums(area, rows, cols)
	for j, a := range areas {
		sums[j] /= a // NaN in a block without a value
	}
	return Field{Grid: coarse, Values: sums}, nil
}

// Field makes a field of the grid. Cells of a value that is NaN are outside. An infinite value is an error. The field
// shares values, which are not copied.
func (g Grid) Field(values []float64) (Field, error) {
	g.Outside = slices.Clone(g.Outside)
	f := Field{Grid: g, Values: values}
	if err := f.Check(); err != nil {
		return Field{}, err
	}
	for j, v := range values {
		if math.IsInf(v, 0) {
			r, c := g.Cell(j)
			return Field{}, fmt.Errorf("row %d, column %d is %g; values must be finite, or NaN outside of the domain",
				r, c, v)
		}
		if math.IsNaN(v) {
			if f.Grid.Outside == nil {
				f.Grid.Outside = make([]bool, len(values))
			}
			f.Grid.Outside[j] = true
		}
	}
	f.blank()
	return f, nil
}

// blank writes NaN in cells outside.
func (f Field) blank() {
	for j := range f.Values {
		if !f.Grid.Inside(j) {
			f.Values[j] = math.NaN()
		}
	}
}
