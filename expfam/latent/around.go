package latent

import (
	"gonum.org/v1/gonum/floats"

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
	half      float64 // ûᵀ(Q + V C Vᵀ)û/2
	scale     float64
	rooted    bool

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
	a.precision.Trim()
	return a.precision.root()
}

// LogEvidence returns the log evidence of the data, up to a constant of the field.
func (a *Around) LogEvidence() float64 { return a.evidence }

// Rank returns the number of coordinates z.
func (a *Around) Rank() int { return a.model.Nodes() }

// LogScale returns the number with which p(y) = ∫ exp(f(z) + LogScale) dz/(2π)^(rank/2), for the log density f of
// [Around.Density].
func (a *Around) LogScale() float64 { return a.scale }

// Place writes the cells at coordinates z to x.
func (a *Around) Place(z, x []float64) {
	u := a.nodes(z)
	a.model.field.Place(u, x)
}

func (a *Around) nodes(z []float64) []float64 {
	u, work := make([]float64, len(z)), append([]float64(nil), z...)
	a.precision.place(u, work)
	floats.Add(u, a.Mode)
	return u
}

// Density returns the log density of coordinates z, with work space of its own.
func (a *Around) Density() Density {
	n, cells := a.Rank(), len(a.model.field.Rows)
	u, work, pull := make([]float64, n), make([]float64, n), make([]float64, n)
	x, slope := make([]float64, cells), make([]float64, cells)
	f := a.model.field
	return func(z, gradient []float64) float64 {
		copy(work, z)
		a.precision.place(u, work)
		floats.Add(u, a.Mode)
		f.Place(u, x)
		v := a.data.LogLikSlope(x, slope)
		a.prior.multiply(u, pull)
		v -= floats.Dot(u, pull)/2 - a.half
		f.Pull(slope, work)
		floats.Sub(work, pull)
		a.precision.pull(gradient, work)
		return newton.Finite(v)
	}
}
