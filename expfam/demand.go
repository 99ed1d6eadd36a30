package expfam

import "math"

// Demand is what the data require of a [Method].
type Demand struct {
	// End is a noise level, in units of x₀, at which the diffusion may end. The final
	// estimate then has the variance of the posterior, to two percent in every cell.
	End float64
	// Misfit says how much the data contradict the prior: (y* − μ)ᵀ(K + W⁻¹)⁻¹(y* − μ)
	// per cell with data. Here y* and W are the values and precisions of observations of
	// x₀ that are equivalent to the data. Misfit is about 1 for data of the model. It is
	// known only if the prior is [Linear], and else 0.
	Misfit float64
}

// Refiner is a method that adapts to data: [Sample] asks it for the scheme that the data
// require. A method without Refine is used unchanged, and Sample refuses data that
// determine a cell to a standard deviation below twice its last noise level.
type Refiner interface {
	Method
	// Refine is the same scheme, changed as the demand requires. If nothing has to change
	// it is the method itself.
	Refine(d Demand) Method
}

// extend is the number of steps and the diffusion of a descent that ends at a
// noise level end, with steps as long as those of n steps from a to the end of vp.
func extend(n int, a float64, vp VP, end float64) (int, VP) {
	last := vp.Level(vp.orDefault().Epsilon).Sigma()
	if end >= last {
		return n, vp
	}
	vp.Epsilon = vp.Time(end)
	return int(math.Ceil(float64(n) * math.Log(a/end) / math.Log(a/last))), vp
}
