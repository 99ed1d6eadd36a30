package diffusion

import (
	"math"

	"github.com/expfam/lab/expfam"
)

// A [Quadrature] whose Newton is 0 takes usualNewton steps. It takes more, up to mostNewton, where data far from a
// wide prior need more than patience steps beyond usualNewton.
const (
	usualNewton = 6
	patience    = 3
	mostNewton  = 40
)

// newtonSteps returns how many steps the search of [Quadrature] for the mode of a datum takes until a step is at
// most a third of the width of the peak. The result is the largest number over all data, and over searches from
// the prior's mean and from three standard deviations to either side of it. From above, an exponential link takes
// one step for each factor e, so an intercept of standard deviation 3 or 10 takes more than usualNewton steps.
func newtonSteps(t *expfam.Terms, obs expfam.Observations, mean, sd []float64) int {
	n, most := len(obs), 0
	x, slope, information := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, offset := range []float64{-3, 0, 3} {
		z, low, high := make([]float64, n), make([]float64, n), make([]float64, n)
		for k := range z {
			low[k], high[k] = -unbounded, unbounded
		}
		reach := newtonReach
		for step := range mostNewton {
			for k := range x {
				x[k] = mean[k] + sd[k]*(offset+z[k])
			}
			t.LogLikSlope(x, obs, slope)
			t.Informations(x, obs, information)
			open := false
			for k, term := range obs {
				if term == (expfam.Term{}) || sd[k] == 0 {
					continue
				}
				pull, precision := sd[k]*slope[k]-z[k], math.Max(sd[k]*sd[k]*information[k], 0)+1
				if math.Abs(pull) <= math.Sqrt(precision)/3 {
					continue
				}
				open = true
				if pull > 0 {
					low[k] = z[k]
				} else {
					high[k] = z[k]
				}
				next := z[k] + math.Min(math.Max(pull/precision, -reach), reach)
				if !(next >= low[k] && next <= high[k]) {
					next = (low[k] + high[k]) / 2
				}
				z[k] = next
			}
			if !open {
				most = max(most, step)
				break
			}
			if step == mostNewton-1 {
				return mostNewton
			}
			reach *= 2
		}
	}
	return most
}
