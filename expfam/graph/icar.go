package graph

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// ICAR is the intrinsic conditional autoregression (Besag 1974; Besag, York & Mollié 1991): within each component of
// the graph
//
//	x₀ᵢ | others ~ N(mean of the neighbours, SD² s/nᵢ),  Σ x₀ᵢ = 0,
//
// where nᵢ is the number of neighbours, and s makes SD the geometric mean of the standard deviations of the component's
// areas ([Neighbours.Structure]). A level is added to it. Areas without neighbours are refused.
type ICAR struct {
	Neighbours *Neighbours
	// SD is unknown if it is 0, by default with P(SD > 1) = 0.01.
	SD             float64
	Level, LevelSD float64
	Label          string // comes before the names of unknown parameters: "district" makes "district sd"
}

func (p ICAR) effect() effect { return effect{"ICAR", p.Label, []number{sd(p.SD)}, p.Level, p.LevelSD} }

// Check refuses impossible neighbours and numbers.
func (p ICAR) Check() error {
	if err := p.Neighbours.Check(); err != nil {
		return err
	}
	if islands := p.Neighbours.Islands(); len(islands) > 0 {
		return fmt.Errorf("graph: ICAR is not defined for areas without neighbours: %s; take BYM2 or Leroux, or join "+
			"them to their nearest areas", p.Neighbours.list(islands))
	}
	return p.effect().check()
}

func (p ICAR) String() string { return fmt.Sprintf("icar(%v%s)", p.Neighbours, p.effect().text()) }

// Dim returns the number of areas.
func (p ICAR) Dim() int { return p.Neighbours.Len() }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p ICAR) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p ICAR) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p ICAR) Given(values []float64) ([]float64, *mat.SymDense, error) { return given(p, values) }

func (p ICAR) covariance(v []float64) (*mat.SymDense, error) {
	s, err := p.Neighbours.structure()
	if err != nil {
		return nil, err
	}
	cov := mat.NewSymDense(p.Dim(), nil)
	cov.ScaleSym(v[0]*v[0], s.scaled)
	return cov, nil
}
