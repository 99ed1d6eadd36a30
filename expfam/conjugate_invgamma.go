package expfam

import (
	"math"
	"math/rand/v2"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/law"
)

// InvGammaPrior is the conjugate prior inverse Gamma(α, scale β) of a variance or another scale θ: 1/θ ~ Gamma(α, rate
// β). Its network coordinates are (log β/α, log α), so the location is minus the log of the mean of 1/θ. Data add the
// size to α and the statistic to β.
type InvGammaPrior struct{}

func (InvGammaPrior) String() string { return "inverse-gamma" }

// ShiftFamily marks that the density is a function of u − loc.
func (InvGammaPrior) ShiftFamily() {}

// Coordinate implements [Conjugate].
func (InvGammaPrior) Coordinate() formula.Expr { return formula.MustParse("log(theta)") }

// LogEvidence returns the log evidence under the Gamma distribution of 1/θ, whose log mean is −loc.
func (InvGammaPrior) LogEvidence(loc, logConc, stat, size *g.Node) *g.Node {
	return gammaLogEvidence(g.Neg(loc), logConc, size, stat)
}

// Derivatives implements [Conjugate].
func (InvGammaPrior) Derivatives(loc, logConc, stat, size *g.Node) (slope, information *g.Node) {
	slope, information = gammaDerivatives(g.Neg(loc), logConc, size, stat)
	return g.Neg(slope), information
}

// NegLogDensity returns log Γ(α) − α log α + α + α(e^δ − 1 − δ), δ = loc − u.
func (InvGammaPrior) NegLogDensity(loc, logConc, u *g.Node) *g.Node {
	in := align(loc, logConc, u)
	return gammaNegLogDensity(in[1], g.Sub(in[0], in[2]))
}

// Fit matches E 1/θ and E log θ.
func (InvGammaPrior) Fit(u, weights *g.Node) (loc, logConc *g.Node) {
	loc, logConc = GammaPrior{}.Fit(g.Neg(u), weights)
	return g.Neg(loc), logConc
}

// FitNormal returns the member closest to log θ ~ N(mean, variance).
func (InvGammaPrior) FitNormal(mean, variance *g.Node) (loc, logConc *g.Node) {
	loc, logConc = GammaPrior{}.FitNormal(g.Neg(mean), variance)
	return g.Neg(loc), logConc
}

// Parameters implements [Conjugate].
func (InvGammaPrior) Parameters(loc, logConc float64) (alpha, beta float64) {
	return math.Exp(logConc), math.Exp(logConc + loc)
}

// Coordinates implements [Conjugate].
func (InvGammaPrior) Coordinates(alpha, beta float64) (loc, logConc float64) {
	return math.Log(beta / alpha), math.Log(alpha)
}

// Update implements [Conjugate].
func (InvGammaPrior) Update(alpha, beta float64, t Term) (float64, float64) {
	return alpha + t.Size, beta + t.Stat
}

// LogNormalizer returns log Γ(α) − α log β.
func (InvGammaPrior) LogNormalizer(alpha, beta float64) float64 {
	return GammaPrior{}.LogNormalizer(alpha, beta)
}

// Distribution implements [Conjugate].
func (InvGammaPrior) Distribution(alpha, beta float64, src rand.Source) law.Distribution {
	return distuv.InverseGamma{Alpha: alpha, Beta: beta, Src: src}
}
