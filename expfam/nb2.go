package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"

	g "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/special"
)

// NB2 is the negative binomial likelihood of a count y in its mean form (Cameron & Trivedi 1986), for counts that
// scatter more than Poisson counts. The rate of a cell is not θ but a draw λ around θ,
//
//	λ ~ Gamma(mean θ, variance κ θ²),  y | λ ~ Poisson(e λ),
//
// so that E y = eθ and Var y = eθ + κ (eθ)². The known constant of an observation is the exposure e, as of [Poisson].
// κ is the dispersion, and with κ = 0 the family is the Poisson. All data of a cell share λ, so their counts and
// exposures add up: with k = 1/κ
//
//	log p(y | θ) = log Γ(y+k) − log Γ(k) − log y! + k log k/(k+eθ) + y log eθ/(k+eθ).
//
// [NegativeBinomial] has the same distribution with the probability of a success as θ.
type NB2 struct {
	Dispersion float64 // κ, default 0
}

// poissonBelow is the dispersion below which κ is taken as 0. It changes the variance of a count of 10⁶ by 10⁻⁶.
const poissonBelow = 1e-12

func (f NB2) String() string { return fmt.Sprintf("nb2(dispersion=%g)", f.Dispersion) }

// Natural returns the natural form of the Poisson, which is the distribution of y given λ.
func (NB2) Natural() Natural { return poissonNatural() }

// Check refuses an impossible κ; see [Checker].
func (f NB2) Check() error {
	if !(f.Dispersion >= 0) || math.IsInf(f.Dispersion, 1) {
		return refuse("nb2", "the dispersion is %g; it must be finite and not negative", f.Dispersion)
	}
	return nil
}

// Reduce implements [Family]. The term is that of the Poisson.
func (f NB2) Reduce(y float64, known Known) (Term, error) {
	if err := f.Check(); err != nil {
		return Term{}, err
	}
	return Poisson{}.Reduce(y, known)
}

// Rand implements [Family]. It draws λ and then y.
func (f NB2) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	if f.Dispersion > poissonBelow && theta > 0 {
		theta = distuv.Gamma{Alpha: 1 / f.Dispersion, Beta: 1 / (f.Dispersion * theta), Src: rng}.Rand()
	}
	return poissonRand(theta*constant(known, 0, 1), rng)
}

// Conjugate implements [Family]; see [General].
func (NB2) Conjugate() Conjugate { return GammaPrior{} }

// DefaultLink returns θ = exp(x).
func (NB2) DefaultLink() Link { return ExpLink }

// SizeName returns the meaning of [Term.Size].
func (NB2) SizeName() string { return "exposure" }

// Coordinate returns log θ.
func (NB2) Coordinate() formula.Expr { return formula.MustParse("log(theta)") }

// At implements [General]. With u = log θ and p = eθ/(k+eθ) the slope is y − (y+k)p, and the information (y+k)p(1−p).
func (f NB2) At(u float64, t Term) (value, slope, information float64) {
	if f.Dispersion <= poissonBelow {
		mean := t.Size * math.Exp(u)
		return t.Stat*u - mean, t.Stat - mean, mean
	}
	k := 1 / f.Dispersion
	ratio, _, _ := gammaSteps(k, t.Stat)
	v := u + math.Log(t.Size) - math.Log(k)
	p := 1 / (1 + math.Exp(-v))
	n := t.Stat + k
	return ratio + t.Stat*u - n*softplus(v), t.Stat - n*p, n * p / (1 + math.Exp(v))
}

// Graph implements [General]. The value lacks the terms that do not depend on u.
func (f NB2) Graph(u, stat, size *g.Node) (value, slope, information *g.Node) {
	if f.Dispersion <= poissonBelow {
		mean := g.Mul(size, g.Exp(u))
		return g.Sub(g.Mul(stat, u), mean), g.Sub(stat, mean), mean
	}
	return nb2Graph(number{value: 1 / f.Dispersion}, u, stat, size)
}

// nb2Graph is [NB2.Graph] for κ > 0, with k = 1/κ.
func nb2Graph(k number, u, stat, size *g.Node) (value, slope, information *g.Node) {
	v := k.log().negative().plus(g.Add(u, g.Log(g.MaxScalar(size, 1e-30))))
	n, p := k.plus(stat), special.Sigmoid(v)
	seen := g.Sign(size) // 0 where nothing was observed
	value = g.Sub(g.Mul(stat, u), g.Mul(n, special.Softplus(v)))
	slope = g.Sub(stat, g.Mul(n, p))
	information = g.Mul(n, g.Mul(p, special.Sigmoid(g.Neg(v))))
	return g.Mul(seen, value), g.Mul(seen, slope), g.Mul(seen, information)
}

// Constant returns the dispersion. By default its root is exponential with P(dispersion > 1) = 0.05.
func (f NB2) Constant() (law.Parameter, float64) {
	return law.Parameter{Name: "dispersion", Law: law.PCVariance{Above: 1, Probability: 0.05}}, f.Dispersion
}

// Tuned implements tunable.
func (NB2) Tuned(value float64) Family { return NB2{Dispersion: value} }

// Reference implements tunable.
func (NB2) Reference() float64 { return 0 }

// TunedTerm implements tunable. The term does not depend on the dispersion.
func (NB2) TunedTerm(t Term, _ float64) (Term, error) { return t, nil }

// fedNB2 is NB2 with a node k = 1/κ in the place of κ.
type fedNB2 struct {
	NB2
	k *g.Node
}

func (f fedNB2) Graph(u, stat, size *g.Node) (value, slope, information *g.Node) {
	return nb2Graph(number{node: f.k}, u, stat, size)
}

func (f NB2) input() float64            { return 1 / math.Max(f.Dispersion, poissonBelow) }
func (f NB2) feed(input *g.Node) Family { return fedNB2{f, input} }
