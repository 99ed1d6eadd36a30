package diffusion

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// skewness returns what the third cumulants of x₀ | x_t add to the shift, for data that look at
// one cell each. The argument slopes has ∂ℓ/∂sⱼ² of all cells, (batch, d).
//
// The evidence of a cell depends on x_t through the mean mⱼ and the variance sⱼ² of x₀ⱼ | x_t.
// The evidence is a normal density convolved with p(yⱼ | g⁻¹(x)), so by the heat equation
// ∂ℓⱼ/∂sⱼ² = (gⱼ² − hⱼ)/2. The slope (v/√α) ∂sⱼ²/∂x_t,i of the variance is the third cumulant
// κᵢⱼⱼ = Cov(x₀ᵢ, (x₀ⱼ − mⱼ)² | x_t). With the weight λ of the step ([Step.Skew]) the shift gains
//
//	δᵢ += (λ/2) Σⱼ κᵢⱼⱼ (gⱼ² − hⱼ).
//
// Over data that the prior expects this term has the mean 0, because E gⱼ² = hⱼ. Data that vary more than expected at
// x_t move x_t to where x₀ varies more. In this way a prior of images learns from counts how rough a surface is.
// Without the term draws have six tenths of the texture of such surfaces.
//
// The sum treats the evidences of the cells as independent. At high noise levels x₀ | x_t couples many cells, and their
// evidences count the same information several times. Therefore λ is smaller at higher noise levels.
func skewness(p *Point, slopes *Node) *Node {
	shift := Mul(p.skew, p.Shifted(Mul(StopGradient(slopes), p.variance)))
	rms := Sqrt(ReduceAndKeep(Div(Square(shift), p.Var), ReduceMean, -1))
	return Mul(shift, MinScalar(MulScalar(Reciprocal(MaxScalar(rms, smallestDivisor(rms))), mostSkew), 1))
}

// inVariance returns the slope ∂ℓ/∂s² = (g² − h)/2 of each datum's evidence in the variance s² of what the datum looks
// at, bounded by mostGain. g is the slope of the evidence in the mean, and rho = 1 − s²h.
func inVariance(g, rho, variance *Node) *Node {
	h := Div(OneMinus(rho), variance)
	gain := MulScalar(Mul(Sub(Square(g), h), variance), 0.5)
	return Div(MinScalar(gain, mostGain), variance)
}

// mostSkew bounds what third cumulants add to the shift of a draw. It bounds the root mean square over the cells, in
// units of the standard deviation of x₀ | x_t. Where x₀ | x_t changes from one amplitude to another, the slope of its
// variance is steep, and one long step along this slope would carry x_t beyond both amplitudes.
const mostSkew = 3

// mostGain bounds (gⱼ² − hⱼ)sⱼ²/2. The datum of a cell with this gain moves the mean of x₀ⱼ by 4.5 sⱼ.
const mostGain = 10
