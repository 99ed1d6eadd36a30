package latent

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/columns"
	"github.com/expfam/lab/expfam/internal/newton"
)

const (
	// ManyModes is the number of modes that are whitened together, and mostInformed the largest where the data tell of
	// more: where every cell of a lattice has data, chains hardly mix if the others are whitened alone. togetherSize is
	// the largest size of their matrix, cells times modes.
	ManyModes, mostInformed, togetherSize = 512, 1536, 1 << 24
	// informed is the information about a mode over that of the prior from which the data tell of it.
	informed = 0.1
)

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
	root     []float64      // √λ
	mode     []float64      // ẑ
	order    []int          // numbers of the modes, first those that the data tell most about
	scale    []float64      // 1/√(1 + λ t), in this order
	together int            // number of modes that are whitened together
	chol     columns.Matrix // upper triangle
}

// ByModes returns the posterior under a spectrum. The mode is sought from z = 0 on.
func ByModes(ctx context.Context, of Spectrum, data Data) (*ModeTarget, error) {
	size := max(1, togetherSize/len(of.Mean))
	return byModes(ctx, of, data, min(ManyModes, size), min(mostInformed, size))
}

// byModes is ByModes with few modes whitened together, and up to most of those of which the data tell.
func byModes(ctx context.Context, of Spectrum, data Data, few, most int) (*ModeTarget, error) {
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
	told := 0
	for k, v := range scale {
		if of.Variances[k]*v > informed {
			told++
		}
		scale[k] = 1 / math.Sqrt(1+of.Variances[k]*v)
		m.order = append(m.order, k)
	}
	slices.SortStableFunc(m.order, func(a, b int) int { return cmp.Compare(scale[a], scale[b]) })
	for _, k := range m.order {
		m.scale = append(m.scale, scale[k])
	}
	m.together = min(m.Rank(), max(few, min(told, most)))
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
	m.chol = columns.Rows(mat.DenseCopyOf(&u).RawMatrix().Data, m.together)
	return nil
}

// Place writes x₀ at the columns u to the x.
func (m *ModeTarget) Place(u []float64, x ...[]float64) {
	z, t := many(len(x), m.Rank()), m.Transform()
	m.modes(u, z)
	for c, x := range x {
		m.latent(t, z[c], x)
	}
}

// modes writes z at the columns u to the z.
func (m *ModeTarget) modes(u []float64, z [][]float64) {
	k := len(z)
	some := slices.Clone(u[:m.together*k])
	columns.SolveUpper(m.chol, some, m.together, k)
	for i, mode := range m.order {
		for c, z := range z {
			if z[mode] = m.mode[mode]; i < m.together {
				z[mode] += some[i*k+c]
			} else {
				z[mode] += m.scale[i] * u[i*k+c]
			}
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
	first := slices.Clone(u[:m.together])
	clear(u[:m.together])
	columns.MulAdd(1, columns.Rows(u, 1), m.chol, columns.Rows(first, 1), m.together, m.together, 1)
}

// Density returns the log density of u, with work space of its own.
func (m *ModeTarget) Density() Density {
	t := m.Transform()
	x, slope, y := make([]float64, m.Cells()), make([]float64, m.Cells()), make([]float64, m.Rank())
	var z [][]float64
	return func(u, gradient, logp []float64) {
		k := len(logp)
		if len(z) != k {
			z = many(k, m.Rank())
		}
		m.modes(u, z)
		for c, z := range z {
			m.latent(t, z, x)
			logp[c] = newton.Finite(m.data.LogLikSlope(x, slope) - floats.Dot(z, z)/2)
			if gradient == nil {
				continue
			}
			t.Analyse(y, slope)
			floats.Mul(y, m.root)
			floats.Sub(y, z)
			for i, mode := range m.order {
				if gradient[i*k+c] = y[mode]; i >= m.together {
					gradient[i*k+c] *= m.scale[i]
				}
			}
		}
		if gradient == nil {
			return
		}
		columns.SolveLower(m.chol.T(), gradient[:m.together*k], m.together, k)
	}
}
