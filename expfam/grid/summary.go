package grid

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

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
func (f Field) Mean() float64 { return f.Sum() / float64(len(f.present())) }

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

// Spectrum returns the power of an image by spatial frequency: the squared modulus of its Fourier transform, averaged
// over directions. The mean is subtracted first, and a Hann window in both directions suppresses the borders. power[k]
// is the mean power in the ring of frequencies within ½ of k + 1 cycles across the shorter side of the image, up to
// half a cycle per cell. White noise of variance 1 has power 1 at every frequency except the first, where subtracting
// the mean removes a third. A spectrum that falls with a power of the frequency is a straight line on logarithmic axes.
func Spectrum(g Grid, x []float64) (frequency, power []float64, err error) {
	if err := g.Check(); err != nil {
		return nil, nil, err
	}
	if len(x) != g.Len() || min(g.Rows, g.Cols) < 4 {
		return nil, nil, fmt.Errorf("grid: spectrum of %d cells on a grid of %d by %d; give all cells of one with "+
			"at least 4 along each side", len(x), g.Rows, g.Cols)
	}
	rows, cols := hann(g.Rows), hann(g.Cols)
	var mean, mass, squares float64
	for j, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, fmt.Errorf("grid: spectrum: cell %d is %g; fill or crop what is missing", j, v)
		}
		w := rows[j/g.Cols] * cols[j%g.Cols]
		mean += w * v
		mass += w
		squares += w * w
	}
	mean /= mass
	values := make([][]complex128, g.Rows)
	along, across := fourier.NewCmplxFFT(g.Cols), fourier.NewCmplxFFT(g.Rows)
	for r := range values {
		values[r] = make([]complex128, g.Cols)
		for c := range values[r] {
			values[r][c] = complex(rows[r]*cols[c]*(x[r*g.Cols+c]-mean), 0)
		}
		along.Coefficients(values[r], values[r])
	}
	side := min(g.Rows, g.Cols)
	power, count := make([]float64, side/2), make([]float64, side/2)
	column := make([]complex128, g.Rows)
	for c := range g.Cols {
		for r := range column {
			column[r] = values[r][c]
		}
		across.Coefficients(column, column)
		for r, v := range column {
			// k is in cycles across the shorter side.
			k := int(math.Round(float64(side) * math.Hypot(across.Freq(r), along.Freq(c))))
			if k >= 1 && k <= len(power) {
				power[k-1] += real(v * cmplx.Conj(v))
				count[k-1]++
			}
		}
	}
	frequency = make([]float64, len(power))
	for k := range power {
		frequency[k] = float64(k + 1)
		power[k] /= count[k] * squares
	}
	return frequency, power, nil
}

// hann returns the window sin²(π (i + ½)/n).
func hann(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Pow(math.Sin(math.Pi*(float64(i)+0.5)/float64(n)), 2)
	}
	return w
}
