package diffusion

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// Tempered is the evidence trick ([Evidence]) with its shift divided by
//
//	1 + ½ (κ − 1) meanⱼ min(sⱼ² hⱼ, 1),
//
// where κ is the coupling of the cells ([expfam.Coupled]) and h the information of the evidence. If
// coupled cells are treated as independent, the data of their common mode count too often, by
// at most twice what the divisor takes off. Tempered needs no further Jacobian product.
type Tempered struct {
	Inference Inferrer // as in [Evidence]
}

func (e Tempered) String() string {
	return fmt.Sprintf("tempered(%s, factor=%g)", inferrerName(e.Inference), temperedShare)
}

// temperedShare is the factor ½ of the divisor.
const temperedShare = 0.5

// Shift returns the shift of [Evidence] divided by the divisor.
func (e Tempered) Shift(p *Point) *Node {
	_, information := evidenceSlopes(p, e.Inference)
	share := ReduceAndKeep(MinScalar(Mul(p.Var, information), 1), ReduceMean, -1)
	divisor := OnePlus(MulScalar(Mul(AddScalar(p.Coupling(), -1), share), temperedShare))
	return Div(Evidence(e).Shift(p), StopGradient(divisor))
}
