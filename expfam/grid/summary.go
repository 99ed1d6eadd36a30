package grid

import (
	"fmt"
	"math"
)

// String sums up the field in a line: its size, how many cells have no value, and the mean and the range of the others.
// For example: 1x40 cells, 1 of 40 missing, mean 3.3, 0 to 9.
func (f Field) String() string {
	size := fmt.Sprintf("%dx%d cells", f.Grid.Rows, f.Grid.Cols)
	if err := f.Check(); err != nil {
		return fmt.Sprintf("%s with %d values (%v)", size, len(f.Values), err)
	}
	low, high, n := math.Inf(1), math.Inf(-1), 0
	for j, v := range f.Values {
		if !f.missing(j) {
			low, high, n = min(low, v), max(high, v), n+1
		}
	}
	if n == 0 {
		return size + ", all missing"
	}
	if all := len(f.Values); n < all {
		size += fmt.Sprintf(", %d of %d missing", all-n, all)
	}
	return fmt.Sprintf("%s, mean %.4g, %.4g to %.4g", size, f.Mean(), low, high)
}

// Mean returns the mean of the cells that have a value, NaN if no cell has one.
func (f Field) Mean() float64 {
	sum, n := 0.0, 0
	for j, v := range f.Values {
		if !f.missing(j) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// Row returns row r of the field, NaN in cells outside. The field of a [Column] has one row,
// which can be drawn as a line.
func (f Field) Row(r int) []float64 {
	row := make([]float64, f.Grid.Cols)
	for c := range row {
		j := f.Grid.Index(r, c)
		if row[c] = f.Values[j]; !f.Grid.Inside(j) {
			row[c] = math.NaN()
		}
	}
	return row
}
