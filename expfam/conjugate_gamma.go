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

// GammaPrior is the conjugate prior Gamma(α, rate β) of a rate θ. Its network coordinates are (log α/β, log α).
type GammaPrior struct {
	// Times chooses what data add to (α, β). Default: (stat, size), for counts (Poisson). With Times: (size, stat), for
	// families whose statistic multiplies −θ (exponential, gamma, Pareto).
	Times bool
}

func (GammaPrior) String() string { return "gamma" }

// ShiftFamily marks that the density is a function of u − loc.
func (GammaPrior) ShiftFamily() {}

// Coordinate implements [Conjugate].
func (GammaPrior) Coordinate() formula.Expr { return formula.MustParse("log(theta)") }

// LogEvidence returns D(α,T) + T log μ − (α+T) log(1+u), where data add T to α and
// N to β, μ = α/β, u = Nμ/α and D is [special.LogGammaRatio].
func (p GammaPrior) LogEvidence(loc, logConc, stat, size *g.Node) *g.Node {
	t, n := swapped(p.Times, stat, size)
	return gammaLogEvidence(loc, logConc, t, n)
}

// Derivatives returns g = (T − Nμ)/(1+u) and h = Nμ(1+T/α)/(1+u)².
func (p GammaPrior) Derivatives(loc, logConc, stat, size *g.Node) (slope, information *g.Node) {
	t, n := swapped(p.Times, stat, size)
	return gammaDerivatives(loc, logConc, t, n)
}

// NegLogDensity returns log Γ(α) − α log α + α + α(e^δ − 1 − δ), δ = u − loc.
func (GammaPrior) NegLogDensity(loc, logConc, u *g.Node) *g.Node {
	in := align(loc, logConc, u)
	return gammaNegLogDensity(in[1], g.Sub(in[2], in[0]))
}

// Fit matches E θ and E log θ.
func (GammaPrior) Fit(u, weights *g.Node) (loc, logConc *g.Node) {
	mean, gap := logMean(u, weights)
	return g.Add(mean, gap), gammaConcentration(gap)
}

// FitNormal returns the member closest to log θ ~ N(mean, variance). Its α solves
// log α − ψ(α) = variance/2, and its mean is E θ.
func (GammaPrior) FitNormal(mean, variance *g.Node) (loc, logConc *g.Node) {
	half := g.MulScalar(variance, 0.5)
	// Before the broadcast, a variance that all cells share is solved for α once.
	in := align(mean, half, gammaConcentration(half))
	return g.Add(in[0], in[1]), in[2]
}

// Parameters implements [Conjugate].
func (GammaPrior) Parameters(loc, logConc float64) (alpha, beta float64) {
	return math.Exp(logConc), math.Exp(logConc - loc)
}

// Coordinates implements [Conjugate].
func (GammaPrior) Coordinates(alpha, beta float64) (loc, logConc float64) {
	return math.Log(alpha / beta), math.Log(alpha)
}

// Update implements [Conjugate].
func (p GammaPrior) Update(alpha, beta float64, t Term) (float64, float64) {
	stat, size := swapped(p.Times, t.Stat, t.Size)
	return alpha + stat, beta + size
}

// LogNormalizer returns log Γ(α) − α log β.
func (GammaPrior) LogNormalizer(alpha, beta float64) float64 {
	return lgamma(alpha) - alpha*math.Log(beta)
}

// Distribution implements [Conjugate].
func (GammaPrior) Distribution(alpha, beta float64, src rand.Source) law.Distribution {
	return distuv.Gamma{Alpha: alpha, Beta: beta, Src: src}
}

// swapped returns (stat, size), or (size, stat) if swap is true.
func swapped[T any](swap bool, stat, size T) (t, n T) {
	if swap {
		return size, stat
	}
	return stat, size
}

