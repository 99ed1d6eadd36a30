package latent

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/columns"
	"github.com/expfam/lab/expfam/internal/newton"
)

// Around is Laplace's approximation of the posterior of a [Sparse] around its mode û, for values of the unknown
// numbers: u ~ N(û, P⁻¹). In the coordinates z of u = û + G z, G Gᵀ = P⁻¹, it is N(0, I).
type Around struct {
	Mode    []float64
	Factors int // how many factorisations were made

	model     *Sparse
	data      Data
	prior     *prior
	precision *wide
	evidence  float64
	scale     float64
	rooted    bool
	curvature curvature
	x, slope  []float64 // cells at û, and the slopes of the log-likelihood there
	rest      []float64 // the gradient at û, which is not 0 to the last digit: of the nodes, and of z after Whiten

	inverse []float64 // entries of P⁻¹ in the pattern of P, or nil
	across  []float64 // vᵀP⁻¹v for the columns v of V
}

// Whiten prepares the coordinates z. It must be called before the methods that take them, and after
// [Around.Difference].
func (a *Around) Whiten() error {
	if a.rooted {
		return nil
	}
	a.rooted = true
	a.inverse, a.across = nil, nil
	if err := a.precision.root(); err != nil {
		return err
	}
	gradient := a.rest
	a.rest = make([]float64, len(gradient))
	a.precision.pull(a.rest, gradient, 1)
	return nil
}

// LogEvidence returns the log evidence of the data, up to a constant of the field.
func (a *Around) LogEvidence() float64 { return a.evidence }

// Rank returns the number of coordinates z.
func (a *Around) Rank() int { return a.model.Nodes() }

// LogScale returns the number with which p(y) = ∫ exp(f(z) + LogScale) dz/(2π)^(rank/2), for the log density f of
// [Around.Density].
func (a *Around) LogScale() float64 { return a.scale }

// Place writes the cells at the columns of coordinates z to the x.
func (a *Around) Place(z []float64, x ...[]float64) {
	u := make([]float64, len(z))
	a.nodes(u, slices.Clone(z), len(x))
	a.model.field.Place(u, x...)
}

// nodes writes the nodes at k columns of coordinates z to u, and overwrites z.
func (a *Around) nodes(u, z []float64, k int) {
	a.precision.place(u, z, k)
	for i, v := range a.Mode {
		floats.AddConst(v, u[i*k:(i+1)*k])
	}
}

// Density returns the log density of coordinates z, with work space of its own. As GᵀPG = I the prior is not
// multiplied: with the log-likelihood ℓ and its slope s in x₀, and Δ = x₀ − x̂,
//
//	f(z) = ℓ(x₀) − ŝᵀΔ + ΔᵀHᵀWHΔ/2 + rᵀz − |z|²/2,  ∇f = GᵀBᵀ(s − ŝ + HᵀWHΔ) + r − z.
//
// H and W are those of P, and r is the rest of the gradient at û.
func (a *Around) Density() Density {
	n, f := a.Rank(), a.model.field
	var u, work, square, rest []float64
	var x, slopes [][]float64
	return func(z, gradient, logp []float64) {
		k := len(logp)
		if len(x) != k {
			u, work = make([]float64, n*k), make([]float64, n*k)
			x, slopes = many(k, len(f.Rows)), many(k, len(f.Rows))
			square, rest = make([]float64, k), make([]float64, k)
		}
		copy(work, z)
		a.nodes(u, work, k)
		f.Place(u, x...)
		dots(square, z, z)
		columns.MulAdd(1, columns.Rows(rest, k), columns.Rows(a.rest, n), columns.Rows(z, k), 1, n, k)
		for c, x := range x {
			slope := slopes[c]
			value := a.data.LogLikSlope(x, slope)
			floats.Sub(x, a.x)
			floats.Sub(slope, a.slope)
			value += a.curvature.add(slope, x)/2 - floats.Dot(a.slope, x) + rest[c] - square[c]/2
			logp[c], rest[c] = newton.Finite(value), 0
		}
		if gradient == nil {
			return
		}
		f.Pull(work, slopes...)
		a.precision.pull(gradient, work, k)
		for i, r := range a.rest {
			for c, v := range z[i*k : (i+1)*k] {
				gradient[i*k+c] += r - v
			}
		}
	}
}

// dots writes the inner products of the columns of a and b to out.
func dots(out, a, b []float64) {
	k := len(out)
	clear(out)
	for i := 0; i < len(a); i += k {
		for c, v := range a[i : i+k] {
			out[c] += v * b[i+c]
		}
	}
}
