package grid

import "math"

// Mean is the mean of the cells that have a value, NaN if none has.
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

// Row is row r of the field, NaN in cells outside. A [Column] has one row, which figures
// of lines take.
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
