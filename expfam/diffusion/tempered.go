package diffusion

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// Tempered is the evidence trick ([Evidence]) with its shift divided by
//
//	1 + Factor·(κ − 1)·meanⱼ min(sⱼ² hⱼ, 1),
//
// where κ is the coupling of the cells ([expfam.Coupled]) and h the information of the evidence. If
// coupled cells are treated as independent, the data of their common mode count too often, by
// at most this divisor with Factor 1. Tempered needs no further Jacobian product.
type Tempered struct {
	Inference Inferrer // as in [Evidence]
	Factor    float64  // default 0.5
}

func (e Tempered) String() string {
	return fmt.Sprintf("tempered(%s, factor=%g)", inferrerName(e.Inference), e.factor())
}

func (e Tempered) factor() float64 {
	if e.Factor == 0 {
		return 0.5
	}
	return e.Factor
}

// Check refuses a Factor that is not a positive number.
func (e Tempered) Check() error { return checkGuidance("tempered", "Factor", e.factor()) }

// Shift returns the shift of [Evidence] divided by the divisor.
func (e Tempered) Shift(p *Point) *Node {
	_, information := evidenceSlopes(p, e.Inference)
	share := ReduceAndKeep(MinScalar(Mul(p.Var, information), 1), ReduceMean, -1)
	divisor := OnePlus(MulScalar(Mul(AddScalar(p.Coupling(), -1), share), e.factor()))
	return Div(Evidence{e.Inference}.Shift(p), StopGradient(divisor))
}
