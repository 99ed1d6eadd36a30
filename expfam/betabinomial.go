package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/special"
)

// BetaBinomial is the family of y positives among n trials of a cell, where the trials of a
// cell are correlated. The probability in a cell is not θ but a draw p around θ,
//
//	p ~ Beta(κθ, κ(1−θ)),  κ = 1/ρ − 1,  y | p ~ Binomial(n, p),
//
// so that E y = nθ and Var y = nθ(1−θ)(1 + (n−1)ρ). The correlation of any two trials of a cell is ρ. All data of a
// cell share p, replicates too, so their positives and their trials add up:
//
//	log p(y | θ) = log C(n,y) + log B(κθ+y, κ(1−θ)+n−y) − log B(κθ, κ(1−θ)),
//
// which is the evidence of a [BetaPrior] with mean θ. With ρ = 0 the family is the [Binomial].
// The likelihood is not log-concave in logit θ far below or far above the observed rate.
//
// In [Data], n = 0 with y = 0 marks a missing cell. [Likelihood.Simulate] draws a new p for
// every replicate, so ask it for one replicate only.
type BetaBinomial struct {
	Trials      float64 // n, a whole number, default 1
	Correlation float64 // ρ in [0, 1), default 0; gmrf estimates it
}

func (f BetaBinomial) String() string {
	return fmt.Sprintf("betabinomial(n=%g, rho=%g)", constant(Known{}, f.Trials, 1), f.Correlation)
}

// binomialBelow is the correlation ρ below which ρ is taken as 0. Such a ρ changes the likelihood of up to 10⁸ trials
// by less than float32 resolves, (n−1)ρ < 1e-7. Above binomialBelow the parameters of the Beta, up to 1/ρ, and their
// squares stay far from the ends of float32.
const binomialBelow = 1e-15

// Natural returns the natural form of the Binomial, which is the distribution of y given p.
func (BetaBinomial) Natural() Natural { return binomialNatural() }

// Check refuses an impossible ρ; see [Checker].
func (f BetaBinomial) Check() error {
	if !(f.Correlation >= 0 && f.Correlation < 1) {
		return refuse("betabinomial", "the correlation is %g; it must be in [0, 1)", f.Correlation)
	}
	return nil
}

// Reduce implements [Family].
func (f BetaBinomial) Reduce(y float64, known Known) (Term, error) {
	if err := f.Check(); err != nil {
		return Term{}, err
	}
	return reduceTrials("betabinomial", y, known, f.Trials)
}

// Rand implements [Family].
func (f BetaBinomial) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	if known.Zero() {
		return 0
	}
	return Binomial{Trials: f.Trials}.Rand(f.rate(theta, rng), known, rng)
}

// rate draws the probability p of a cell. It returns θ itself where ρ is taken as 0 or θ is not inside (0, 1).
func (f BetaBinomial) rate(theta float64, rng *rand.Rand) float64 {
	if f.Correlation < binomialBelow || theta <= 0 || theta >= 1 {
		return theta
	}
	k := 1/f.Correlation - 1
	return Standard{BetaPrior{}, theta * k, (1 - theta) * k}.Rand(rng)
}

func (f BetaBinomial) known() knownConstant {
	return knownConstant{what: "the number of trials n", field: "Trials", own: f.Trials, role: ofTrials}
}

// Conjugate returns the conjugate prior of p; see [General].
func (BetaBinomial) Conjugate() Conjugate { return BetaPrior{} }

// DefaultLink returns θ = sigmoid(x).
func (BetaBinomial) DefaultLink() Link { return SigmoidLink }

// Coordinate implements [General]. The coordinate is logit θ.
func (BetaBinomial) Coordinate() formula.Expr { return BetaPrior{}.Coordinate() }

// At implements [General]. The value is made of differences of log Γ. With w = κθ(1−θ),
// Δψ(a, t) = ψ(a+t) − ψ(a) and Δψ′ likewise, the slope is w (Δψ(κθ, y) − Δψ(κ(1−θ), n−y)),
// and the information is (2θ−1)·slope − w² (Δψ′(κθ, y) + Δψ′(κ(1−θ), n−y)).
func (f BetaBinomial) At(u float64, t Term) (value, slope, information float64) {
	const edge = 300 // beyond ±edge, inverse squares of the parameters of the Beta overflow
	u = math.Min(math.Max(u, -edge), edge)
	s, r := t.Stat, t.Size-t.Stat
	p, q := 1/(1+math.Exp(-u)), 1/(1+math.Exp(u))
	value = -s*softplus(-u) - r*softplus(u)
	if f.Correlation < binomialBelow {
		return value, s*q - r*p, t.Size * p * q
	}
	k := 1/f.Correlation - 1
	d1, g1, h1 := gammaSteps(k*p, s)
	d2, g2, h2 := gammaSteps(k*q, r)
	d3, _, _ := gammaSteps(k, t.Size)
	w := k * p * q
	slope = w * (g1 - g2)
	return value + d1 + d2 - d3, slope, (p-q)*slope - w*w*(h1+h2)
}

// Graph implements [General], up to a term that does not depend on u. It is accurate to 1e-7 in float32, at every κ.
func (f BetaBinomial) Graph(u, stat, size *g.Node) (value, slope, information *g.Node) {
	k := number{value: math.Inf(1)}
	if f.Correlation >= binomialBelow {
		k.value = 1/f.Correlation - 1
	}
	return betaBinomialGraph(k, u, stat, size)
}

// betaBinomialGraph is [BetaBinomial.Graph] with κ = 1/ρ − 1.
func betaBinomialGraph(k number, u, stat, size *g.Node) (value, slope, information *g.Node) {
	// Beyond ±35, squares of 1/p and 1/q overflow in float32.
	u = g.MinScalar(g.MaxScalar(u, -35.0), 35.0)
	p, q, rest := special.Sigmoid(u), special.Sigmoid(g.Neg(u)), g.Sub(size, stat)
	if math.IsInf(k.value, 1) {
		value = g.Neg(g.Add(g.Mul(stat, special.Softplus(g.Neg(u))), g.Mul(rest, special.Softplus(u))))
		return value, g.Sub(g.Mul(stat, q), g.Mul(rest, p)), g.Mul(size, g.Mul(p, q))
	}
	a, b := k.times(p), k.times(q)
	d1, g1, h1 := gammaStepsGraph(a, stat, k)
	d2, g2, h2 := gammaStepsGraph(b, rest, k)
	w := g.Mul(a, q)
	slope = g.Mul(w, g.Sub(g1, g2))
	information = g.Sub(g.Mul(g.Sub(p, q), slope), g.Mul(w, g.Mul(w, g.Add(h1, h2))))
	return g.Add(d1, d2), slope, information
}

// fedBetaBinomial is BetaBinomial with a node κ in the place of ρ.
type fedBetaBinomial struct {
	BetaBinomial
	k *g.Node
}

func (f fedBetaBinomial) Graph(u, stat, size *g.Node) (value, slope, information *g.Node) {
	return betaBinomialGraph(number{node: f.k}, u, stat, size)
}

func (f BetaBinomial) input() float64            { return 1/math.Max(f.Correlation, 1e-12) - 1 }
func (f BetaBinomial) feed(input *g.Node) Family { return fedBetaBinomial{f, input} }

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// SizeName names what [Term.Size] counts.
func (BetaBinomial) SizeName() string { return "trials" }
