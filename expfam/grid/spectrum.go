package grid

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Spectrum returns the power of an image by spatial frequency: the squared modulus of its
// Fourier transform, averaged over directions. The mean is subtracted first, and a Hann window in
// both directions suppresses the borders. power[k] is the mean power in the ring of frequencies
// within ½ of k + 1 cycles across the shorter side of the image, up to half a cycle per cell.
// White noise of variance 1 has power 1 at every frequency except the first, where subtracting
// the mean removes a third. A spectrum that falls with a power of the frequency is a straight
// line on logarithmic axes.
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
