package expfam

import (
	"errors"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/internal/traits"
)

// Raster is a view of one number per cell: Z(c, r) is the value in column c from the left and row r from below, NaN
// where there is no value. A grid.Field is a Raster. A Raster may have a method Index(c, r int) int, which gives
// the position of a cell in a vector. Without this method rows follow each other from the top.
type Raster interface {
	Dims() (cols, rows int)
	Z(c, r int) float64
}

// ObserveField reduces a field with one observation per cell, such as the readers of package grid return:
//
//	obs, err := like.ObserveField(counts)              // a count per cell
//	obs, err := like.ObserveField(positive, examined)  // and the number of trials of each
//
// Known is at most one field of known constants: trials, exposures, standard deviations (see [Data]). A constant
// belongs to the y at the same place, also if one field begins with the row in the north and the other with the row
// in the south. Fields whose cells are more than half a cell apart are refused. A cell where y has no value, outside of
// the domain or NaN, is missing; it is not taken for 0. A cell is also missing where y is 0 and the number of trials or
// the exposure is 0 or has no value. The observations are in the order of y's vector.
//
// If a value is to blame for the error, the error is an [*InputError], which names the row and the column.
func (l Likelihood) ObserveField(y Raster, known ...Raster) (Observations, error) {
	l, err := l.only("observe")
	if err != nil {
		return nil, err
	}
	if len(known) > 1 {
		return nil, fmt.Errorf("expfam: observe: %d fields of known constants; give one, or sum replicates before",
			len(known))
	}
	values, err := readRaster("the field", y)
	if err != nil {
		return nil, err
	}
	d := Data{Y: [][]float64{values.z}}
	if len(known) == 1 {
		constants, err := readRaster("the field of known constants", known[0])
		if err != nil {
			return nil, err
		}
		if err := sameSize("the field", values.rows, values.cols, "that of known constants", constants.rows,
			constants.cols); err != nil {
			return nil, err
		}
		if err := samePlace(y, known[0]); err != nil {
			return nil, err
		}
		// The axes of the two may have opposite directions: some files begin with the row in the south.
		d.Known = [][]float64{values.read(known[0])}
	}
	obs, err := l.observe(d, door{"the field", "the second field", "observe field.Without(%g)",
		"give the second field.Without(%g)"})
	var input *InputError
	if errors.As(err, &input) {
		input.Columns = values.cols
	}
	return obs, err
}

// ObserveOn is [Likelihood.ObserveField] for a field with one value for each cell of a prior.
// It compares the sizes, and refuses a field whose rows and columns are swapped.
func (l Likelihood) ObserveOn(prior Prior, y Raster, known ...Raster) (Observations, error) {
	if prior == nil {
		return nil, errors.New("expfam: observe: there is no prior; give the one to sample with")
	}
	l, err := l.only("observe")
	if err != nil {
		return nil, err
	}
	if y == nil {
		return nil, errNoRaster
	}
	cols, rows := y.Dims()
	if sized, ok := prior.(Lattice); ok && l.Operator == nil {
		if r, c := sized.Lattice(); r > 1 && c > 1 {
			if err := sameSize("the field", rows, cols, "the prior", r, c); err != nil {
				return nil, err
			}
		}
	}
	want, of := prior.Dim(), "the prior"
	if l.Operator != nil {
		if err := checkOperator(l.Operator); err != nil {
			return nil, fmt.Errorf("expfam: observe: %w", err)
		}
		want, _ = l.Operator.Dims()
		of = "the operator"
	}
	if rows*cols != want {
		return nil, fmt.Errorf("expfam: observe: the field has %d rows and %d columns, that is %d cells, and %s "+
			"has %d; cut, pad or resize one of them", rows, cols, rows*cols, of, want)
	}
	return l.ObserveField(y, known...)
}

