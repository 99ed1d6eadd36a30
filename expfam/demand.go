package expfam

import "math"

// Demand is what the data ask of a [Method].
type Demand struct {
	// End is a noise level, in units of x₀, at which the diffusion may end: the
	// estimate that ends it then has the variance of the posterior to two percent
	// in every cell.
	End float64
	// Misfit is how much the data surprise the prior: (y* − μ)ᵀ(K + W⁻¹)⁻¹(y* − μ)
	// per cell with data, y* and W being the values and precisions of observations
	// of x₀ that say what the data say. It is about 1 for data of the model, and 0
	// where it is not known, that is unless the prior is [Linear].
	Misfit float64
}

// Refiner is a method that adapts to data: [Sample] asks it for the scheme that
// they demand. A method that is no Refiner is used as it is, and [Sample] refuses
// data that fix a cell to a standard deviation below twice its last noise level.
type Refiner interface {
	Method
	// Refine is the same scheme, changed as far as the demand asks; it is the
	// method itself where nothing has to change.
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
