package expfam

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// skewness is what the third cumulants of x₀ | x_t add to the shift, for data that look at one cell
// each. The evidence of a cell depends on x_t through the mean mⱼ and the variance sⱼ² of
// x₀ⱼ | x_t. It is a normal density convolved with p(yⱼ | g⁻¹(x)), so by the heat equation
// ∂ℓⱼ/∂sⱼ² = (gⱼ² − hⱼ)/2, and (v/√α) ∂sⱼ²/∂x_t,i is the third cumulant
// κᵢⱼⱼ = Cov(x₀ᵢ, (x₀ⱼ − mⱼ)² | x_t). The shift gains
//
//	δᵢ += (λ/2) Σⱼ κᵢⱼⱼ (gⱼ² − hⱼ).
//
// It has the mean 0 over data that the prior expects, because E gⱼ² = hⱼ. Data that vary more
// than x_t lets expect move x_t to where x₀ varies more: a prior of images learns in this way
// from counts how rough a surface is. Without it draws have six tenths of the texture of such surfaces.
//
// The sum treats the evidences of cells as independent. Where x₀ | x_t couples many cells, at
// high noise levels, they say the same several times: therefore λ falls with the noise level.
//
// slopes are ∂ℓ/∂sⱼ² of all cells, (batch, d).
func (p *Point) skewness(slopes *Node) *Node {
	shift := Mul(p.skew, p.Shifted(Mul(StopGradient(slopes), p.slope)))
	rms := Sqrt(ReduceAndKeep(Div(Square(shift), p.Var), ReduceMean, -1))
	return Mul(shift, MinScalar(MulScalar(Reciprocal(MaxScalar(rms, tiny(rms))), mostSkew), 1))
}

// inVariance is the slope of a datum's evidence in the variance of what it looks at.
func inVariance(g, rho, variance *Node) *Node {
	h := Div(OneMinus(rho), variance)
	gain := MulScalar(Mul(Sub(Square(g), h), variance), 0.5)
	return Div(MinScalar(gain, mostGain), variance)
}

// mostSkew bounds what third cumulants add to the shift of a draw, as a root mean square over its cells in standard
// deviations of x₀ | x_t. Where a prior changes its mind between two amplitudes the slope of its
// variance is steep, and one long step along it would carry x_t beyond both.
const mostSkew = 3

// mostGain bounds (gⱼ² − hⱼ)sⱼ²/2. The datum of a cell with this gain moves the mean of x₀ⱼ by 4.5 sⱼ.
const mostGain = 10

// trajectory is the one of a method, without third cumulants where they are 0 or nobody asks for them, and in a
// method that was refined where it had none before, because no graph has them then.
func (c *Compiled) trajectory(m Method) ([]Step, error) {
	steps, err := stepsOf(m)
	_, linear := c.prior.(Linear)
	_, asked := c.sampler.Guidance.(Quadrature)
	if err != nil || asked && !linear && c.forward.separate() && (c.steps == nil || skewed.in(c.steps)) {
		return steps, err
	}
	steps = slices.Clone(steps) // a method of the user's may keep its own
	for i := range steps {
		steps[i].Skew = 0
	}
	return steps, nil
}
