package expfam

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/special"
)

// BetaPrior is the conjugate prior Beta(α, β) of a probability θ. Its network coordinates
// are (logit of the mean, log κ) with κ = α+β.
type BetaPrior struct {
	// Failures chooses what data add to (α, β). Default: (stat, size−stat), where the size
	// counts trials (binomial). With Failures: (size, stat), where the size counts
	// successes and the statistic counts failures (negative binomial, geometric).
	Failures bool
}

func (BetaPrior) String() string { return "beta" }

// Coordinate implements [Conjugate].
func (BetaPrior) Coordinate() formula.Expr { return formula.MustParse("logit(theta)") }

// increments returns what data add to α and to β.
func (p BetaPrior) increments(stat, size *g.Node) (da, db *g.Node) {
	if p.Failures {
		return size, stat
	}
	return stat, g.Sub(size, stat)
}

// LogEvidence returns D(κp,s) + D(κq,f) − D(κ,s+f) + s log p + f log q, where data add s to α and f to β, p is the
// mean, q = 1−p and D is [special.LogGammaRatio].
func (p BetaPrior) LogEvidence(loc, logConc, stat, size *g.Node) *g.Node {
	in := align(loc, logConc, stat, size)
	m, l := in[0], in[1]
	da, db := p.increments(in[2], in[3])
	sum, mean, rest, conc := g.Add(da, db), special.Sigmoid(m), special.Sigmoid(g.Neg(m)), expCapped(l)
	a, b := g.Mul(conc, mean), g.Mul(conc, rest)
	value := g.Sub(g.Add(special.LogGammaRatio(a, da), special.LogGammaRatio(b, db)), special.LogGammaRatio(conc, sum))
	value = g.Sub(value, g.Add(g.Mul(da, special.Softplus(g.Neg(m))), g.Mul(db, special.Softplus(m))))
	return special.WithGradient(value,
		special.Partial{X: m, At: func() *g.Node {
			slope, _ := p.Derivatives(m, l, in[2], in[3])
			return slope
		}},
		special.Partial{X: l, At: func() *g.Node {
			parts := g.Add(g.Mul(mean, special.DigammaRatio(a, da)), g.Mul(rest, special.DigammaRatio(b, db)))
			return g.Mul(conc, g.Sub(parts, special.DigammaRatio(conc, sum)))
		}})
}

// Derivatives returns g = κpq(Δψ(κp,s) − Δψ(κq,f)), where Δψ(a,T) = ψ(a+T) − ψ(a), and
// h = (p−q)g − (κpq)²(Δψ′(κp,s) + Δψ′(κq,f)).
func (p BetaPrior) Derivatives(loc, logConc, stat, size *g.Node) (slope, information *g.Node) {
	in := align(loc, logConc, stat, size)
	da, db := p.increments(in[2], in[3])
	mean, rest, conc := special.Sigmoid(in[0]), special.Sigmoid(g.Neg(in[0])), expCapped(in[1])
	a, b := g.Mul(conc, mean), g.Mul(conc, rest)
	spread := g.Mul(a, rest)
	slope = g.Mul(spread, g.Sub(special.DigammaDifference(a, da), special.DigammaDifference(b, db)))
	second := g.Add(special.TrigammaDifference(a, da), special.TrigammaDifference(b, db))
	information = g.Sub(g.Mul(g.Sub(mean, rest), slope), g.Mul(g.Square(spread), second))
	return slope, information
}

// NegLogDensity returns κ Δ(u,loc) + lgs(κp) + lgs(κq) − lgs(κ). Δ is the divergence of the Bernoulli with logit loc
// from the Bernoulli with logit u, and lgs is [special.LogGammaStirling].
func (BetaPrior) NegLogDensity(loc, logConc, u *g.Node) *g.Node {
	in := align(loc, logConc, u)
	conc := expCapped(in[1])
	a, b := g.Mul(conc, special.Sigmoid(in[0])), g.Mul(conc, special.Sigmoid(g.Neg(in[0])))
	parts := g.Add(special.LogGammaStirling(a), special.LogGammaStirling(b))
	return g.Add(g.Mul(conc, bernoulliDivergence(in[2], in[0])), g.Sub(parts, special.LogGammaStirling(conc)))
}

