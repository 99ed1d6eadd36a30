package diffusion

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// DPS is diffusion posterior sampling for Normal data (Chung et al. 2023), in the form
// that the paper compares with (App. F.4). The score is
//
//	−ρ ∇ Σᵢ |yᵢ − g⁻¹(m)|²,  ρ = Weight/σ²,
//
// where m is the Tweedie mean. The paper's weight is 1, which counts the data twice; the weight of the likelihood is ½
// (see [Delta]). For other families y is the statistic per unit of size.
type DPS struct {
	Weight float64 // default 1, the paper's
}

func (d DPS) String() string { return fmt.Sprintf("dps(weight=%g)", cmp.Or(d.Weight, 1)) }

// Check refuses a Weight that is not positive and finite. Such a factor would push draws away from the data, or
// nowhere.
func (d DPS) Check() error {
	if w := cmp.Or(d.Weight, 1); !(w > 0) || math.IsInf(w, 1) {
		return fmt.Errorf("dps: Weight is %g; it must be positive and finite, or 0 for the default", w)
	}
	return nil
}

// Shift returns the shift of the weighted squares. With Stat = Σ y/σ² and Size = Σ 1/σ² the
// sum of squares over σ² is Size (Stat/Size − θ)², up to a constant.
func (d DPS) Shift(p *Point) *Node {
	return p.through(func(p *Point) *Node {
		squares := Mul(p.Size, Square(residual(p)))
		return MulScalar(squares, -cmp.Or(d.Weight, 1))
	})
}

// PoissonLS is least-squares guidance for counts (Chung et al. 2023, as in the paper's App. F.4): the score −ρₜ ∇ |y −
// g⁻¹(m)|² with the step ρₜ = ρ′/|y − g⁻¹(m)|, with ρ′ = 0.3 as they recommend.
type PoissonLS struct{}

func (PoissonLS) String() string { return fmt.Sprintf("poisson-ls(rate=%g)", stepRate) }

// Shift returns the shift of the normalised squares.
func (PoissonLS) Shift(p *Point) *Node {
	return p.through(func(p *Point) *Node {
		squares := Square(residual(p))
		return Mul(normalised(squares), squares)
	})
}

// PoissonDPS is the shot-noise variant of PoissonLS: squares are weighted by 1/(2y), with
// 0.01 instead of counts of zero, as in the paper.
type PoissonDPS struct{}

func (PoissonDPS) String() string { return fmt.Sprintf("poisson-dps(rate=%g)", stepRate) }

// Shift returns the shift of the normalised, weighted squares. The norm in the step ρₜ has no weights.
func (PoissonDPS) Shift(p *Point) *Node {
	return p.through(func(p *Point) *Node {
		squares := Square(residual(p))
		counts := MaxScalar(Div(p.Stat, MaxScalar(p.Size, 1e-12)), 0.01)
		return Mul(normalised(squares), Div(squares, MulScalar(counts, 2)))
	})
}

// residual returns Stat/Size − g⁻¹(m) in observed cells and 0 in others.
func residual(p *Point) *Node {
	theta := p.Terms.Link.Inverse(p.Mean)
	observed := BroadcastToDims(GreaterThan(p.Size, ZerosLike(p.Size)), theta.Shape().Dimensions...)
	gap := Sub(Div(p.Stat, MaxScalar(p.Size, 1e-12)), theta)
	return Where(observed, gap, ZerosLike(gap))
}

// stepRate is ρ′ of [PoissonLS] and [PoissonDPS].
const stepRate = 0.3

// normalised returns the step −ρ′/√(Σ squares) of each draw. No gradient flows through it.
func normalised(squares *Node) *Node {
	norm := Sqrt(ReduceAndKeep(squares, ReduceSum, -1))
	return MulScalar(StopGradient(Reciprocal(MaxScalar(norm, 1e-12))), -stepRate)
}
