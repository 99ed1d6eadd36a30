package grid

import "math"

// Mean returns the mean of the cells that have a value, NaN if no cell has one.
func (f Field) Mean() float64 {
	sum, n := 0.0, 0
	for j, v := range f.Values {
		if f.Grid.Inside(j) && !math.IsNaN(v) {
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
