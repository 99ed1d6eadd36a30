package latent

import "math"

// Adapt adapts the step size ε so that the mean acceptance probability reaches a target. The method and its
// constants are of Hoffman & Gelman (2014), JMLR 15, section 3.2: dual averaging.
type Adapt struct {
	target, centre float64 // target acceptance probability; value that log ε shrinks towards
	n              float64 // updates so far
	bias           float64 // running mean of target − acceptance probability
	log, average   float64 // log ε for the next trajectory, and its running average
}

// NewAdapt begins with the step size that is best for a standard normal distribution of so many dimensions up to a
// factor: it scales as dim^(−1/4) (Beskos et al. 2013).
func NewAdapt(dim int, target float64) *Adapt {
	step := math.Pow(float64(dim), -0.25)
	return &Adapt{target: target, centre: math.Log(10 * step), log: math.Log(step), average: math.Log(step)}
}

// Update takes the acceptance probability of a transition with the step size [Adapt.Step].
func (a *Adapt) Update(accept float64) {
	const gamma, delay, kappa = 0.05, 10, 0.75
	a.n++
	a.bias += (a.target - accept - a.bias) / (a.n + delay)
	a.log = a.centre - math.Sqrt(a.n)/gamma*a.bias
	a.average += math.Pow(a.n, -kappa) * (a.log - a.average)
}

// Step returns ε for the next trajectory of the warm-up.
func (a *Adapt) Step() float64 { return math.Exp(a.log) }

// Final returns ε for the draws after the warm-up.
func (a *Adapt) Final() float64 { return math.Exp(a.average) }
