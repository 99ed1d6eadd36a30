package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/special"
)

// BetaBinomial is y positives of the n trials of a cell that are alike: the
// probability in a cell is not θ but a draw around it,
//
//	p ~ Beta(κθ, κ(1−θ)),  κ = 1/ρ − 1,  y | p ~ Binomial(n, p),
//
// so that E y = nθ and Var y = nθ(1−θ)(1 + (n−1)ρ): ρ is the correlation of any
// two trials of a cell. The data of a cell share p, replicates among them, and
// remain sums of positives and trials:
//
//	log p(y | θ) = log C(n,y) + log B(κθ+y, κ(1−θ)+n−y) − log B(κθ, κ(1−θ)),
//
// the evidence of a [BetaPrior] with mean θ. With ρ = 0 it is the Binomial. It is
// not log-concave in logit θ far below the rate that was observed, or far above.
//
// In [Data] n = 0 with y = 0 is a missing cell. [Likelihood.Simulate] draws a p for
// every replicate: ask it for one.
type BetaBinomial struct {
	Trials      float64 // n, a whole number, default 1
	Correlation float64 // ρ in [0, 1), default 0; gmrf estimates it
}

func (f BetaBinomial) String() string {
	return fmt.Sprintf("betabinomial(n=%g, rho=%g)", constant(0, f.Trials, 1), f.Correlation)
}

// Natural is the Binomial's, given p.
func (BetaBinomial) Natural() Natural { return binomialNatural() }

// Validate says why y, the number of trials or ρ is impossible, if one is.
func (f BetaBinomial) Validate(y, known float64) error {
	if err := f.check(); err != nil {
		return err
	}
	return binomialCheck("betabinomial", y, constant(known, f.Trials, 1))
}

func (f BetaBinomial) check() error {
	if !(f.Correlation >= 0 && f.Correlation < 1) {
		return refuse("betabinomial", "the correlation is %g; it must be in [0, 1)", f.Correlation)
	}
	return nil
}

// Reduce implements [Family].
func (f BetaBinomial) Reduce(y, known float64) (Term, error) {
	if err := f.Validate(y, known); err != nil {
		return Term{}, err
	}
	n := constant(known, f.Trials, 1)
	return checkTerm("betabinomial", y, Term{Stat: y, Size: n, Base: logChoose(n, y)})
}

func (f BetaBinomial) reduceEmpty(y float64) (Term, error) { return Binomial{}.reduceEmpty(y) }

// Rand implements [Family].
func (f BetaBinomial) Rand(theta, known float64, rng *rand.Rand) float64 {
	return Binomial{Trials: f.Trials}.Rand(f.rate(theta, rng), known, rng)
}

// rate is p.
func (f BetaBinomial) rate(theta float64, rng *rand.Rand) float64 {
	if f.Correlation == 0 || theta <= 0 || theta >= 1 {
		return theta
	}
	k := 1/f.Correlation - 1
	if p := (distuv.Beta{Alpha: theta * k, Beta: (1 - theta) * k, Src: rng}).Rand(); p >= 0 && p <= 1 {
		return p
	}
	// Both of the Gamma variables of which the Beta is made are 0 where κ is tiny: p
	// is 0 or 1 then.
	if rng.Float64() < theta {
		return 1
	}
	return 0
}

// Conjugate is that of p; see [General].
func (BetaBinomial) Conjugate() Conjugate { return BetaPrior{} }

// DefaultLink is θ = sigmoid(x).
func (BetaBinomial) DefaultLink() Link { return SigmoidLink }

// Coordinate implements [General]: logit θ.
func (BetaBinomial) Coordinate() formula.Expr { return BetaPrior{}.Coordinate() }

// At implements [General]. With w = κθ(1−θ) and the differences Δ of log Γ, ψ and
// ψ′ the slope is w (Δψ(κθ, y) − Δψ(κ(1−θ), n−y)) and the curvature
// (1−2θ)·slope + w² (Δψ′(κθ, y) + Δψ′(κ(1−θ), n−y)).
func (f BetaBinomial) At(u float64, t Term) (value, slope, curvature float64) {
	const edge = 300 // beyond, squares of the parameters of the Beta overflow
	u = math.Min(math.Max(u, -edge), edge)
	s, r := t.Stat, t.Size-t.Stat
	p, q := 1/(1+math.Exp(-u)), 1/(1+math.Exp(u))
	value = -s*softplus(-u) - r*softplus(u)
	if f.Correlation == 0 {
		return value, s*q - r*p, -t.Size * p * q
	}
	k := 1/f.Correlation - 1
	d1, g1, h1 := gammaSteps(k*p, s)
	d2, g2, h2 := gammaSteps(k*q, r)
	d3, _, _ := gammaSteps(k, t.Size)
	w := k * p * q
	slope = w * (g1 - g2)
	return value + d1 + d2 - d3, slope, (q-p)*slope + w*w*(h1+h2)
}

