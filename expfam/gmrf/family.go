package gmrf

import (
	"crypto/sha256"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/law"
)

// String names the prior by its grid and a digest of all numbers.
func (p Prior) String() string {
	type numbers Prior
	digest := sha256.Sum256(fmt.Appendf(nil, "%#v", numbers(p)))
	return fmt.Sprintf("gmrf(%dx%d, %x)", p.Grid.Rows, p.Grid.Cols, digest[:8])
}

// Dim returns the number of cells.
func (p Prior) Dim() int { return p.Grid.Len() }

// Lattice returns the sides of the grid.
func (p Prior) Lattice() (rows, cols int) { return p.Grid.Rows, p.Grid.Cols }

// Check refuses impossible fields.
func (p Prior) Check() error {
	_, err := p.orDefault()
	return err
}

// mostSD is the largest standard deviation of the field that is tried.
const mostSD = 30

// Unknown returns the range, the sd and the nugget as far as they are open, with the laws of [Options]. So gp.Unknown
// takes the prior. The range lies between the spacing of the cells and ten times the longer side of the grid, or ten
// times 1000 cells of it. Below and beyond, one range looks like another on the grid, or float64 does not resolve the
// precision, whose eigenvalues spread by the fourth power of the range in cells.
func (p Prior) Unknown() (open []law.Parameter) {
	if p.Range == 0 {
		l := p.lattice()
		least, most := math.Min(l.down, l.across), l.longest()
		most *= math.Min(1, 1000/float64(l.rows))
		open = append(open, law.Parameter{Name: "range", Unit: p.Grid.X.Unit,
			Law: law.LogStudent{Median: math.Max(most/2, least), Scale: 0.7, Low: least, High: 10 * most}})
	}
	if p.SD == 0 {
		open = append(open, law.Parameter{Name: "sd", Law: law.LogStudent{Median: 0.7, Scale: 0.5, Low: 0.01,
			High: mostSD}})
	}
	if p.FitNugget {
		open = append(open, law.Parameter{Name: "nugget", Law: law.LogStudent{Median: 0.3, Scale: 0.7, Low: 0.01,
			High: 10}})
	}
	return open
}

// with returns the prior with its open numbers from values, in the order of [Prior.Unknown].
func (p Prior) with(values []float64) Prior {
	for _, v := range []struct {
		open bool
		at   *float64
	}{{p.Range == 0, &p.Range}, {p.SD == 0, &p.SD}, {p.FitNugget, &p.Nugget}} {
		if v.open && len(values) > 0 {
			*v.at, values = values[0], values[1:]
		}
	}
	p.FitNugget = false
	return p
}

// Given returns the mean and the covariance of x₀ for values of [Prior.Unknown], for small grids.
func (p Prior) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	g, err := p.with(values).Gaussian()
	if err != nil {
		return nil, nil, err
	}
	return g.Mean(), mat.NewSymDense(g.Dim(), append([]float64(nil), g.Cov().RawSymmetric().Data...)), nil
}
