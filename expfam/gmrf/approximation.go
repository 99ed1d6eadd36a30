package gmrf

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/sparse"
)

// Approximation is the normal approximation of the posterior of (μ, x₀) around
// its mode: μ ~ N(μ̂, 1/S), and x₀ | μ ~ N(x̂ + h (μ − μ̂), H⁻¹) with
//
//	H = P + W,  h = H⁻¹P1,  S = 1/LevelSD² + hᵀW1.
//
// W has the informations −∂² of the cells' log-likelihoods at x̂. Draws are moved from
// the mode to the mean ([Approximation.Mean]). With a nugget τ these formulas hold for
// the field μ + f. The latent values x₀ = μ + f + e are then normal around their own mode.
type Approximation struct {
	// LogEvidence is Laplace's approximation of log p(y) given the
	// hyperparameters. It is exact if the log-likelihood is quadratic.
	LogEvidence float64

	hyper   hyper
	model   *model
	lattice *lattice
	x       []float64 // mode x̂ of the field, in the order of the lattice
	moved   []float64 // mode of x₀: x̂ + e, or x̂ itself without a nugget
	w       []float64 // diagonal of W, or JᵀWJ1 with an operator
	sites   sites     // the data, if they look through an operator

	// Set by centre: the means of field and x₀, and the variance of x₀.
	fieldMean, mean, variance []float64
	levelMean                 float64

	loose      float64        // 1/LevelSD², 0 if μ is known
	level      float64        // μ̂
	factor     *sparse.Factor // of H = L Lᵀ
	h          []float64
	s          float64 // S, +Inf if μ is known
	notConcave int     // cells or data whose log-likelihood is not concave at the mode
}

// Range returns the range of the field, given or fitted.
func (a *Approximation) Range() float64 { return a.hyper.length }

// SD returns the standard deviation of the field, given or fitted.
func (a *Approximation) SD() float64 { return a.hyper.sd }

// Nugget returns the standard deviation of the effects of single cells.
func (a *Approximation) Nugget() float64 { return a.hyper.nugget }

// Mode returns the mode of x₀, in the order of the grid.
func (a *Approximation) Mode() []float64 { return a.lattice.restore(a.moved) }

// Mean returns the mode of x₀, corrected to first order for the skewness of the
// log-likelihoods. Draws are centred at it.
func (a *Approximation) Mean() []float64 {
	a.centre()
	return a.lattice.restore(a.mean)
}

// Variance returns the variance of x₀ in every cell, without sampling error.
func (a *Approximation) Variance() []float64 {
	a.centre()
	return a.lattice.restore(a.variance)
}

// restore returns x, which is in the order of the lattice, in the order of the grid.
func (l *lattice) restore(x []float64) []float64 {
	out := make([]float64, len(x))
	for k, j := range l.order {
		out[j] = x[k]
	}
	return out
}

// drawStream returns the random numbers of draw k.
func drawStream(seed uint64, k int) *rand.Rand {
	return expfam.Stream(seed, fmt.Sprintf("gmrf/draw-%d", k))
}

// draw writes draw k of x₀ into out, in the order of the grid.
func (a *Approximation) draw(seed uint64, k int, out []float64) {
	a.centre()
	rng := drawStream(seed, k)
	rng.Float64() // the number with which Options.draw picked the hyperparameters
	shift := rng.NormFloat64() / math.Sqrt(a.s)
	z := make([]float64, len(a.x))
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	x := make([]float64, len(z))
	a.factor.Backward(x, z) // the covariance is L⁻ᵀL⁻¹ = H⁻¹
	z = x
	for i := range z {
		z[i] += a.fieldMean[i] + a.h[i]*shift
	}
	if a.hyper.nugget > 0 {
		a.disperse(z, rng.NormFloat64)
	}
	for i, j := range a.lattice.order {
		out[j] = z[i]
	}
}
