package gp

import "gonum.org/v1/gonum/dsp/fourier"

// torus is an array of rows × cols numbers, with the Fourier transform along both axes. Only one goroutine may use
// it at a time.
type torus struct {
	rows, cols    int
	values        []complex128
	column        []complex128      // work space
	along, across *fourier.CmplxFFT // of a row and of a column
}

func newTorus(rows, cols int) *torus {
	return &torus{rows: rows, cols: cols, values: make([]complex128, rows*cols), column: make([]complex128, rows),
		along: fourier.NewCmplxFFT(cols), across: fourier.NewCmplxFFT(rows)}
}

// embed writes x, rows × cols, into the first rows and columns, and 0 elsewhere.
func (t *torus) embed(x []float64, rows, cols int) {
	clear(t.values)
	for r := range rows {
		for c := range cols {
			t.values[r*t.cols+c] = complex(x[r*cols+c], 0)
		}
	}
}

// forward applies the Fourier transform Σ v exp(−2πi …), in place.
func (t *torus) forward() { t.transform((*fourier.CmplxFFT).Coefficients) }

// inverse applies the inverse of forward, in place.
func (t *torus) inverse() {
	t.transform((*fourier.CmplxFFT).Sequence)
	n := complex(float64(len(t.values)), 0)
	for i := range t.values {
		t.values[i] /= n
	}
}

// transform applies the one-dimensional transform f to every row and then to every column.
func (t *torus) transform(f func(t *fourier.CmplxFFT, dst, seq []complex128) []complex128) {
	for r := range t.rows {
		row := t.values[r*t.cols : (r+1)*t.cols]
		f(t.along, row, row)
	}
	for c := range t.cols {
		for r := range t.rows {
			t.column[r] = t.values[r*t.cols+c]
		}
		f(t.across, t.column, t.column)
		for r := range t.rows {
			t.values[r*t.cols+c] = t.column[r]
		}
	}
}
