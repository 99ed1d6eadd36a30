package expfam

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
)

// Pareto is the likelihood of y ≥ m with density θ mᶿ y^−(θ+1), shape θ > 0 and known scale m. The known
// constant of an observation is its own m; leave m 0 then. The unit form has Stat = log(y/m), Size = 1, η = −θ, A =
// −log θ. The logarithm log(y/m) is exponential with rate θ.
type Pareto struct {
	Scale float64 // m, default 1
}

func (f Pareto) String() string {
	return fmt.Sprintf("pareto(scale=%g)", constant(Known{}, f.Scale, 1))
}

// Natural implements [Family].
func (Pareto) Natural() Natural { return rateNatural() }

// Reduce implements [Family].
func (f Pareto) Reduce(y float64, known Known) (Term, error) {
	m := constant(known, f.Scale, 1)
	err := cmp.Or(checkPositive("pareto", "the scale", m), checkFinite("pareto", "y", y))
	if err == nil && y < m {
		err = refuse("pareto", "y is %g, below the scale %g", y, m)
	}
	return checkTerm("pareto", y, Term{Stat: math.Log(y / m), Size: 1, Base: -math.Log(y)}, err)
}

// Rand implements [Family].
func (f Pareto) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	return constant(known, f.Scale, 1) * math.Exp(rng.ExpFloat64()/theta)
}

func (f Pareto) known() knownConstant {
	return knownConstant{what: "the least possible value m of each y", field: "Scale", own: f.Scale, role: ofPlace}
}

// Conjugate implements [Family].
func (Pareto) Conjugate() Conjugate { return GammaPrior{Times: true} }

// DefaultLink returns θ = exp(−x). The link follows from E log y = log m + exp(x), and serves every m. The
// paper's link 1/(exp(x) − log m) has a pole and negative θ for m > 1, and does not reach every θ for m < 1.
func (Pareto) DefaultLink() Link { return MustLink("exp(-x)") }
