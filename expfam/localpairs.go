package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// localCheck is what [Posterior.LocalVariance] computes once for all draws.
type localCheck struct {
	family    Family
	obs       Observations
	pairs     [][2]int            // neighbouring cells that both have data
	cells     []int               // the cells of the pairs, each once
	drawn     map[float64]drawnAs // how data of each size are drawn
	support   Natural             // with the interval of θ
	eta, part jet                 // η and A with their derivatives
}

// drawnAs returns how data of one size are drawn: as the sum of count observations with the same known constant.
type drawnAs struct {
	known Known
	count int
}

// neighbours returns the pairs of cells of a grid that share a side and both have data.
func neighbours(obs Observations, rows, cols int) (pairs [][2]int) {
	for r := range rows {
		for c := range cols {
			j := r*cols + c
			if obs[j].Size == 0 {
				continue
			}
			if c+1 < cols && obs[j+1].Size > 0 {
				pairs = append(pairs, [2]int{j, j + 1})
			}
			if r+1 < rows && obs[j+cols].Size > 0 {
				pairs = append(pairs, [2]int{j, j + cols})
			}
		}
	}
	return pairs
}

// prepare finds the cells of the pairs, and how data of the sizes of the observations are drawn. theta is one
// draw of θ.
func (c *localCheck) prepare(theta []float64) error {
	c.support = c.family.Natural()
	c.eta, c.part = jetOf(c.support.Eta), jetOf(c.support.Partition)
	c.drawn = make(map[float64]drawnAs)
	paired := make([]bool, len(c.obs))
	for _, pair := range c.pairs {
		paired[pair[0]], paired[pair[1]] = true, true
	}
	for j, is := range paired {
		if !is {
			continue
		}
		c.cells = append(c.cells, j)
		size := c.obs[j].Size
		if _, found := c.drawn[size]; found {
			continue
		}
		as := drawnAs{count: 1}
		var err error
		if err = c.inside(j, theta[j]); err != nil {
			return fmt.Errorf("expfam: local variance: %w", err)
		}
		if as.known, err = c.obs[j].Known(c.family, theta[j]); err != nil {
			unit, failed := sizeOf(c.family, theta[j], Known{})
			as.count = int(math.Round(size / unit))
			if failed != nil || as.count < 2 || as.count > mostCounted ||
				math.Abs(float64(as.count)*unit-size) > 1e-9*size {
				return fmt.Errorf("expfam: local variance: cell %d: %w", j, err)
			}
		}
		c.drawn[size] = as
	}
	return nil
}

// inside returns an error if θ of a cell is outside of the family's interval.
func (c *localCheck) inside(cell int, theta float64) error {
	if theta > c.support.Low && theta < c.support.High {
		return nil
	}
	return fmt.Errorf("cell %d: θ = %v is outside (%v, %v) of %s; check the link", cell, theta, c.support.Low,
		c.support.High, c.family)
}

// mostCounted is the largest number of observations that are drawn for one cell of a replicate.
const mostCounted = 1000

// localDraw is the check under one draw of θ.
type localDraw struct {
	*localCheck
	theta  []float64
	weight []float64 // of each pair, one over the variance of its difference
	u      []float64 // of the last replicate
}

// under returns the check under one draw of θ. A pair has the weight 0 unless the variance of its difference
// is positive and finite.
func (c *localCheck) under(theta []float64) (*localDraw, error) {
	d := &localDraw{c, theta, make([]float64, len(c.pairs)), make([]float64, len(theta))}
	variance := make([]float64, len(theta))
	for _, j := range c.cells {
		if err := c.inside(j, theta[j]); err != nil {
			return nil, err
		}
		eta, slope := c.eta.at(1, theta[j]), c.part.at(1, theta[j])
		variance[j] = (c.part.at(2, theta[j]) - slope/eta*c.eta.at(2, theta[j])) / (eta * eta) / c.obs[j].Size
	}
	for k, pair := range c.pairs {
		if w := 1 / (variance[pair[0]] + variance[pair[1]]); w > 0 && !math.IsInf(w, 1) {
			d.weight[k] = w
		}
	}
	return d, nil
}

// of returns the discrepancy T of data u; see [LocalVariance].
func (d *localDraw) of(u []float64) (sum float64) {
	for k, pair := range d.pairs {
		e := u[pair[0]] - u[pair[1]]
		sum += d.weight[k] * e * e
	}
	return sum
}

// replicate draws data of the sizes of the observations, and returns their u = Stat/Size. The next call
// overwrites the result.
func (d *localDraw) replicate(rng *rand.Rand) ([]float64, error) {
	for _, j := range d.cells {
		size := d.obs[j].Size
		as, sum := d.drawn[size], 0.0
		for range as.count {
			t, err := d.family.Reduce(d.family.Rand(d.theta[j], as.known, rng), as.known)
			if err != nil {
				return nil, fmt.Errorf("cell %d: %w", j, err)
			}
			sum += t.Stat
		}
		d.u[j] = sum / size
	}
	return d.u, nil
}

// values returns u = Stat/Size of the observations.
func (c *localCheck) values() []float64 {
	u := make([]float64, len(c.obs))
	for _, j := range c.cells {
		u[j] = c.obs[j].Stat / c.obs[j].Size
	}
	return u
}
