package gmrf

import "math"

// axis is a hyperparameter that is fitted. Its logarithm lies between low and high, and
// the search begins at start. A priori the logarithm has Student's t distribution with four
// degrees of freedom, with the given centre and scale, cut off at the bounds.
type axis struct {
	name             string
	low, high, start float64
	centre, scale    float64
	of               func(h *hyper) *float64 // the hyperparameter
}

// get returns the logarithm of the hyperparameter.
func (a axis) get(h hyper) float64 { return math.Log(*a.of(&h)) }

// logPrior returns the log of the prior density of the point v on the axes, up to a constant. Its tails are heavy:
// data that tell a hyperparameter overrule the prior, in whatever unit x₀ is.
func logPrior(axes []axis, v []float64) (sum float64) {
	for i, a := range axes {
		off := (v[i] - a.centre) / a.scale
		sum -= 2.5 * math.Log1p(off*off/4)
	}
	return sum
}

// mostSD is the largest standard deviation of the field that is tried.
const mostSD = 30

// axes returns the hyperparameters that the prior leaves open. The range is searched
// between the spacing of the cells and ten times the longer side of the grid, or ten times 1000
// cells of it. Below and beyond, one range looks like another on the grid, or float64 does not
// resolve the precision, whose eigenvalues spread by the fourth power of the range in cells.
func (m *model) axes() []axis {
	var open []axis
	if m.prior.Range == 0 {
		least, most := math.Min(m.lattice.down, m.lattice.across), m.lattice.longest()
		most *= math.Min(1, 1000/float64(m.lattice.rows))
		open = append(open, axis{"range", math.Log(least), math.Log(10 * most), math.Log(math.Max(most/4, least)),
			math.Log(math.Max(most/2, least)), 0.7, func(h *hyper) *float64 { return &h.length }})
	}
	if m.prior.SD == 0 {
		open = append(open, axis{"sd", math.Log(0.01), math.Log(mostSD), 0, math.Log(0.7), 0.5,
			func(h *hyper) *float64 { return &h.sd }})
	}
	if m.prior.FitNugget {
		open = append(open, axis{"nugget", math.Log(0.01), math.Log(10), math.Log(0.3), math.Log(0.3), 0.7,
			func(h *hyper) *float64 { return &h.nugget }})
	}
	if m.mixed != nil {
		open = append(open, axis{"correlation", math.Log(leastRho), math.Log(0.9), math.Log(0.02), math.Log(0.02), 1,
			func(h *hyper) *float64 { return &h.rho }})
	}
	return open
}

// leastRho is the smallest correlation that is tried. It doubles the variance of the
// Binomial at a hundred thousand trials.
const leastRho = 1e-5

// at returns the hyperparameters at the point v of the axes. A coordinate outside of its
// bounds is moved to the nearer bound.
func (m *model) at(axes []axis, v []float64) hyper {
	h := hyper{m.prior.Range, m.prior.SD, m.prior.Nugget, 0}
	for i, a := range axes {
		*a.of(&h) = math.Exp(math.Min(math.Max(v[i], a.low), a.high))
	}
	return h
}

// atBound counts the fitted hyperparameters within 1% of a bound.
func (m *model) atBound(h hyper) float64 {
	count := 0.0
	for _, a := range m.axes() {
		if v := a.get(h); v < a.low+0.01 || v > a.high-0.01 {
			count++
		}
	}
	return count
}
