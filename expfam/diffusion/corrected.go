package diffusion

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// Corrected is the evidence trick with the cells coupled through Cov(x₀ | x_t). The evidence of cell j has slope g and
// information h in the mean mⱼ. It acts like an observation of x₀ⱼ − mⱼ with value g (s² + 1/W) and variance
//
//	1/W = max(1/h − s², 1/(1 + I)),
//
// where I is the information of the log-likelihood at the mode. The first argument of the maximum is the exact
// variance, and makes the value g/h. Far from the data it can be negative, and the second argument takes its place.
type Corrected struct {
	Inference Inferrer // as in [Evidence]
	// Steps is the number of steps of conjugate gradients, each of which takes one Jacobian product. Default 3.
	Steps int
}

func (e Corrected) steps() int { return cmp.Or(e.Steps, defaultSteps) }

func (e Corrected) String() string {
	return fmt.Sprintf("corrected(%s, cg=%d)", inferrerName(e.Inference), e.steps())
}

// Shift returns the shift of the posterior mean, with the cells coupled.
func (e Corrected) Shift(p *Point) *Node {
	slope, information := evidenceSlopes(p, e.Inference)
	variance := BroadcastToDims(p.Var, slope.Shape().Dimensions...)
	q := Quadrature{}.orDefault()
	m, s := q.cell(p)
	_, second := q.mode(p, m, s)
	atMode := Div(Neg(OnePlus(second)), variance) // second is s² ℓ'' − 1
	// Evidence without information leaves nothing to couple.
	information = MaxScalar(information, 1e-9)
	noise := Max(Sub(Reciprocal(information), variance), Reciprocal(OnePlus(atMode)))
	root := Reciprocal(Sqrt(noise))
	return correlated(p, p.own(), Mul(Mul(slope, Add(variance, noise)), root), root, e.steps())
}
