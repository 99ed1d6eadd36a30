package grid

import (
	"cmp"
	"fmt"

	"github.com/expfam/lab/expfam"
)

// Cox simulates the discrete Cox process of the paper's Appendix F: for a latent field x₀ and replicates i = 1 … N,
//
//	y_ij ~ Poisson(θⱼ |Sⱼ|),  θ = g⁻¹(x₀),
//
// with |Sⱼ| from [Grid.Areas]. With another family |Sⱼ| is the known constant of the family, so a family with a
// constant of its own is refused unless that is |Sⱼ|. Values of x₀ outside of the domain are ignored.
type Cox struct {
	Grid Grid
	// Likelihood is the likelihood of the data. Default: Poisson with θ = exp(x), as in the paper.
	Likelihood expfam.Likelihood
	// Replicates is N. Default 50, as in section 4.2. The replicates of a smaller N are the first ones of a larger N.
	Replicates int
	HoldOut    HoldOut
	Seed       uint64
}

// CoxData are the counts of a simulation. The statistic of a cell is the sum of its replicates, and its size is N|Sⱼ|.
// Cells outside of the domain are missing in Seen and in Held.
type CoxData struct {
	Likelihood expfam.Likelihood
	// Seen has the observations for the posterior, in which held-out cells are missing. Held
	// has the observations of the held-out cells, for scores.
	Seen, Held expfam.Observations
	// IsHeld marks the held-out cells.
	IsHeld []bool
	// Theta is the true θ, 0 in cells outside.
	Theta []float64
}

// Simulate draws the counts for a latent field, and the cells that are held out.
func (c Cox) Simulate(x0 []float64) (*CoxData, error) {
	if c.Likelihood.Family == nil {
		c.Likelihood.Family = expfam.Poisson{}
	}
	c.Replicates = cmp.Or(c.Replicates, 50)
	if err := c.Grid.Check(); err != nil {
		return nil, err
	}
	if len(x0) != c.Grid.Len() {
		return nil, fmt.Errorf("grid: cox: a latent field of %d cells on a grid of %d by %d", len(x0), c.Grid.Rows,
			c.Grid.Cols)
	}
	terms, err := c.Likelihood.Terms()
	if err != nil {
		return nil, fmt.Errorf("grid: cox: %w", err)
	}
	held, err := c.HoldOut.Cells(c.Grid, expfam.Stream(c.Seed, "cox/hold-out"))
	if err != nil {
		return nil, err
	}
	var inside []int
	var x, known []float64
	areas := c.Grid.Areas()
	for j, v := range x0 {
		if c.Grid.Inside(j) {
			inside, x, known = append(inside, j), append(x, v), append(known, areas[j])
		}
	}
	theta := make([]float64, len(x))
	for i, v := range x {
		theta[i] = terms.Link.At(v)
	}
	data, err := terms.Simulate(theta, known, c.Replicates, c.Seed)
	if err != nil {
		return nil, fmt.Errorf("grid: cox: %w (cells counted among those inside)", err)
	}
	all, err := terms.Observe(data)
	if err != nil {
		return nil, fmt.Errorf("grid: cox: %w (cells counted among those inside)", err)
	}
	out := &CoxData{Likelihood: terms.Likelihood, IsHeld: held, Theta: make([]float64, len(x0)),
		Seen: make(expfam.Observations, len(x0)), Held: make(expfam.Observations, len(x0))}
	for k, j := range inside {
		out.Theta[j] = theta[k]
		if held[j] {
			out.Held[j] = all[k]
		} else {
			out.Seen[j] = all[k]
		}
	}
	return out, nil
}