// sameSize refuses sizes that differ. Its error points out rows and columns that are swapped.
func sameSize(a string, rows, cols int, b string, rowsB, colsB int) error {
	switch {
	case rows == rowsB && cols == colsB:
		return nil
	case rows == colsB && cols == rowsB:
		return fmt.Errorf("expfam: observe: %s has %d rows and %d columns, %s %d rows and %d columns: one of them "+
			"is transposed; swap its rows and columns (Transpose of a grid.Field)", a, rows, cols, b, rowsB, colsB)
	}
	return fmt.Errorf("expfam: observe: %s has %d rows and %d columns, %s %d rows and %d columns; cut, pad or "+
		"resize one of them", a, rows, cols, b, rowsB, colsB)
}

// placed is a raster with the coordinates of its centres, ascending, such as a grid.Field.
type placed interface {
	Raster
	X(c int) float64
	Y(r int) float64
}

// samePlace refuses two rasters of the same size whose cells are more than half a cell apart. A raster whose centres
// are 0, 1, 2 … has no place, such as a field that was read from a table of numbers.
func samePlace(y, known Raster) error {
	a, okA := y.(placed)
	b, okB := known.(placed)
	if !okA || !okB || !hasPlace(a) || !hasPlace(b) {
		return nil
	}
	cols, rows := y.Dims()
	apart := func(at func(int) float64, other func(int) float64, n int) bool {
		if n == 1 {
			return false // a single centre has no distance to the next
		}
		most := 0.51 * math.Abs(at(1)-at(0)) // files differ in whether they place corners or centres
		return !(math.Abs(at(0)-other(0)) <= most && math.Abs(at(n-1)-other(n-1)) <= most)
	}
	if apart(a.X, b.X, cols) || apart(a.Y, b.Y, rows) {
		return fmt.Errorf("expfam: observe: the centres of the field are from (%.6g, %.6g) to (%.6g, %.6g), and "+
			"those of the known constants from (%.6g, %.6g) to (%.6g, %.6g); move one to the other's grid (Onto of a "+
			"grid.Field)", a.X(0), a.Y(0), a.X(cols-1), a.Y(rows-1), b.X(0), b.Y(0), b.X(cols-1), b.Y(rows-1))
	}
	return nil
}

// hasPlace reports whether a raster has other centres than 0, 1, 2 …
func hasPlace(f placed) bool {
	cols, rows := f.Dims()
	return f.X(0) != 0 || f.Y(0) != 0 || f.X(cols-1) != float64(cols-1) || f.Y(rows-1) != float64(rows-1)
}

// rasterValues are the values of a raster in the order of a vector.
type rasterValues struct {
	rows, cols int
	z          []float64
	index      func(c, r int) int // position in z of the cell in column c from the left and row r from below
}

// read returns the values of a raster of the same size, in the order of v.
func (v *rasterValues) read(f Raster) []float64 {
	z := make([]float64, v.rows*v.cols)
	for r := range v.rows {
		for c := range v.cols {
			z[v.index(c, r)] = f.Z(c, r)
		}
	}
	return z
}

var errNoRaster = errors.New("expfam: observe: there is no field; read one with package grid")

// readRaster returns the values of a raster. Errors call the raster name.
func readRaster(name string, f Raster) (*rasterValues, error) {
	if f == nil {
		return nil, errNoRaster
	}
	if err := traits.Check(f); err != nil {
		return nil, fmt.Errorf("expfam: observe: %s: %w", name, err)
	}
	v := &rasterValues{}
	if v.cols, v.rows = f.Dims(); v.cols < 1 || v.rows < 1 {
		return nil, fmt.Errorf("expfam: observe: %s has %d rows and %d columns; it needs at least one of each", name,
			v.rows, v.cols)
	}
	v.index = func(c, r int) int { return (v.rows-1-r)*v.cols + c }
	if owner, ok := f.(interface{ Index(c, r int) int }); ok {
		v.index = owner.Index
	}
	v.z = v.read(f)
	return v, nil
}
