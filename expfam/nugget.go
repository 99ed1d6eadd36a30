package expfam

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/level"
)

// Nugget returns the prior of s = x₀ + τ e, where x₀ has the given prior, τ is sd in units of x₀, and e is
// independent standard normal noise in every cell. It is for fields with fine structure that the prior has never
// seen. Without the nugget, such a prior smooths the structure away, and its intervals are too narrow. No network
// is trained, because noise of level σ on s is noise of level σ′ = √(σ²+τ²) on x₀. With r = s_t/√α, and with the
// mean m′ and the covariance C′ of x₀ at level σ′,
//
//	E[s | s_t] = (σ² m′ + τ² r)/σ′²,  Cov(s | s_t) = (σ/σ′)⁴ C′ + (σ τ/σ′)² I,
//
// because τe given x₀ and r is normal with the mean (τ/σ′)² (r − x₀) and the variance (σ τ/σ′)². The posterior is
// the posterior of s, the field with its nugget.
//
// [Posterior.LocalVariance] tests whether a nugget is missing, and calibrate.Nugget chooses τ. The nugget of a
// [Product] is the product of the nuggets of its parts. If some parts are no fields, such as coefficients, give the
// nugget to the field alone: Product(Nugget(field, sd), coefficients).
//
// The result is a [Simulator], [Coupled] or [Linear] if the prior is. It is a [Lattice] of the same grid. It is not
// [Bounded], because e is not. Under a prior that is, m′ keeps the bounds, and samplers keep their estimates of the
// mean of s within the bounds and four nuggets beyond: a cell of a draw lies farther out with probability 6e-5. Its
// coupling is the upper bound 1 + (κ′(σ′) − 1) (σ/σ′)², which holds where the variances of C′ are at most σ′², as the
// variances of Gaussian priors are.
func Nugget(prior Prior, sd float64) Prior {
	if product, ok := prior.(Joint); ok {
		parts := product.Parts()
		for i, part := range parts {
			parts[i] = Nugget(part, sd)
		}
		return Product(parts...)
	}
	p := nuggetPrior{prior, sd}
	if s, draws := prior.(Simulator); draws {
		return drawnNugget{p, s}
	}
	return p
}

type (
	nuggetPrior struct {
		Of Prior
		SD float64
	}
	drawnNugget struct { // of a prior that is a [Simulator]
		nuggetPrior
		draws Simulator
	}
)

// nuggetOf returns a prior as one with a nugget, if it is one.
func nuggetOf(prior any) (nuggetPrior, bool) {
	switch p := prior.(type) {
	case nuggetPrior:
		return p, true
	case drawnNugget:
		return p.nuggetPrior, true
	}
	return nuggetPrior{}, false
}

func (p nuggetPrior) String() string { return fmt.Sprintf("nugget(sd=%g, %v)", p.SD, p.Of) }

// Check refuses a missing prior and an impossible SD, and returns the error of the prior without its nugget.
func (p nuggetPrior) Check() error {
	if p.Of == nil {
		return errors.New("nugget: there is no prior; give one")
	}
	if !(p.SD >= 0) || math.IsInf(p.SD, 1) {
		return fmt.Errorf("nugget: the standard deviation is %g; it must be finite and not negative", p.SD)
	}
	return traits.Check(p.Of)
}

// Dim returns the number of cells.
func (p nuggetPrior) Dim() int { return p.Of.Dim() }

// Moments returns the mean and the variances of s given s_t, which is x here; see [Nugget]. The prior gets a
// shrunk x and a level with α + v = 1, as elsewhere.
func (p nuggetPrior) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	alpha, tau2 := Square(l.SqrtAlpha), p.SD*p.SD
	noise := Add(l.V, MulScalar(alpha, tau2)) // ασ′²
	shrink := Reciprocal(Sqrt(OnePlus(MulScalar(alpha, tau2))))
	inner, spread := p.Of.Moments(Mul(x, shrink),
		level.Nodes{SqrtAlpha: Mul(l.SqrtAlpha, shrink), V: Mul(noise, Square(shrink))})
	inner = inBounds(p.Of, inner)
	kept := Div(l.V, noise) // (σ/σ′)²
	rest := Div(MulScalar(alpha, tau2), noise)
	mean = Add(Mul(kept, inner), Mul(rest, Div(x, l.SqrtAlpha)))
	return mean, Add(Mul(Square(kept), spread), MulScalar(kept, tau2))
}

// meanBounds returns the bounds of the prior and nuggetReach nuggets beyond, and 0 and 0 if the prior has no bounds.
func (p nuggetPrior) meanBounds() (low, high float64) {
	if low, high = meanBounds(p.Of); low < high {
		return low - nuggetReach*p.SD, high + nuggetReach*p.SD
	}
	return 0, 0
}

// nuggetReach is the number of standard deviations beyond which a nugget is taken for an error of the estimate.
const nuggetReach = 4

// Footprint returns the footprint of the prior without its nugget.
func (p nuggetPrior) Footprint() Footprint { return footprintOf(p.Of) }

// Range returns the noise levels σ of s for which √(σ²+τ²) lies in the range of the prior of x₀.
func (p nuggetPrior) Range() (low, high float64) {
	r, ok := p.Of.(Ranged)
	if !ok {
		return 0, math.Inf(1)
	}
	low, high = r.Range()
	within := func(v float64) float64 { return math.Sqrt(math.Max(v*v-p.SD*p.SD, 0)) }
	return within(low), within(high)
}

// Lattice returns the grid of the prior, or a line if the prior has no grid.
func (p nuggetPrior) Lattice() (rows, cols int) {
	if l, ok := p.Of.(Lattice); ok {
		return l.Lattice()
	}
	return 1, p.Of.Dim()
}

// Stationary reports whether the prior has the same distribution in all cells.
func (p nuggetPrior) Stationary() bool {
	s, ok := p.Of.(interface{ Stationary() bool })
	return ok && s.Stationary()
}

// Draw fills x with a draw of the prior plus a draw of the nugget.
func (p drawnNugget) Draw(rng *rand.Rand, x []float64) {
	p.draws.Draw(rng, x)
	for j := range x {
		x[j] += p.SD * rng.NormFloat64()
	}
}

// Multiply returns (K + τ² I) v if the prior is [Linear].
func (p nuggetPrior) Multiply(v []float64) ([]float64, bool) {
	l, ok := p.Of.(Linear)
	if !ok {
		return nil, false
	}
	image, ok := l.Multiply(v)
	if !ok {
		return nil, false
	}
	image = slices.Clone(image)
	floats.AddScaled(image, p.SD*p.SD, v)
	return image, true
}

// Coupling returns an upper bound; see [Nugget].
func (p nuggetPrior) Coupling(sigma float64) float64 {
	c, ok := p.Of.(Coupled)
	if !ok {
		return 0
	}
	wider := math.Hypot(sigma, p.SD)
	of := c.Coupling(wider)
	if of == 0 {
		return 0
	}
	return 1 + (of-1)*sigma*sigma/(wider*wider)
}