// bernoulliDivergence returns softplus(u) − softplus(m) − sigmoid(m)(u−m) ≥ 0. This is the Kullback-Leibler divergence
// KL(Bernoulli(p) ‖ Bernoulli(θ)), where m is the logit of p and u the logit of θ.
func bernoulliDivergence(u, m *g.Node) *g.Node {
	spread := g.Mul(special.Sigmoid(m), special.Sigmoid(g.Neg(m)))
	return special.WithGradient(divergence(u, m),
		special.Partial{X: u, At: func() *g.Node { return sigmoidDifference(u, m) }},
		special.Partial{X: m, At: func() *g.Node { return g.Mul(spread, g.Sub(m, u)) }})
}

// divergence computes the value of bernoulliDivergence. The last axis of m may have dimension 1.
func divergence(u, m *g.Node) *g.Node {
	// Changing the sign of both logits leaves the divergence unchanged, so p ≤ ½ here. With d = u − m and w = p(eᵈ−1)
	// the divergence is log(1+w) − p d. Neither of its two forms below cancels.
	sign := g.Where(g.GreaterThan(m, g.ZerosLike(m)), g.Neg(g.OnesLike(m)), g.OnesLike(m))
	p := special.Sigmoid(g.Mul(m, sign))
	d := g.Mul(g.Sub(u, m), sign)
	w := g.Mul(special.Expm1(d), p)
	small := g.Add(special.Log1pMx(w), g.Mul(special.ExpM1Mx(d), p))
	large := g.Sub(g.Log(g.MaxScalar(g.OnePlus(w), 1.0)), g.Mul(d, p))
	return g.Where(g.GreaterThan(w, g.MulScalar(g.OnesLike(w), 4.0)), large, small)
}

// sigmoidDifference returns sigmoid(u) − sigmoid(m) without cancellation. The last axis of m may have dimension 1.
func sigmoidDifference(u, m *g.Node) *g.Node {
	fall := g.Mul(special.Sigmoid(u), special.Sigmoid(g.Neg(m)))
	return g.Neg(g.Mul(fall, special.Expm1(g.Sub(m, u))))
}

// Fit matches E log θ and E log(1−θ) by Newton steps in (loc, log κ). The last step
// carries the exact derivative in the draws.
func (BetaPrior) Fit(u, weights *g.Node) (loc, logConc *g.Node) {
	mean, _ := centre(u, weights)
	// By the Bregman identity E Δ(u,m) = E Δ(u,ū) + Δ(ū,m), one pass over the draws serves all
	// steps. No gradient needs to flow through ū, in which E Δ(u,ū) is stationary.
	around := g.StopGradient(g.InsertAxes(mean, -1))
	spread := weighted(special.WithGradient(divergence(u, around),
		special.Partial{X: u, At: func() *g.Node { return sigmoidDifference(u, around) }}), weights)
	// The floor bounds the concentration at about 1e14 where all draws agree.
	spread = g.Max(spread, g.MulScalar(g.Mul(special.Sigmoid(mean), special.Sigmoid(g.Neg(mean))), 1e-14))

	loc = g.StopGradient(mean)
	logConc = g.StopGradient(g.Neg(g.Log(g.MulScalar(spread, 2.0))))
	steps := 6
	if u.DType() == dtypes.Float64 {
		steps = 8
	}
	for k := range steps {
		target, width := g.StopGradient(mean), g.StopGradient(spread)
		if k == steps-1 {
			target, width = mean, spread
		}
		loc, logConc = betaStep(g.StopGradient(loc), g.StopGradient(logConc), target, width)
	}
	return loc, logConc
}