func gammaLogEvidence(logMean, logConc, shape, rate *g.Node) *g.Node {
	in := align(logMean, logConc, shape, rate)
	m, l, t, n := in[0], in[1], in[2], in[3]
	a := expCapped(l)
	u := g.Div(g.Mul(n, expCapped(m)), a)
	value := g.Sub(g.Add(special.LogGammaRatio(a, t), g.Mul(t, m)), g.Mul(g.Add(a, t), special.Log1p(u)))
	return special.WithGradient(value,
		special.Partial{X: m, At: func() *g.Node {
			slope, _ := gammaDerivatives(m, l, t, n)
			return slope
		}},
		// The derivative in log α is α(D′(α,T) − (log(1+u)−u) − u²/(1+u)) + T u/(1+u). The
		// terms in its brackets are of second order in 1/α.
		special.Partial{X: l, At: func() *g.Node {
			share := g.Div(u, g.OnePlus(u))
			change := g.Sub(special.DigammaRatio(a, t), g.Add(special.Log1pMx(u), g.Mul(u, share)))
			return g.Add(g.Mul(a, change), g.Mul(t, share))
		}})
}

func gammaDerivatives(logMean, logConc, shape, rate *g.Node) (slope, information *g.Node) {
	in := align(logMean, logConc, shape, rate)
	t, a := in[2], expCapped(in[1])
	expected := g.Mul(in[3], expCapped(in[0]))
	v := g.OnePlus(g.Div(expected, a))
	return g.Div(g.Sub(t, expected), v), g.Div(g.Mul(expected, g.OnePlus(g.Div(t, a))), g.Square(v))
}

func gammaNegLogDensity(logConc, delta *g.Node) *g.Node {
	a := expCapped(logConc)
	return g.Add(special.LogGammaStirling(a), g.Mul(a, special.ExpM1Mx(delta)))
}

// logMean returns the mean Σ w u and the gap log Σ w eᵘ − Σ w u ≥ 0. The gap does not cancel
// where the draws are close to each other.
func logMean(u, weights *g.Node) (mean, gap *g.Node) {
	mean, centred := centre(u, weights)
	return mean, special.Log1p(weighted(special.ExpM1Mx(centred), weights))
}

// gammaConcentration returns the log of the α that solves log α − ψ(α) = y. It begins at the start value of T. Minka
// ("Estimating a Gamma distribution", 2002). Newton steps follow on the log-log scale, on which the equation is nearly
// linear. The last step carries the exact derivative in y.
func gammaConcentration(y *g.Node) *g.Node {
	y = g.MaxScalar(y, 1e-14)
	at := g.StopGradient(y)
	b := g.AddScalar(at, -3.0)
	l := g.Log(g.Div(g.Add(g.Neg(b), g.Sqrt(g.Add(g.Square(b), g.MulScalar(at, 24.0)))), g.MulScalar(at, 12.0)))
	steps := 3
	if y.DType() == dtypes.Float64 {
		steps = 4
	}
	logY := g.Log(at)
	for k := range steps {
		if k == steps-1 {
			logY = g.Log(y)
		}
		l = g.StopGradient(l)
		a := g.Exp(l)
		excess := g.StopGradient(special.DigammaMinusLog(a)) // −(log α − ψ(α))
		rate := g.Div(g.Mul(a, g.StopGradient(special.TrigammaMinusInverse(a))), excess)
		l = g.Sub(l, g.Div(g.Sub(g.Log(g.Neg(excess)), logY), rate))
	}
	return l
}

