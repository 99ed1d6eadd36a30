package expfam

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
)

// Weibull is the family of y > 0 with known shape k, where θ > 0 is the k-th power of the scale.
// The density is k y^(k−1) exp(−yᵏ/θ)/θ. The known constant of an observation is its own k; leave k 0 then. The
// unit form has Stat = yᵏ, Size = 1, η = −1/θ, A = log θ.
type Weibull struct {
	Shape float64 // k, default 1
}

func (f Weibull) String() string {
	return fmt.Sprintf("weibull(shape=%g)", constant(Known{}, f.Shape, 1))
}

// Natural implements [Family].
func (Weibull) Natural() Natural { return scaleNatural() }

// Reduce implements [Family].
func (f Weibull) Reduce(y float64, known Known) (Term, error) {
	k := constant(known, f.Shape, 1)
	p := math.Pow(y, k)
	err := cmp.Or(checkPositive("weibull", "the shape", k), checkAbove("weibull", y))
	if err == nil && (math.IsInf(p, 0) || p == 0) {
		err = refuse("weibull", "y = %g to the power of the shape %g is %g in float64; a Weibull of such "+
			"a shape is narrower than any data, so check the shape, or rescale y to be near 1", y, k, p)
	}
	return checkTerm("weibull", y, Term{Stat: p, Size: 1, Base: math.Log(k) + (k-1)*math.Log(y)}, err)
}

// Rand implements [Family].
func (f Weibull) Rand(theta float64, known Known, rng *rand.Rand) float64 {
	return math.Pow(theta*rng.ExpFloat64(), 1/constant(known, f.Shape, 1))
}

func (f Weibull) known() knownConstant {
	return knownConstant{what: "the shape k of each y", field: "Shape", own: f.Shape, role: ofShape,
		instead: "such a shape says that y is known to a thousandth"}
}

// Conjugate implements [Family].
func (Weibull) Conjugate() Conjugate { return InvGammaPrior{} }

// DefaultLink returns θ = exp(x).
func (Weibull) DefaultLink() Link { return ExpLink }
