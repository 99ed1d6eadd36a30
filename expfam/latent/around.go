package latent

import (
	"slices"

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
	return a.precision.root()
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

// Density returns the log density of coordinates z, with work space of its own.
func (a *Around) Density() Density {
	n, f := a.Rank(), a.model.field
	var u, work, pull []float64
	var x, slopes [][]float64
	return func(z, gradient, logp []float64) {
		k := len(logp)
		if len(x) != k {
			u, work, pull = make([]float64, n*k), make([]float64, n*k), make([]float64, n*k)
			x, slopes = many(k, len(f.Rows)), many(k, len(f.Rows))
		}
		copy(work, z)
		a.nodes(u, work, k)
		f.Place(u, x...)
		a.prior.multiply(u, pull, k)
		dots(logp, u, pull)
		for c := range logp {
			logp[c] = newton.Finite(a.data.LogLikSlope(x[c], slopes[c]) + a.half - logp[c]/2)
		}
		if gradient == nil {
			return
		}
		f.Pull(work, slopes...)
		floats.Sub(work, pull)
		a.precision.pull(gradient, work, k)
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
