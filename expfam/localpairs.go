package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// localCheck is what all draws share.
type localCheck struct {
	family Family
	obs    Observations
	pairs  [][2]int            // neighbours with data
	cells  []int               // those of the pairs
	drawn  map[float64]drawnAs // by size
	// The interval of θ, and η and A with their derivatives.
	support   Natural
	eta, part jet
}

// drawnAs is how data of a size are drawn: so many observations with one known constant.
type drawnAs struct {
	known Known
	count int
}

// neighbours are the pairs of cells of a grid that share a side and have data.
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

// prepare finds out how data of the sizes of the observations are drawn.
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
		if as.known, err = KnownOf(c.family, theta[j], size); err != nil {
			unit, failed := sizeOf(c.family, theta[j], Known{})
			as.count = int(math.Round(size / unit))
			if failed != nil || as.count < 2 || as.count > mostCounted || math.Abs(float64(as.count)*unit-size) > 1e-9*size {
				return fmt.Errorf("expfam: local variance: cell %d: %w", j, err)
			}
		}
		c.drawn[size] = as
	}
	return nil
}

// inside is an error if a cell's θ is impossible.
func (c *localCheck) inside(cell int, theta float64) error {
	if theta > c.support.Low && theta < c.support.High {
		return nil
	}
	return fmt.Errorf("cell %d: θ = %v is outside (%v, %v) of %s; check the link", cell, theta, c.support.Low, c.support.High, c.family)
}

// mostCounted bounds the observations that are drawn for one cell of a replicate.
const mostCounted = 1000

// sizeOf is the size of an observation with a known constant.
func sizeOf(family Family, theta float64, known Known) (size float64, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%v", reason)
		}
	}()
	t, err := family.Reduce(family.Rand(theta, known, Stream(0, "known")), known)
	return t.Size, err
}

// KnownOf is the known constant with which one observation of a family has a size: none, the size itself
// (exposure, trials, successes, shape), or 1/√size (σ). It is an error if no observation has the size, as
// that of several observations may be.
func KnownOf(family Family, theta, size float64) (Known, error) {
	for _, known := range []Known{{}, Given(size), Given(1 / math.Sqrt(size))} {
		if got, err := sizeOf(family, theta, known); err == nil && math.Abs(got-size) <= 1e-9*size {
			return known, nil
		}
	}
	return Known{}, fmt.Errorf("no single observation of %v has size %g; take its replicates one by one", family, size)
}

// localDraw is the check under one draw of θ.
type localDraw struct {
	*localCheck
	theta  []float64
	weight []float64 // of the pairs
	u      []float64
}

// under binds the check to a draw. A pair counts nothing where the variances of the family are not finite.
func (c *localCheck) under(theta []float64) (*localDraw, error) {
	d := &localDraw{c, theta, make([]float64, len(c.pairs)), make([]float64, len(theta))}
	variance := make([]float64, len(theta))
	for _, j := range c.cells {
		if err := c.inside(j, theta[j]); err != nil {
			return nil, err
		}
		eta, part := c.eta.at(theta[j]), c.part.at(theta[j])
		variance[j] = (part[2] - part[1]/eta[1]*eta[2]) / (eta[1] * eta[1]) / c.obs[j].Size
	}
	for k, pair := range c.pairs {
		if w := 1 / (variance[pair[0]] + variance[pair[1]]); w > 0 && !math.IsInf(w, 1) {
			d.weight[k] = w
		}
	}
	return d, nil
}

// of is T of data.
func (d *localDraw) of(u []float64) (sum float64) {
	for k, pair := range d.pairs {
		e := u[pair[0]] - u[pair[1]]
		sum += d.weight[k] * e * e
	}
	return sum
}

// replicate draws the u of data of the sizes of the observations. The next call overwrites the result.
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

// values are the u of the observations.
func (c *localCheck) values() []float64 {
	u := make([]float64, len(c.obs))
	for _, j := range c.cells {
		u[j] = c.obs[j].Stat / c.obs[j].Size
	}
	return u
}
