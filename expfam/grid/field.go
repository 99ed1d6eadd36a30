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
	// [Field.Onto] refuses such a field. Readers of rasters set it if the name of the file, the unit or the description
	// says so, such as nga_ppp_2020.tif. Set it to false to average anyway.
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
	values := make([]float64, 0, g.Len())
	for r, row := range rows {
		if len(row) != g.Cols {
			return Field{}, fmt.Errorf("grid: row %d has %d cells, the grid has %d columns", r, len(row), g.Cols)
		}
		values = append(values, row...)
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
