package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// AR1 is the stationary autoregression of order 1 on equally spaced times:
//
//	x₀ᵢ₊₁ − Level = ρ (x₀ᵢ − Level) + e,  Var(x₀ᵢ) = SD²,  Cov(x₀ᵢ, x₀ⱼ) = SD² ρ^|i−j|.
type AR1 struct {
	Cells int
	// SD and Correlation, ρ, are unknown if they are 0, by default with P(SD > 1) = 0.01 and with ρ uniform between 0
	// and 1.
	SD, Correlation float64
	Level, LevelSD  float64
	Label           string // comes before the names of unknown parameters: "week" makes "week sd"
}

func (p AR1) effect() effect {
	correlation := share("Correlation", "correlation", p.Correlation)
	correlation.low = -1
	return effect{"AR1", p.Label, []number{sd(p.SD), correlation}, p.Level, p.LevelSD}
}

// Check refuses impossible fields.
func (p AR1) Check() error {
	if p.Cells < 1 {
		return fmt.Errorf("graph: AR1 has %d Cells; give at least 1", p.Cells)
	}
	return p.effect().check()
}

func (p AR1) String() string { return fmt.Sprintf("ar1(cells=%d%s)", p.Cells, p.effect().text()) }

// Dim returns the number of times.
func (p AR1) Dim() int { return p.Cells }

// Lattice returns one row of all cells; see [expfam.Lattice].
func (p AR1) Lattice() (rows, cols int) { return 1, p.Cells }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p AR1) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p AR1) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p AR1) Given(values []float64) ([]float64, *mat.SymDense, error) { return given(p, values) }

func (p AR1) covariance(v []float64) (*mat.SymDense, error) {
	cov := mat.NewSymDense(p.Cells, nil)
	for i := range p.Cells {
		for j := i; j < p.Cells; j++ {
			cov.SetSym(i, j, v[0]*v[0]*math.Pow(v[1], float64(j-i)))
		}
	}
	return cov, nil
}
