package raster

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/npy"
	"github.com/expfam/lab/internal/safefile"
)

// Array is a NumPy array. Its values are in C order, whatever their order in the file.
type Array struct {
	Shape  []int
	Values []float64
}

// Field returns a two-dimensional array as a field with row 0 on top. Cells that are NaN are outside.
func (a Array) Field() (grid.Field, error) {
	if len(a.Shape) != 2 {
		return grid.Field{}, fmt.Errorf("raster: an array of shape %v is no field; it needs rows and columns", a.Shape)
	}
	return grid.Grid{Rows: a.Shape[0], Cols: a.Shape[1]}.Field(append([]float64(nil), a.Values...))
}

// ReadNPY reads a .npy file, format 1 to 3, of booleans, integers or floats of 32 or 64 bits in either byte order.
// Integers that float64 does not hold are an error, and so is a file that is shorter or longer than its header says.
func ReadNPY(path string) (Array, error) {
	data, err := safefile.Read(path, math.MaxInt64)
	if err != nil {
		return Array{}, fmt.Errorf("raster: %w", err)
	}
	shape, values, err := npy.Decode(data)
	if err != nil {
		return Array{}, fmt.Errorf("raster: %s: %w", path, err)
	}
	return Array{shape, values}, nil
}
