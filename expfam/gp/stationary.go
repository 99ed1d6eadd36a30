package gp

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/latent"
)

// Stationary is a Gaussian field on a lattice of Rows × Cols cells, row after row, with the same mean in all cells.
// The covariance of two cells depends only on their difference along both axes, with k(−r, −c) = k(r, c):
//
//	x₀ ~ N(μ, K),  K_{(r,c),(r',c')} = k(r − r', c − c').
//
// K is a part of a circulant matrix on a torus of twice the size in both directions. A product with K therefore costs
// two Fourier transforms, and a draw one (Dietrich & Newsam 1997, SIAM J. Sci. Comput. 18).
type Stationary struct {
	Rows, Cols int
	Level      float64 // μ

	// spectrum holds the eigenvalues of the circulant matrix, 2·Rows × 2·Cols.
	spectrum []float64
}

// NewStationary returns the field with covariance k at lags of r rows and c columns. It calls k for r from −rows + 1
// to rows − 1, and likewise for c. k(−r, −c) must equal k(r, c). If no circulant covariance continues k, the
// nearest circulant covariance is taken: the negative eigenvalues of the matrix are set to 0. Clipped is the total
// size of these eigenvalues divided by the sum of those that are kept.
func NewStationary(rows, cols int, level float64, k func(r, c int) float64) (s *Stationary, clipped float64,
	err error) {
	if rows < 1 || cols < 1 || math.IsNaN(level) || math.IsInf(level, 0) {
		return nil, 0, fmt.Errorf("gp: stationary field of %d×%d cells and mean %g; both sizes must be positive "+
			"and the mean finite", rows, cols, level)
	}
	s = &Stationary{Rows: rows, Cols: cols, Level: level, spectrum: make([]float64, 4*rows*cols)}
	t := newTorus(2*rows, 2*cols)
	for r := range 2 * rows {
		for c := range 2 * cols {
			// No two cells of the field are exactly half the torus apart, so any value will do there.
			v := k(wrap(r, rows), wrap(c, cols))
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, 0, fmt.Errorf("gp: the covariance at lag (%d, %d) is %g; it must be finite", wrap(r, rows),
					wrap(c, cols), v)
			}
			t.values[r*2*cols+c] = complex(v, 0)
		}
	}
	t.forward()
	var sum float64
	for i, v := range t.values {
		clipped += max(0, -real(v))
		s.spectrum[i] = max(0, real(v))
		sum += s.spectrum[i]
	}
	if sum == 0 {
		return nil, 0, errors.New("gp: the covariance of the field is nowhere positive")
	}
	return s, clipped / sum, nil
}

// wrap returns the lag, from −n + 1 to n − 1, that index i stands for on a torus of size 2n. Index n, which stands
// for no lag of the field, gives n − 1.
func wrap(i, n int) int {
	switch {
	case i == n:
		return n - 1
	case i > n:
		return i - 2*n
	}
	return i
}

func abs(i int) int { return max(i, -i) }

// Check refuses a field that [NewStationary] did not make, or that was changed later.
// Samplers and trainings call it first.
func (s *Stationary) Check() error {
	if s.Rows < 1 || s.Cols < 1 || len(s.spectrum) != 4*s.Rows*s.Cols {
		return fmt.Errorf("gp: Stationary of %d Rows and %d Cols without the covariance of so many cells; make it "+
			"by NewStationary", s.Rows, s.Cols)
	}
	if math.IsNaN(s.Level) || math.IsInf(s.Level, 0) {
		return fmt.Errorf("gp: Stationary has a Level of %g; it must be finite", s.Level)
	}
	return nil
}

// Dim returns the number of cells.
func (s *Stationary) Dim() int { return s.Rows * s.Cols }

