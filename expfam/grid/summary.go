package grid

import (
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/nodata"
)

// String sums up the field in a line: its size, how many cells have no value, and the mean and the range of the others.
// For example: 1x40 cells, 1 of 40 missing, mean 3.3, 0 to 9. It names a number that seems to mark missing values.
func (f Field) String() string {
	text := fmt.Sprintf("%dx%d cells", f.Grid.Rows, f.Grid.Cols)
	if err := f.Check(); err != nil {
		return fmt.Sprintf("%s with %d values (%v)", text, len(f.Values), err)
	}
	values := f.present()
	if len(values) == 0 {
		return text + ", all missing"
	}
	if n, all := len(values), len(f.Values); n < all {
		text += fmt.Sprintf(", %d of %d missing", all-n, all)
	}
	text += fmt.Sprintf(", mean %.4g, %.4g to %.4g", f.Mean(), slices.Min(values), slices.Max(values))
	if marks, _ := f.marks(); marks != "" {
		text += fmt.Sprintf("; if %s marks cells without a value, take Without(%s)", marks, marks)
	}
	return text
}

// present returns the values of the cells that have one.
func (f Field) present() []float64 {
	values := make([]float64, 0, len(f.Values))
	for j, v := range f.Values {
		if !f.missing(j) {
			values = append(values, v)
		}
	}
	return values
}

// marks returns the numbers that seem to mark missing values, as the arguments of Without, and the range of the others.
// It returns "" if there are none.
func (f Field) marks() (marks, others string) {
	values := f.present()
	found := nodata.Marks(values)
	if len(found) == 0 {
		return "", ""
	}
	for _, v := range found {
		marks += fmt.Sprintf(", %g", v)
	}
	others = "have no value"
	if values = slices.DeleteFunc(values, func(v float64) bool { return slices.Contains(found, v) }); len(values) > 0 {
		others = fmt.Sprintf("%g to %g", slices.Min(values), slices.Max(values))
	}
	return marks[2:], others
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

// Row returns row r of the field, NaN in cells outside. The field of a raster.Column has one row,
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