// Graph implements [General], up to a term that does not depend on u: in float32
// and to 1e-7 at every κ.
func (f BetaBinomial) Graph(u, stat, size *g.Node) (value, slope, curvature *g.Node) {
	// Beyond, squares of 1/p overflow in float32.
	u = g.MinScalar(g.MaxScalar(u, -35.0), 35.0)
	p, q, rest := special.Sigmoid(u), special.Sigmoid(g.Neg(u)), g.Sub(size, stat)
	if f.Correlation == 0 {
		value = g.Neg(g.Add(g.Mul(stat, special.Softplus(g.Neg(u))), g.Mul(rest, special.Softplus(u))))
		return value, g.Sub(g.Mul(stat, q), g.Mul(rest, p)), g.Neg(g.Mul(size, g.Mul(p, q)))
	}
	k := 1/f.Correlation - 1
	a, b := g.MulScalar(p, k), g.MulScalar(q, k)
	d1, g1, h1 := gammaStepsGraph(a, stat)
	d2, g2, h2 := gammaStepsGraph(b, rest)
	w := g.Mul(a, q)
	slope = g.Mul(w, g.Sub(g1, g2))
	curvature = g.Add(g.Mul(g.Sub(q, p), slope), g.Mul(g.Square(w), g.Add(h1, h2)))
	return g.Add(d1, d2), slope, curvature
}

// gammaStepsGraph are log Γ(a+t) − log Γ(a), ψ(a+t) − ψ(a) and ψ′(a+t) − ψ′(a): by
// Stirling's series at a+4, and from there down by P = a(a+1)(a+2)(a+3) with
// (log P)′ = P′/P. They share almost all of their work, which is most of what
// guidance costs beside a network.
func gammaStepsGraph(a, t *g.Node) (ratio, digamma, trigamma *g.Node) {
	type part struct{ z, x, p, first, second *g.Node }
	at := func(a *g.Node) part {
		z := g.AddScalar(a, 4.0)
		w := g.Mul(a, g.AddScalar(a, 3.0))
		p := g.Mul(w, g.AddScalar(w, 2.0))
		turn, inner := g.AddScalar(g.MulScalar(a, 2.0), 3.0), g.AddScalar(g.MulScalar(w, 2.0), 2.0)
		first := g.Div(g.Mul(turn, inner), p)
		bend := g.MulScalar(g.Add(inner, g.Square(turn)), 2.0)
		return part{z, g.Reciprocal(z), p, first, g.Sub(g.Square(first), g.Div(bend, p))}
	}
	series := func(x *g.Node, c ...float64) *g.Node { // c₀ + c₁x² + …
		square, sum := g.Square(x), g.MulScalar(g.OnesLike(x), c[len(c)-1])
		for k := len(c) - 2; k >= 0; k-- {
			sum = g.AddScalar(g.Mul(sum, square), c[k])
		}
		return sum
	}
	low, high := at(a), at(g.Add(a, t))
	step := special.Log1p(g.Mul(t, low.x))
	difference := func(f func(x *g.Node) *g.Node) *g.Node { return g.Sub(f(high.x), f(low.x)) }
	ratio = g.Add(g.Mul(g.AddScalar(high.z, -0.5), step), g.Mul(t, g.AddScalar(g.Log(low.z), -1.0)))
	ratio = g.Sub(g.Add(ratio, difference(func(x *g.Node) *g.Node { return g.Mul(x, series(x, 1./12, -1./360, 1./1260)) })),
		g.Log(g.Div(high.p, low.p)))
	digamma = g.Add(g.Add(step, g.Sub(low.first, high.first)), difference(func(x *g.Node) *g.Node {
		return g.Neg(g.Add(g.MulScalar(x, 0.5), g.Mul(g.Square(x), series(x, 1./12, -1./120, 1./252))))
	}))
	trigamma = g.Add(g.Sub(high.second, low.second), difference(func(x *g.Node) *g.Node {
		return g.Mul(g.Square(x), g.AddScalar(g.Mul(x, series(x, 1./6, -1./30, 1./42, -1./30)), 0.5))
	}))
	return ratio, digamma, g.Sub(trigamma, g.Mul(t, g.Mul(low.x, high.x)))
}

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// gammaSteps are log Γ(a+t) − log Γ(a) − t log a, ψ(a+t) − ψ(a) and ψ′(a+t) − ψ′(a),
// a > 0, t ≥ 0, without cancellation at large a: [special.LogGammaRatio] and its
// like on the host.
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
	// Stirling's series, R(z) = 1/(12 z) − …; at 16 the first term left out is
	// 1e-13.
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
