package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/law"
)

// Conjugate is a conjugate prior q(θ | a, b) of a one-parameter family. It has two parametrisations:
//
//   - standard: the pair that textbooks use, (mean, precision) or (α, β). [Conjugate.Update]
//     adds data to it;
//   - network: the pair (location, log concentration) that an inference network emits:
//     (mean, log precision) for the Normal, (log mean, log α) for the Gamma, (logit mean,
//     log(α+β)) for the Beta and (log β/α, log α) for the inverse Gamma. The float32
//     graphs never subtract large log-gammas; they are accurate up to concentrations of 1e7.
//
// Graph arguments broadcast against each other; every result is elementwise.
// The statistic and the size are data: no gradient flows into them.
//
// On the host a conjugate is used through [Standard].
type Conjugate interface {
	String() string
	// Coordinate returns the coordinate u of θ on whose scale the location is. It is a
	// formula in theta: "theta", "log(theta)" or "logit(theta)".
	Coordinate() formula.Expr

	// LogEvidence returns log ∫ exp(stat·η − size·A) q(θ) dθ. It is 0, with gradient 0, where stat = size = 0. Its
	// gradient is a closed form, so the gradient is accurate even where the value is large.
	LogEvidence(loc, logConc, stat, size *g.Node) *g.Node
	// Derivatives returns the gradient g = ∂/∂loc of LogEvidence and its
	// information h = −∂²/∂loc², both in closed form.
	Derivatives(loc, logConc, stat, size *g.Node) (slope, information *g.Node)
	// NegLogDensity returns −log q(θ) at the coordinate u of θ, up to a term that depends on
	// u alone. It is the amortised objective of the inference network.
	NegLogDensity(loc, logConc, u *g.Node) *g.Node
	// Fit returns the member closest to weighted draws of the coordinate: the minimiser of Σᵢ wᵢ NegLogDensity(·, ·,
	// uᵢ) over the last axis of u. The weights have shape (draws) and sum to 1. First derivatives with respect to u are
	// exact; second derivatives are not.
	Fit(u, weights *g.Node) (loc, logConc *g.Node)

	// Parameters and Coordinates map network coordinates to standard parameters and back.
	Parameters(loc, logConc float64) (a, b float64)
	Coordinates(a, b float64) (loc, logConc float64)
	// Update adds a cell's term to standard parameters.
	Update(a, b float64, t Term) (float64, float64)
	// LogNormalizer returns the log of the integral over θ of q's kernel, such as θ^(α−1)e^(−βθ) for the Gamma.
	LogNormalizer(a, b float64) float64
	// Distribution returns q in float64. Src may be nil if nothing is drawn.
	Distribution(a, b float64, src rand.Source) law.Distribution
}

// Standard is a member of a conjugate family at its standard parameters A and B: (mean, precision) of the Normal, (α,
// rate β) of the Gamma, (α, β) of the Beta and (α, scale β) of the inverse Gamma.
type Standard struct {
	Conjugate Conjugate
	A, B      float64
}

// At returns the member of the same family at network coordinates.
func (s Standard) At(loc, logConc float64) Standard {
	s.A, s.B = s.Conjugate.Parameters(loc, logConc)
	return s
}

func (s Standard) String() string { return fmt.Sprintf("%s(%g, %g)", s.Conjugate, s.A, s.B) }

// Coordinates returns the location and the log concentration.
func (s Standard) Coordinates() (loc, logConc float64) { return s.Conjugate.Coordinates(s.A, s.B) }

// Update returns the posterior after the data t.
func (s Standard) Update(t Term) Standard {
	s.A, s.B = s.Conjugate.Update(s.A, s.B, t)
	return s
}

// LogEvidence returns log ∫ p(y | θ) q(θ) dθ for the data of a cell, with the base measure. It is 0 for a missing cell.
func (s Standard) LogEvidence(t Term) float64 {
	if t == (Term{}) {
		return 0
	}
	u := s.Update(t)
	return t.Base + s.Conjugate.LogNormalizer(u.A, u.B) - s.Conjugate.LogNormalizer(s.A, s.B)
}

// Mean returns E θ, +Inf where it diverges.
func (s Standard) Mean() float64 { return s.distribution(nil).Mean() }

// Variance returns Var θ, +Inf where it diverges.
func (s Standard) Variance() float64 { return s.distribution(nil).Variance() }

// Quantile returns the θ below which a share p of the probability lies, 0 < p < 1.
func (s Standard) Quantile(p float64) float64 { return s.distribution(nil).Quantile(p) }

// CDF returns the probability that θ is at most theta.
func (s Standard) CDF(theta float64) float64 { return s.distribution(nil).CDF(theta) }

// LogProb returns log q(θ).
func (s Standard) LogProb(theta float64) float64 { return s.distribution(nil).LogProb(theta) }

// Rand draws θ. Where both parameters of a [BetaPrior] are tiny, most draws round to 0 or 1.
func (s Standard) Rand(rng *rand.Rand) float64 {
	theta := s.distribution(rng).Rand()
	if _, beta := s.Conjugate.(BetaPrior); beta && math.IsNaN(theta) {
		// The Beta variate is the ratio of two Gamma variates that both underflow.
		return keep(1, s.A/(s.A+s.B), rng)
	}
	return theta
}

func (s Standard) distribution(src rand.Source) law.Distribution {
	return s.Conjugate.Distribution(s.A, s.B, src)
}

// align broadcasts nodes to one shape. Leading axes that a node lacks are added, and axes of dimension 1 are repeated.
func align(x ...*g.Node) []*g.Node {
	rank := 0
	for _, n := range x {
		rank = max(rank, n.Rank())
	}
	dims := make([]int, rank)
	y := make([]*g.Node, len(x))
	for i, n := range x {
		y[i] = g.ExpandLeftToRank(n, rank)
		for axis, d := range y[i].Shape().Dimensions {
			dims[axis] = max(dims[axis], d)
		}
	}
	for i := range y {
		y[i] = g.BroadcastToDims(y[i], dims...)
	}
	return y
}

// expCapped returns eˣ, or e⁶⁰ for x above 60. Concentrations and means are thus finite in
// float32, and the evidence of a missing cell stays exactly 0.
func expCapped(x *g.Node) *g.Node { return g.Exp(g.MinScalar(x, 60.0)) }

// lgamma returns log Γ(x) for x > 0, on the host.
func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}
