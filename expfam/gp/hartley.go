package gp

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// hartley is the orthonormal transform Σ x (cos 2πi… + sin 2πi…) of a torus of 2·rows × 2·cols, at its first rows and
// columns. It is real and its own inverse. Its numbers are those of Fourier's transform of real numbers, of which half
// of the columns are enough.
type hartley struct {
	rows, cols int
	row        []float64
	half       []complex128 // 2·rows × (cols + 1)
	strip      []complex128 // the columns that are transformed together
	along      *fourier.FFT
	across     *fourier.CmplxFFT
}

// stripWidth is the number of columns that are copied together: as many as lie on a line of the cache.
const stripWidth = 4

func newHartley(rows, cols int) *hartley {
	return &hartley{rows: rows, cols: cols, row: make([]float64, 2*cols), half: make([]complex128, 2*rows*(cols+1)),
		strip: make([]complex128, stripWidth*2*rows), along: fourier.NewFFT(2 * cols),
		across: fourier.NewCmplxFFT(2 * rows)}
}

// transform transforms the given rows of numbers, with zeros below them. It finds so many columns.
func (h *hartley) transform(x []float64, rows, cols int) {
	width, high, n := h.cols+1, 2*h.rows, len(x)/rows
	clear(h.row)
	clear(h.half[rows*width:])
	for r := range rows {
		copy(h.row, x[r*n:(r+1)*n])
		h.along.Coefficients(h.half[r*width:(r+1)*width], h.row)
	}
	for from := 0; from < cols; from += stripWidth {
		some := min(stripWidth, cols-from)
		for r := range high {
			for c, v := range h.half[r*width+from:][:some] {
				h.strip[c*high+r] = v
			}
		}
		for c := range some {
			column := h.strip[c*high : (c+1)*high]
			h.across.Coefficients(column, column)
		}
		for r := range high {
			for c := range some {
				h.half[r*width+from+c] = h.strip[c*high+r]
			}
		}
	}
}

// Synthesise implements [latent.Transform].
func (h *hartley) Synthesise(x, z []float64) {
	h.transform(z, 2*h.rows, h.cols)
	scale := 1 / math.Sqrt(float64(len(z)))
	for r := range h.rows {
		for c, v := range h.half[r*(h.cols+1):][:h.cols] {
			x[r*h.cols+c] = scale * (real(v) - imag(v))
		}
	}
}

// Analyse implements [latent.Transform].
func (h *hartley) Analyse(z, x []float64) {
	h.transform(x, h.rows, h.cols+1)
	scale, width := 1/math.Sqrt(float64(len(z))), h.cols+1
	for r := range 2 * h.rows {
		row, mirrored := h.half[r*width:][:width], h.half[(2*h.rows-r)%(2*h.rows)*width:][:width]
		to := z[r*2*h.cols:][:2*h.cols]
		for c, v := range row {
			to[c] = scale * (real(v) - imag(v))
		}
		for c := 1; c < h.cols; c++ { // the other columns are conjugates
			v := mirrored[c]
			to[2*h.cols-c] = scale * (real(v) + imag(v))
		}
	}
}
