package graph

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// Leroux is the autoregression of Leroux, Lei & Breslow (2000): x₀ − Level has the precision
//
//	Q = ((1 − Mixing) I + Mixing R)/SD²,
//
// where R = D − W has the numbers of neighbours nᵢ on its diagonal and −1 for every pair. SD is the standard deviation
// of an area given its neighbours if Mixing is near 0, and of √nᵢ times it if Mixing is near 1. An island has the
// variance SD²/(1 − Mixing).
type Leroux struct {
	Neighbours *Neighbours
	// SD and Mixing are unknown if they are 0, by default with P(SD > 1) = 0.01 and a uniform law.
	SD, Mixing     float64
	Level, LevelSD float64
	Label          string // comes before the names of unknown parameters: "district" makes "district sd"
}

func (p Leroux) effect() effect {
	return effect{"Leroux", p.Label, []number{sd(p.SD), share("Mixing", "mixing", p.Mixing)}, p.Level, p.LevelSD}
}

// Check refuses impossible neighbours and numbers.
func (p Leroux) Check() error {
	if err := p.Neighbours.Check(); err != nil {
		return err
	}
	return p.effect().check()
}

func (p Leroux) String() string { return fmt.Sprintf("leroux(%v%s)", p.Neighbours, p.effect().text()) }

// Dim returns the number of areas.
func (p Leroux) Dim() int { return p.Neighbours.Len() }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p Leroux) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p Leroux) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p Leroux) Given(values []float64) ([]float64, *mat.SymDense, error) { return given(p, values) }

func (p Leroux) covariance(v []float64) (*mat.SymDense, error) {
	s, err := p.Neighbours.structure()
	if err != nil {
		return nil, err
	}
	return s.spectral(func(r, _ float64) float64 { return v[0] * v[0] / (1 - v[1] + v[1]*r) }), nil
}
