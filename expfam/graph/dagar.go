package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// DAGAR is the directed acyclic graph autoregression (Datta, Banerjee, Hodges & Gao 2019, Bayesian Analysis 14). In the
// order of the areas, with the mᵢ neighbours that come before area i,
//
//	x₀ᵢ = Level + bᵢ Σ_{j before i} (x₀ⱼ − Level) + eᵢ,  bᵢ = ρ/(1 + (mᵢ−1)ρ²),
//	Var(eᵢ) = SD² (1−ρ²)/(1 + (mᵢ−1)ρ²).
//
// ρ is the Correlation, near which the correlations of neighbours are; on a graph without cycles they equal it, and all
// variances are SD². Other orders of the areas give other, similar priors.
type DAGAR struct {
	Neighbours *Neighbours
	// SD and Correlation are unknown if they are 0, by default with P(SD > 1) = 0.01 and a uniform law.
	SD, Correlation float64
	Level, LevelSD  float64
	Label           string // comes before the names of unknown parameters: "district" makes "district sd"
}

func (p DAGAR) effect() effect {
	return effect{"DAGAR", p.Label, []number{sd(p.SD), share("Correlation", "correlation", p.Correlation)}, p.Level,
		p.LevelSD}
}

// Check refuses impossible neighbours and numbers.
func (p DAGAR) Check() error {
	if err := p.Neighbours.Check(); err != nil {
		return err
	}
	return p.effect().check()
}

func (p DAGAR) String() string { return fmt.Sprintf("dagar(%v%s)", p.Neighbours, p.effect().text()) }

// Dim returns the number of areas.
func (p DAGAR) Dim() int { return p.Neighbours.Len() }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p DAGAR) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p DAGAR) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p DAGAR) Given(values []float64) ([]float64, *mat.SymDense, error) { return given(p, values) }

func (p DAGAR) covariance(v []float64) (*mat.SymDense, error) {
	areas, rho2 := p.Dim(), v[1]*v[1]
	root := mat.NewDense(areas, areas, nil) // x₀ − Level = root z
	for i, of := range p.Neighbours.Of {
		before := 0
		for _, j := range of {
			if j < i {
				before++
			}
		}
		m := 1 + float64(before-1)*rho2
		row := root.RawRowView(i)
		for _, j := range of {
			if j < i {
				floats.AddScaled(row, v[1]/m, root.RawRowView(j))
			}
		}
		row[i] = v[0] * math.Sqrt((1-rho2)/m)
	}
	cov := mat.NewSymDense(areas, nil)
	cov.SymOuterK(1, root)
	return cov, nil
}
