package increments

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/operator"
)

// fourier returns the operator that takes coefficients of the discrete Fourier transform of a line of d cells, as in
// magnetic resonance. The data of a frequency f, in waves per line, are the real and the imaginary part of
//
//	d^(−1/2) Σⱼ xⱼ exp(−2πi f j/d).
//
// The frequencies 0 and d/2 have no imaginary part, and therefore one datum. keep has frequencies from 0 to d/2, each
// at most once.
func fourier(d int, keep []int) *operator.Dense {
	var rows []float64
	add := func(frequency int, phase float64) {
		for j := range d {
			// Reducing the product modulo d keeps the angle exact.
			w := math.Cos(2*math.Pi*float64(frequency*j%d)/float64(d) + phase)
			if math.Abs(w) <= 1e-15 {
				w = 0
			}
			rows = append(rows, w/math.Sqrt(float64(d)))
		}
	}
	for _, f := range keep {
		add(f, 0)
		if f > 0 && 2*f < d {
			add(f, math.Pi/2) // cos(u + π/2) = −sin u
		}
	}
	return &operator.Dense{Matrix: mat.NewDense(len(rows)/d, d, rows)}
}
