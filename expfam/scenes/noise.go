package scenes

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/dsp/fourier"
)

// spectral draws two independent Gaussian fields on an n × n torus with mean 0, variance 1 and power proportional to
// |k|^(−2a) at every wave number k ≠ 0. They are the real and the imaginary part of one transform of white noise.
func spectral(rng *rand.Rand, n int, a float64) (u, v []float64) {
	z := make([]complex128, n*n)
	half := n/2 + 1
	falls := make([]float64, half*half) // |k|^(−a) for k ≥ 0, a table because math.Pow is slow
	for j := 1; j < len(falls); j++ {
		kx, ky := float64(j%half), float64(j/half)
		falls[j] = math.Pow(kx*kx+ky*ky, -a/2)
	}
	var power float64
	for j := 1; j < len(z); j++ {
		s := falls[min(j/n, n-j/n)*half+min(j%n, n-j%n)]
		power += s * s
		z[j] = complex(s*rng.NormFloat64(), s*rng.NormFloat64())
	}
	fft := fourier.NewCmplxFFT(n)
	line := make([]complex128, n)
	for r := range n {
		row := z[r*n : (r+1)*n]
		copy(row, fft.Sequence(line, row))
	}
	column := make([]complex128, n)
	for c := range n {
		for r := range n {
			column[r] = z[r*n+c]
		}
		fft.Sequence(line, column)
		for r := range n {
			z[r*n+c] = line[r]
		}
	}
	u, v = make([]float64, n*n), make([]float64, n*n)
	scale := 1 / math.Sqrt(power)
	for j, w := range z {
		u[j], v[j] = real(w)*scale, imag(w)*scale
	}
	return u, v
}

// torus is a square of tileSize pixels that repeats in both directions.
type torus []float32

const (
	tileBits = 8
	tileSize = 1 << tileBits
	tileMask = tileSize - 1
)

// at returns the value at (x, y), interpolated linearly between four pixels.
func (t torus) at(x, y float32) float32 {
	fx, fy := float32(math.Floor(float64(x))), float32(math.Floor(float64(y)))
	x, y = x-fx, y-fy
	c, r := int(fx)&tileMask, int(fy)&tileMask
	c1, r, r1 := (c+1)&tileMask, r<<tileBits, ((r+1)&tileMask)<<tileBits
	top := t[r|c] + x*(t[r|c1]-t[r|c])
	low := t[r1|c] + x*(t[r1|c1]-t[r1|c])
	return top + y*(low-top)
}