// betaStep takes one Newton step towards the root of
//
//	F₁ = loc − ū + r(κp) − r(κq) and
//	F₂ = log E Δ(u,loc) − log M, M = r(κ) − p r(κp) − q r(κq),
//
// where r(a) = ψ(a) − log a. These are the moment equations of E logit θ and E Δ(logit θ, loc) under the Beta. They are
// nearly linear in (loc, log κ). The target is ū, and the width is E Δ(u,ū).
func betaStep(loc, logConc, target, width *g.Node) (*g.Node, *g.Node) {
	conc, p, q := expCapped(logConc), special.Sigmoid(loc), special.Sigmoid(g.Neg(loc))
	// One evaluation of each special function for κp, κq and κ.
	all := g.Stack([]*g.Node{g.Mul(conc, p), g.Mul(conc, q), conc}, 0)
	r, s := split3(special.DigammaMinusLog(all)), split3(g.Mul(all, special.TrigammaMinusInverse(all)))

	divergence := g.Add(width, bernoulliDivergence(target, loc))
	moment := g.Sub(g.Sub(r[2], g.Mul(p, r[0])), g.Mul(q, r[1]))
	f1 := g.Add(g.Sub(loc, target), g.Sub(r[0], r[1]))
	f2 := g.Sub(g.Log(divergence), g.Log(g.MaxScalar(moment, 1e-30)))

	// The Jacobian, held constant.
	j11 := g.OnePlus(g.Add(g.Mul(q, s[0]), g.Mul(p, s[1])))
	j12 := g.Sub(s[0], s[1])
	pq := g.Mul(p, q)
	slope := g.Add(g.Mul(pq, g.Sub(r[0], r[1])), g.Mul(pq, g.Sub(s[0], s[1]))) // −∂M/∂loc
	j21 := g.Add(g.Div(g.Mul(pq, g.Sub(loc, target)), divergence), g.Div(slope, moment))
	j22 := g.Div(g.Sub(g.Add(g.Mul(p, s[0]), g.Mul(q, s[1])), s[2]), moment)
	det := g.Sub(g.Mul(j11, j22), g.Mul(j12, j21))
	c := func(x *g.Node) *g.Node { return g.StopGradient(x) }
	dLoc := g.Div(g.Sub(g.Mul(c(j22), f1), g.Mul(c(j12), f2)), c(det))
	dConc := g.Div(g.Sub(g.Mul(c(j11), f2), g.Mul(c(j21), f1)), c(det))
	bounded := func(x *g.Node) *g.Node { return g.MinScalar(g.MaxScalar(x, -2.0), 2.0) }
	return g.Sub(loc, bounded(dLoc)), g.Sub(logConc, bounded(dConc))
}

// split3 returns the three slices of x along its first axis, as constants.
func split3(x *g.Node) (parts [3]*g.Node) {
	x = g.StopGradient(x)
	for i := range parts {
		parts[i] = g.StopGradient(g.Squeeze(g.SliceAxis(x, 0, g.AxisElem(i)), 0))
	}
	return parts
}

// Parameters implements [Conjugate].
func (BetaPrior) Parameters(loc, logConc float64) (alpha, beta float64) {
	conc := math.Exp(logConc)
	return conc / (1 + math.Exp(-loc)), conc / (1 + math.Exp(loc))
}

// Coordinates implements [Conjugate].
func (BetaPrior) Coordinates(alpha, beta float64) (loc, logConc float64) {
	return math.Log(alpha / beta), math.Log(alpha + beta)
}

// Update implements [Conjugate].
func (p BetaPrior) Update(alpha, beta float64, t Term) (float64, float64) {
	if p.Failures {
		return alpha + t.Size, beta + t.Stat
	}
	return alpha + t.Stat, beta + t.Size - t.Stat
}

// LogNormalizer returns log B(α, β).
func (BetaPrior) LogNormalizer(alpha, beta float64) float64 {
	return lgamma(alpha) + lgamma(beta) - lgamma(alpha+beta)
}

// Distribution implements [Conjugate].
func (BetaPrior) Distribution(alpha, beta float64, src rand.Source) law.Distribution {
	return distuv.Beta{Alpha: alpha, Beta: beta, Src: src}
}
