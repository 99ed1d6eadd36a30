package learn

import (
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
)

// ParametricSimulator is a simulator whose draws have parameters, such as the length scale of a curve or the
// reproduction number of an epidemic. [Train] learns the field together with the parameters, and posteriors have the
// draws of the parameters under any likelihood ([expfam.Posterior.Parameter]). Data look at the field alone. The
// parameters of a draw are independent, each with its law.
type ParametricSimulator interface {
	expfam.Simulator
	// Parameters returns the parameters with their laws.
	Parameters() []law.Parameter
	// DrawGiven fills x with a draw of x₀ given the values of the parameters, in their own units and in the order of
	// Parameters. Draw is DrawGiven with values of [law.Draw].
	DrawGiven(rng *rand.Rand, values, x []float64)
}