// String names the field by its size, mean, sd and a digest of its mean and covariance.
func (s *Stationary) String() string {
	hash := sha256.New()
	binary.Write(hash, binary.LittleEndian, s.Level)
	binary.Write(hash, binary.LittleEndian, s.spectrum)
	return fmt.Sprintf("stationary(%dx%d, mean=%.4g, sd=%.4g, %x)", s.Rows, s.Cols, s.Level, math.Sqrt(s.Variance()),
		hash.Sum(nil)[:8])
}

// Variance returns the variance that every cell has.
func (s *Stationary) Variance() float64 {
	var sum float64
	for _, v := range s.spectrum {
		sum += v
	}
	return sum / float64(len(s.spectrum))
}

// Draw fills x with one draw of the field.
func (s *Stationary) Draw(rng *rand.Rand, x []float64) {
	t := newTorus(2*s.Rows, 2*s.Cols)
	n := float64(len(t.values))
	for i, v := range s.spectrum {
		root := math.Sqrt(v * n)
		t.values[i] = complex(root*rng.NormFloat64(), root*rng.NormFloat64())
	}
	t.inverse()
	for r := range s.Rows {
		for c := range s.Cols {
			x[r*s.Cols+c] = s.Level + real(t.values[r*2*s.Cols+c])
		}
	}
}

// diagonal returns the field as T diag(λ) Tᵀ, where T has the first cells of the torus's Hartley transform.
func (s *Stationary) diagonal() latent.Spectrum {
	return latent.Spectrum{Mean: s.Mean(), Variances: s.spectrum,
		Transform: func() latent.Transform { return newHartley(s.Rows, s.Cols) }}
}

// multiply writes K v to out. v and out may be the same slice.
func (s *Stationary) multiply(t *hartley, v, out []float64) {
	z := make([]float64, len(s.spectrum))
	t.Analyse(z, v)
	floats.Mul(z, s.spectrum)
	t.Synthesise(out, z)
}

// Mean returns the mean of the cells.
func (s *Stationary) Mean() []float64 { return slices.Repeat([]float64{s.Level}, s.Dim()) }

// Multiply returns K v, by two Fourier transforms. The field always has it ([expfam.Linear]).
func (s *Stationary) Multiply(v []float64) (image []float64, ok bool) {
	image = make([]float64, s.Dim())
	s.multiply(newHartley(s.Rows, s.Cols), v, image)
	return image, true
}

// Lattice returns the sides of the grid.
func (s *Stationary) Lattice() (rows, cols int) { return s.Rows, s.Cols }

// Denoise returns the best linear estimate of x₀ from x = x₀ + σ z, where z is standard normal (Wiener 1949):
// μ + K (K + σ²)⁻¹ (x − μ).
func (s *Stationary) Denoise(x []float64, sigma float64) ([]float64, error) {
	d := s.Dim()
	if len(x) != d || !(sigma > 0) {
		return nil, fmt.Errorf("gp: denoise: %d cells of %d at sigma %g; give all cells and a positive sigma", len(x),
			d, sigma)
	}
	t, u, r := newHartley(s.Rows, s.Cols), make([]float64, d), make([]float64, d)
	copy(r, x)
	floats.AddConst(-s.Level, r) // what is left of x − μ − (K + σ²) u
	p, image := append([]float64(nil), r...), make([]float64, d)
	rr := floats.Dot(r, r)
	for limit, count := 1e-10*rr, 0; rr > limit; count++ {
		if count == 20*d+1000 {
			return nil, fmt.Errorf("gp: denoise: conjugate gradients do not converge at sigma %g; take a larger one",
				sigma)
		}
		s.multiply(t, p, image)
		floats.AddScaled(image, sigma*sigma, p)
		length := rr / floats.Dot(p, image)
		floats.AddScaled(u, length, p)
		floats.AddScaled(r, -length, image)
		next := floats.Dot(r, r)
		floats.AddScaledTo(p, r, next/rr, p)
		rr = next
	}
	s.multiply(t, u, u)
	floats.AddConst(s.Level, u)
	return u, nil
}
