package joint

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/latent"
)

const (
	// skewed is the shift of the mean of a cell off its mode, in standard deviations, from which draws of Laplace's
	// approximation are not taken as they are. Its correction to first order leaves an error of the size of the square.
	// farSkewed is the root mean square of the shifts of all cells from which the approximation is only a start.
	skewed, farSkewed = 0.15, 0.3
	// mostExact is the time on a processor that exact draws may take where the approximation is near, and farExact
	// where it is far off.
	mostExact, farExact = 2, 20
	// mostTransitions bounds the transitions of a draw at fixed values of the parameters.
	mostTransitions = 40
	// mended is the number of transitions of a draw whose certificate called it wrong without any, and forget that of
	// draws that move between values of the parameters, where the approximation is not near.
	mended, forget = 2, 8
)

// fixed reports whether draws keep their values of the parameters: Laplace's approximation at few values is enough,
// where draws that move between values cost more, and they are not needed or cannot be had. It chooses the transitions
// of draws at these values.
func (r *run) fixed() (bool, error) {
	known := len(r.parameters) == 0
	if !known && !r.approximate {
		return false, nil
	}
	worst, whole, err := shifts(r.centre, nil)
	if err != nil {
		return false, err
	}
	factor, gradient := r.sparse.Operations()
	transition := 10 * (2*gradient/1.5e9 + 3e-7*float64(r.cells))
	budget := 1. * mostExact
	if whole > farSkewed {
		budget = farExact
	}
	r.steps = 0
	if n := int(budget / (transition * float64(r.o.Draws))); r.mending {
		r.steps = mended
	} else if worst > skewed && n >= 3 {
		r.steps, r.skewed = min(n, mostTransitions), true
		r.adapt(r.centre)
	}
	n, _ := r.size(false)
	seconds := float64(n)*2*factor/1.5e9 + float64(r.o.Draws)*4*transition
	enough := seconds > budget || worst < skewed && seconds > mostExact
	if !known && (!enough || r.proposal.split == nil) {
		return false, nil
	}
	r.moves = 0
	return true, nil
}

// mend reports whether draws are to be made anew, with transitions, because their certificate calls them wrong and they
// have none. It chooses the step size. Only approximate draws are mended, because a draw then depends on the others of
// its call.
func (r *run) mend(c *expfam.Certificate) bool {
	if !r.approximate || r.moves > 0 || r.steps > 0 || c.Verdict() != "wrong" {
		return false
	}
	r.mending, r.skewed = true, true
	r.adapt(r.centre)
	_, gradient := r.sparse.Operations()
	gradients := float64(r.o.Draws) * (latent.Width + mended*length/r.step)
	return latent.Cost{Flops: 2 * gradient * gradients}.Fits("", "") == nil
}

// shifts returns the largest shift of the mean of a cell off its mode, in standard deviations, and their root mean
// square; of all cells, or some.
func shifts(a *latent.Around, cells []bool) (most, rms float64, err error) {
	if err := a.Whiten(); err != nil {
		return 0, 0, err
	}
	z, variances := a.Moments(cells)
	mean, mode := make([]float64, len(variances)), make([]float64, len(variances))
	a.Place(z, mean)
	clear(z)
	a.Place(z, mode)
	for i, v := range variances {
		if v > 0 {
			off := math.Abs(mean[i]-mode[i]) / math.Sqrt(v)
			most, rms = math.Max(most, off), rms+off*off/float64(len(mean))
		}
	}
	return most, math.Sqrt(rms), nil
}

// near returns a point from which transitions start: a draw of the approximation around the mean. Of a skewed posterior
// it is one of several, by their weights: the ratios of the posterior density and the density of the approximation
// (Rubin 1988, sampling-importance resampling). A draw that lies far off, where a log rate is large, would hardly move.
func (r *run) near(density latent.Density, c *latent.Chain, mean []float64) []float64 {
	candidates := 1
	if r.skewed {
		candidates = latent.Width
	}
	points, half := make([]float64, len(c.U)*candidates), make([]float64, candidates)
	for k := range candidates {
		for i := range c.U {
			v := c.Random.NormFloat64()
			half[k] += v * v / 2
			if mean != nil {
				v += mean[i]
			}
			points[i*candidates+k] = v
		}
	}
	if !r.skewed {
		return points
	}
	// The candidate with the largest log weight plus Gumbel noise is a draw by the weights.
	weights, best := make([]float64, candidates), make([]float64, len(c.U))
	density(points, nil, weights)
	for k := range weights {
		weights[k] += half[k] - math.Log(c.Random.ExpFloat64())
	}
	top := floats.MaxIdx(weights)
	for i := range best {
		best[i] = points[i*candidates+top]
	}
	return best
}
