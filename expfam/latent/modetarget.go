package latent

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/newton"
)

// mostTogether is the largest number of modes that are whitened together, and togetherSize the largest size of their
// matrix, cells times modes.
const mostTogether, togetherSize = 512, 1 << 24

// ModeTarget is the posterior of x₀ under a [Spectrum], in coordinates u of its modes z. The modes that the data tell
// most about are whitened together, by the inverse of the negative Hessian at the mode, and the others each by itself:
//
//	z = ẑ + U⁻¹ u for the first, z = ẑ + u/√(1 + λ t) for the others.
//
// The coordinates u are in this order. t is the information of the data about T z in the mode, an average over modes of
// similar λ.
type ModeTarget struct {
	Spectrum
	data     Data
	root     []float64 // √λ
	mode     []float64 // ẑ
	order    []int     // numbers of the modes, first those that the data tell most about
	scale    []float64 // 1/√(1 + λ t), in this order
	together int       // number of modes that are whitened together
	chol     blas64.Triangular
}

// ByModes returns the posterior under a spectrum. The mode is sought from z = 0 on.
func ByModes(ctx context.Context, of Spectrum, data Data) (*ModeTarget, error) {
	return byModes(ctx, of, data, min(mostTogether, max(1, togetherSize/len(of.Mean))))
}

// byModes is ByModes with at most so many modes whitened together.
func byModes(ctx context.Context, of Spectrum, data Data, most int) (*ModeTarget, error) {
	m := &ModeTarget{Spectrum: of, data: data, root: make([]float64, len(of.Variances))}
	for k, v := range of.Variances {
		m.root[k] = math.Sqrt(v)
	}
	if err := m.climb(ctx); err != nil {
		return nil, err
	}
	t := of.Transform()
	x := make([]float64, m.Cells())
	m.latent(t, m.mode, x)
	rows, w := data.Precision(x)
	if floats.HasNaN(w) || math.IsInf(floats.Sum(w), 0) {
		return nil, errors.New("the information of the data at the mode is not finite; check the link near the data")
	}
	scale := m.informations(t, rows, w)
	for k, v := range scale {
		scale[k] = 1 / math.Sqrt(1+of.Variances[k]*v)
		m.order = append(m.order, k)
	}
	slices.SortStableFunc(m.order, func(a, b int) int { return cmp.Compare(scale[a], scale[b]) })
	for _, k := range m.order {
		m.scale = append(m.scale, scale[k])
	}
	m.together = min(m.Rank(), most)
	return m, m.whitenTogether(t, rows, w)
}

// Rank returns the number of coordinates u.
func (m *ModeTarget) Rank() int { return len(m.root) }

// Cells returns the number of cells of x₀.
func (m *ModeTarget) Cells() int { return len(m.Mean) }

// latent writes μ + T (√λ ∘ z) to x.
func (m *ModeTarget) latent(t Transform, z, x []float64) {
	y := make([]float64, len(z))
	floats.MulTo(y, m.root, z)
	t.Synthesise(x, y)
	floats.Add(x, m.Mean)
}

// informations estimates diag(Tᵀ Hᵀ W H T) by products with random signs (Bekas, Kokiopoulou & Saad 2007, Applied
// Numerical Mathematics 57), and averages it over modes of similar variance.
func (m *ModeTarget) informations(t Transform, rows func(k int, visit func(cell int, weight float64)),
	w []float64) []float64 {
	const probes = 12
	n := len(m.root)
	cells, z, sum := make([]float64, m.Cells()), make([]float64, n), make([]float64, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for range probes {
		clear(cells)
		for k, v := range w {
			sign := math.Sqrt(v) * float64(2*rng.IntN(2)-1)
			rows(k, func(j int, weight float64) { cells[j] += sign * weight })
		}
		t.Analyse(z, cells)
		for k, v := range z {
			sum[k] += v * v / probes
		}
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.Variances[a], m.Variances[b]) })
	half := max(4, n/128)
	total := make([]float64, n+1) // cumulative, in order of the variances
	for i, k := range order {
		total[i+1] = total[i] + sum[k]
	}
	out, ratio := make([]float64, n), float64(n)/float64(m.Cells()) // of all modes to those of the cells alone
	for i, k := range order {
		low, high := max(0, i-half), min(n, i+half+1)
		out[k] = ratio * (total[high] - total[low]) / float64(high-low)
	}
	return out
}

// whitenTogether finds the Cholesky factor of the negative Hessian of the first modes.
func (m *ModeTarget) whitenTogether(t Transform, rows func(k int, visit func(cell int, weight float64)),
	w []float64) error {
	cells := m.Cells()
	l, unit, x := mat.NewDense(cells, m.together, nil), make([]float64, m.Rank()), make([]float64, cells)
	for i, k := range m.order[:m.together] {
		unit[k] = m.root[k]
		t.Synthesise(x, unit)
		unit[k] = 0
		l.SetCol(i, x)
	}
	var chol mat.Cholesky
	if err := factorise(&chol, l, rows, w); err != nil {
		return err
	}
	var u mat.TriDense
	chol.UTo(&u)
	m.chol = u.RawTriangular()
	return nil
}

// Place writes x₀ at u to x.
func (m *ModeTarget) Place(u, x []float64) {
	z := make([]float64, len(u))
	m.modes(u, z, make([]float64, m.together))
	m.latent(m.Transform(), z, x)
}

// modes writes z at u to z. It uses some as work space.
func (m *ModeTarget) modes(u, z, some []float64) {
	copy(some, u)
	blas64.Trsv(blas.NoTrans, m.chol, vector(some))
	for i, k := range m.order {
		if z[k] = m.mode[k]; i < m.together {
			z[k] += some[i]
		} else {
			z[k] += m.scale[i] * u[i]
		}
	}
}

// Coordinates writes u of x₀ to u, if the columns of T are orthonormal. Modes whose variance is too small to be seen in
// x₀ get a random z.
func (m *ModeTarget) Coordinates(x, u []float64, rng *rand.Rand) {
	centred, z := make([]float64, len(x)), make([]float64, m.Rank())
	floats.SubTo(centred, x, m.Mean)
	m.Transform().Analyse(z, centred)
	largest := floats.Max(m.Variances)
	for k, v := range m.Variances {
		if z[k] /= m.root[k]; v < resolved*largest {
			z[k] = rng.NormFloat64()
		}
	}
	for i, k := range m.order {
		if u[i] = z[k] - m.mode[k]; i >= m.together {
			u[i] /= m.scale[i]
		}
	}
	blas64.Trmv(blas.NoTrans, m.chol, vector(u[:m.together]))
}

// Density returns the log density of u, with work space of its own.
func (m *ModeTarget) Density() Density {
	t, some := m.Transform(), make([]float64, m.together)
	x, slope := make([]float64, m.Cells()), make([]float64, m.Cells())
	z, y := make([]float64, m.Rank()), make([]float64, m.Rank())
	return func(u, gradient []float64) float64 {
		m.modes(u, z, some)
		floats.MulTo(y, m.root, z)
		t.Synthesise(x, y)
		floats.Add(x, m.Mean)
		logp := m.data.LogLikSlope(x, slope) - floats.Dot(z, z)/2
		t.Analyse(y, slope)
		floats.Mul(y, m.root)
		floats.Sub(y, z)
		for i, k := range m.order {
			gradient[i] = y[k]
			if i >= m.together {
				gradient[i] *= m.scale[i]
			}
		}
		blas64.Trsv(blas.Trans, m.chol, vector(gradient[:m.together]))
		return newton.Finite(logp)
	}
}
