package expfam

import (
	"math"
	"math/rand/v2"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/special"
)

// NormalPrior is the conjugate prior N(mean, 1/precision) of a mean θ. Its standard
// parameters are (mean, precision), and its network coordinates are (mean, log
// precision). Data add the size to the precision and the statistic to precision × mean.
type NormalPrior struct{}

func (NormalPrior) String() string { return "normal" }

// ShiftFamily marks that the density is a function of u − loc.
func (NormalPrior) ShiftFamily() {}

// Coordinate implements [Conjugate].
func (NormalPrior) Coordinate() formula.Expr { return formula.MustParse("theta") }

// LogEvidence returns −½ log(1+u) + (S m − n m²/2 + S²/(2λ))/(1+u) with precision λ, statistic S, size n and u = n/λ.
func (p NormalPrior) LogEvidence(loc, logConc, stat, size *g.Node) *g.Node {
	in := align(loc, logConc, stat, size)
	m, l, s, n := in[0], in[1], in[2], in[3]
	precision := expCapped(l)
	u := g.Div(n, precision)
	quadratic := g.Add(g.Mul(m, g.Sub(s, g.MulScalar(g.Mul(n, m), 0.5))),
		g.Div(g.MulScalar(g.Square(s), 0.5), precision))
	value := g.Sub(g.Div(quadratic, g.OnePlus(u)), g.MulScalar(special.Log1p(u), 0.5))
	return special.WithGradient(value,
		special.Partial{X: m, At: func() *g.Node {
			slope, _ := p.Derivatives(m, l, s, n)
			return slope
		}},
		special.Partial{X: l, At: func() *g.Node {
			v := g.OnePlus(u)
			r := g.Div(g.Sub(s, g.Mul(n, m)), v)
			return g.MulScalar(g.Sub(g.Div(u, v), g.Div(g.Square(r), precision)), 0.5)
		}})
}

// Derivatives returns g = (S − n m)/(1+u) and h = n/(1+u).
func (NormalPrior) Derivatives(loc, logConc, stat, size *g.Node) (slope, information *g.Node) {
	in := align(loc, logConc, stat, size)
	m, s, n := in[0], in[2], in[3]
	v := g.OnePlus(g.Div(n, expCapped(in[1])))
	return g.Div(g.Sub(s, g.Mul(n, m)), v), g.Div(n, v)
}

// NegLogDensity returns ½λ(u−m)² − ½ log λ + ½ log 2π.
func (NormalPrior) NegLogDensity(loc, logConc, u *g.Node) *g.Node {
	in := align(loc, logConc, u)
	square := g.Mul(expCapped(in[1]), g.Square(g.Sub(in[2], in[0])))
	return g.AddScalar(g.MulScalar(g.Sub(square, in[1]), 0.5), math.Log(2*math.Pi)/2)
}

// Fit returns the member with the weighted mean and variance of the draws.
func (NormalPrior) Fit(u, weights *g.Node) (loc, logConc *g.Node) {
	mean, centred := centre(u, weights)
	variance := weighted(g.Square(centred), weights)
	return mean, g.Neg(g.Log(g.MaxScalar(variance, 1e-30)))
}

// FitNormal returns N(mean, variance) itself.
func (NormalPrior) FitNormal(mean, variance *g.Node) (loc, logConc *g.Node) {
	in := align(mean, variance)
	return in[0], g.Neg(g.Log(g.MaxScalar(in[1], 1e-30)))
}

// Parameters implements [Conjugate].
func (NormalPrior) Parameters(loc, logConc float64) (mean, precision float64) {
	return loc, math.Exp(logConc)
}

// Coordinates implements [Conjugate].
func (NormalPrior) Coordinates(mean, precision float64) (loc, logConc float64) {
	return mean, math.Log(precision)
}

// Update implements [Conjugate].
func (NormalPrior) Update(mean, precision float64, t Term) (float64, float64) {
	sum := precision + t.Size
	return (precision*mean + t.Stat) / sum, sum
}

// LogNormalizer returns log ∫ exp(λ m θ − ½ λ θ²) dθ = ½ λ m² + ½ log(2π/λ).
func (NormalPrior) LogNormalizer(mean, precision float64) float64 {
	return (precision*mean*mean + math.Log(2*math.Pi/precision)) / 2
}

// Distribution implements [Conjugate].
func (NormalPrior) Distribution(mean, precision float64, src rand.Source) law.Distribution {
	return distuv.Normal{Mu: mean, Sigma: 1 / math.Sqrt(precision), Src: src}
}

// weighted returns Σᵢ wᵢ uᵢ over the last axis.
func weighted(u, weights *g.Node) *g.Node {
	in := align(u, weights)
	return g.ReduceSum(g.Mul(in[0], in[1]), -1)
}

// centre returns the weighted mean over the last axis, and the deviations from it.
func centre(u, weights *g.Node) (mean, centred *g.Node) {
	mean = weighted(u, weights)
	return mean, g.Sub(u, g.InsertAxes(mean, -1))
}
