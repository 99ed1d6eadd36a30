package diffusion

import (
	"math"

	"github.com/expfam/lab/expfam/level"
)

// Demand is what the data require of a [Method].
type Demand struct {
	// End is a noise level, in units of x₀, at which the diffusion may end. The final
	// estimate then has the variance of the posterior, to two percent in every cell.
	End float64
	// Misfit measures how much the data contradict the prior: (y* − μ)ᵀ(K + W⁻¹)⁻¹(y* − μ) per cell with data. Here y*
	// and W are the values and precisions of observations of x₀ that are equivalent to the data. Misfit is about 1 for
	// data of the model. It is known only if the prior is [expfam.Linear], and is 0 for other priors.
	Misfit float64
	// Faint is true if the data are weak: a datum has less than .7 of the information that the prior has about its
	// cell, on average, such as the few events of a rare disease. All cells together may have much, about their common
	// level for example. It is known only if each datum looks at a cell, and is false if the prior is [expfam.Linear],
	// where transitions follow.
	Faint bool
	// Gaps is the share of the cells that have no data, or hardly any beside the others, if the prior has unknown
	// parameters ([Augmented]). At returns to higher noise levels values are imputed there. It is 0 for other priors.
	Gaps float64
}

// Refiner is a method that adapts to data: [Sample] asks it for the scheme that the data
// require. A method without Refine is used unchanged, and Sample refuses data that
// determine a cell to a standard deviation below twice its last noise level.
type Refiner interface {
	Method
	// Refine returns the same scheme, changed as the demand requires. It returns the method
	// itself if nothing has to change.
	Refine(d Demand) Method
}

// extend lengthens a descent of n steps, from noise level a to the end of vp, so that it ends at
// the noise level end with steps of the same length. It returns the number of steps and the
// diffusion. A descent that ends at or below end stays as it is.
func extend(n int, a float64, vp level.VP, end float64) (int, level.VP) {
	last := vp.Level(vp.Defaults().Epsilon).Sigma()
	if end >= last {
		return n, vp
	}
	vp.Epsilon = vp.Time(end)
	return int(math.Ceil(float64(n) * math.Log(a/end) / math.Log(a/last))), vp
}