// gammaStepsGraph returns log Γ(a+t) − log Γ(a) − t log(unit), ψ(a+t) − ψ(a) and ψ′(a+t) − ψ′(a) on the graph. It
// evaluates Stirling's series at z = a+4, and goes from there down to a by the product P = a(a+1)(a+2)(a+3) with (log
// P)′ = P′/P. The three results share almost all of their work, which is most of what guidance costs beside a network.
// P is computed over z⁴, and so does not overflow. If unit is of the size of a, the logarithm stays small.
func gammaStepsGraph(a, t *g.Node, unit number) (ratio, digamma, trigamma *g.Node) {
	// z = a+4, x = 1/z, p = P/z⁴, first = (log P)′, second = −(log P)″
	type part struct{ z, x, p, first, second *g.Node }
	at := func(a *g.Node) part {
		z := g.AddScalar(a, 4.0)
		x := g.Reciprocal(z)
		square := g.Square(x)
		w := g.Mul(g.Mul(a, x), g.Mul(g.AddScalar(a, 3.0), x)) // a(a+3)/z²
		p := g.Mul(w, g.Add(w, g.MulScalar(square, 2.0)))
		slope := g.Mul(g.AddScalar(g.MulScalar(a, 2.0), 3.0), x) // (2a+3)/z
		inner := g.MulScalar(g.Add(w, square), 2.0)              // P′ = slope·inner·z³
		first := g.Mul(x, g.Div(g.Mul(slope, inner), p))
		curvature := g.MulScalar(g.Add(inner, g.Square(slope)), 2.0) // P″/z²
		return part{z, x, p, first, g.Sub(g.Square(first), g.Mul(square, g.Div(curvature, p)))}
	}
	series := func(x *g.Node, c ...float64) *g.Node { // c₀ + c₁x² + …
		square, sum := g.Square(x), g.MulScalar(g.OnesLike(x), c[len(c)-1])
		for k := len(c) - 2; k >= 0; k-- {
			sum = g.AddScalar(g.Mul(sum, square), c[k])
		}
		return sum
	}
	low, high := at(a), at(g.Add(a, t))
	step := special.Log1p(g.Mul(t, low.x)) // log((a+t+4)/(a+4))
	difference := func(f func(x *g.Node) *g.Node) *g.Node { return g.Sub(f(high.x), f(low.x)) }
	ratio = g.Add(g.Mul(g.AddScalar(high.z, -4.5), step),
		g.Mul(t, g.AddScalar(g.Log(unit.inverse().times(low.z)), -1.0)))
	ratio = g.Sub(g.Add(ratio, difference(func(x *g.Node) *g.Node {
		return g.Mul(x, series(x, 1./12, -1./360, 1./1260))
	})), g.Log(g.Div(high.p, low.p)))
	digamma = g.Add(g.Add(step, g.Sub(low.first, high.first)), difference(func(x *g.Node) *g.Node {
		return g.Neg(g.Add(g.MulScalar(x, 0.5), g.Mul(g.Square(x), series(x, 1./12, -1./120, 1./252))))
	}))
	trigamma = g.Add(g.Sub(high.second, low.second), difference(func(x *g.Node) *g.Node {
		return g.Mul(g.Square(x), g.AddScalar(g.Mul(x, series(x, 1./6, -1./30, 1./42, -1./30)), 0.5))
	}))
	return ratio, digamma, g.Sub(trigamma, g.Mul(t, g.Mul(low.x, high.x)))
}

// gammaSteps returns log Γ(a+t) − log Γ(a) − t log a, ψ(a+t) − ψ(a) and ψ′(a+t) − ψ′(a) on the host, for a > 0 and t ≥
// 0, without cancellation at large a. On the graph the first result is [special.LogGammaRatio].
func gammaSteps(a, t float64) (ratio, digamma, trigamma float64) {
	if t == 0 {
		return 0, 0, 0
	}
	start := a
	for ; a < 16; a++ {
		ratio -= math.Log1p(t / a)
		digamma += t / a / (a + t)
		trigamma -= t / a / (a + t) * (1/a + 1/(a+t))
	}
	// Stirling's series R(z) = 1/(12 z) − …. At z = 16 the first term left out is 1e-13.
	b, w := a+t, t/a
	ratio += a*(math.Log1p(w)-w) + (t-0.5)*math.Log1p(w) + t*(math.Log(a)-math.Log(start))
	x, y := 1/a, 1/b
	stirling := func(z float64) float64 { return z * (1./12 - z*z*(1./360-z*z*(1./1260-z*z/1680))) }
	ratio += stirling(y) - stirling(x)
	psi := func(z float64) float64 { return -z/2 - z*z*(1./12-z*z*(1./120-z*z*(1./252-z*z/240))) }
	digamma += math.Log1p(w) + psi(y) - psi(x)
	psi1 := func(z float64) float64 { return z*z/2 + z*z*z*(1./6-z*z*(1./30-z*z*(1./42-z*z/30))) }
	trigamma += -t*x*y + psi1(y) - psi1(x)
	return ratio, digamma, trigamma
}
