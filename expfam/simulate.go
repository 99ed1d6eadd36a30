package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Simulate draws data given θ of every cell, for tests and power studies. Known has one constant for each cell; nil
// means the family's own. With an exposure of 0, or 0 trials, y is 0. Replicate i depends only on the seed and on i.
// A constant of the family must not be unknown.
func (l Likelihood) Simulate(theta, known []float64, replicates int, seed uint64) (Data, error) {
	l, err := l.only("simulate")
	if err != nil {
		return Data{}, err
	}
	if _, p, _, unknown := l.tunable(); unknown {
		return Data{}, fmt.Errorf("expfam: simulate: the %s of %v is unknown; simulate by a likelihood that has it",
			p.Name, l.Family)
	}
	if replicates < 1 || len(theta) == 0 {
		return Data{}, fmt.Errorf("expfam: simulate: %d replicates of %d cells; both must be at least 1", replicates,
			len(theta))
	}
	d := Data{Y: make([][]float64, replicates)}
	if known != nil {
		if len(known) != len(theta) {
			return Data{}, fmt.Errorf("expfam: simulate: %d known constants for %d cells", len(known), len(theta))
		}
		d.Known = [][]float64{known}
		if err := l.twice(d, "known"); err != nil {
			return Data{}, err
		}
	}
	support := l.Family.Natural()
	for j, t := range theta {
		if !(t > support.Low && t < support.High) {
			return Data{}, fmt.Errorf("expfam: simulate: cell %d: theta is %g; %s needs it in (%g, %g)", j, t, l.Family,
				support.Low, support.High)
		}
	}
	for j, k := range known {
		if math.IsNaN(k) || math.IsInf(k, 0) {
			return Data{}, fmt.Errorf("expfam: simulate: cell %d: the known constant is %g; it must be finite", j, k)
		}
	}
	for i := range d.Y {
		rng := Stream(seed, fmt.Sprintf("simulate/replicate-%d", i))
		d.Y[i] = make([]float64, len(theta))
		for j, t := range theta {
			y, err := l.draw(t, d.known(i, j), rng)
			if err != nil {
				return Data{}, fmt.Errorf("expfam: simulate: cell %d: %w", j, err)
			}
			d.Y[i][j] = y
		}
	}
	return d, nil
}

// draw returns a y given θ. An impossible known constant is an error, because generators panic outside of their
// range, or make a y that Observe would refuse.
func (l Likelihood) draw(theta float64, known Known, rng *rand.Rand) (y float64, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = refuse(l.Family.String(), "nothing can be drawn at theta %g with the known constant %g: %v", theta,
				known.Or(0), reason)
		}
	}()
	y = l.Family.Rand(theta, known, rng)
	_, err = l.Family.Reduce(y, known)
	return y, err
}
