package graph

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// Seasonal is a pattern that returns with a period and changes slowly (Rue & Held 2005, section 3.4.3): a fixed
// pattern of the standard deviation 1, and a change of it of which sums over Period neighbouring cells are independent
// and normal. Both have the sum 0 over a period, up to the change.
type Seasonal struct {
	Cells, Period int
	// SD is the geometric mean of the standard deviations of the change. It is unknown if it is 0, by default with
	// P(SD > 1) = 0.01.
	SD             float64
	Level, LevelSD float64
	Label          string // comes before the names of unknown parameters: "year" makes "year sd"
}

func (p Seasonal) effect() effect {
	return effect{"Seasonal", p.Label, []number{sd(p.SD)}, p.Level, p.LevelSD}
}

// Check refuses impossible fields.
func (p Seasonal) Check() error {
	if p.Period < 2 || p.Cells <= p.Period {
		return fmt.Errorf("graph: Seasonal has %d Cells and the Period %d; a period has at least 2 cells, and there "+
			"are more cells than a period has", p.Cells, p.Period)
	}
	return p.effect().check()
}

func (p Seasonal) String() string {
	return fmt.Sprintf("seasonal(cells=%d, period=%d%s)", p.Cells, p.Period, p.effect().text())
}

// Dim returns the number of times.
func (p Seasonal) Dim() int { return p.Cells }

// Lattice returns one row of all cells; see [expfam.Lattice].
func (p Seasonal) Lattice() (rows, cols int) { return 1, p.Cells }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p Seasonal) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p Seasonal) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p Seasonal) Given(values []float64) ([]float64, *mat.SymDense, error) { return given(p, values) }

func (p Seasonal) covariance(v []float64) (*mat.SymDense, error) {
	ones := slices.Repeat([]float64{1}, p.Period)
	cov, err := intrinsic(p.Cells, slices.Repeat([][]float64{ones}, p.Cells-p.Period+1))
	if err != nil {
		return nil, err
	}
	cov.ScaleSym(v[0]*v[0], cov)
	// The fixed pattern is independent noise of one period around its mean, with the variance 1.
	for i := range p.Cells {
		for j := i; j < p.Cells; j++ {
			k := -1 / float64(p.Period-1)
			if (j-i)%p.Period == 0 {
				k = 1
			}
			cov.SetSym(i, j, cov.At(i, j)+k)
		}
	}
	return cov, nil
}
