package graph

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// BYM2 is a field of areas with a part that neighbours share and a part that is independent in each area (Riebler,
// Sørbye, Simpson & Rue 2016, Statistical Methods in Medical Research 25):
//
//	x₀ = Level + SD (√(1−Mixing) v + √Mixing u),  v ~ N(0, I),  u ~ N(0, S),
//
// with S of [Neighbours.Structure], so that SD is the standard deviation of a typical area whatever the graph and the
// mixing. In an island u is independent too, and its standard deviation is SD.
type BYM2 struct {
	Neighbours *Neighbours
	// SD and Mixing are unknown if they are 0, by default with P(SD > 1) = 0.01 and with [PCMixing] of
	// P(Mixing < 0.5) = 2/3.
	SD, Mixing     float64
	Level, LevelSD float64
	Label          string // comes before the names of unknown parameters: "district" makes "district sd"
}

func (p BYM2) effect() effect {
	mixing := share("Mixing", "mixing", p.Mixing)
	mixing.parameter.Law = PCMixing{Neighbours: p.Neighbours, Below: 0.5, Probability: 2. / 3}
	return effect{"BYM2", p.Label, []number{sd(p.SD), mixing}, p.Level, p.LevelSD}
}

// Check refuses impossible neighbours and numbers.
func (p BYM2) Check() error {
	if err := p.Neighbours.Check(); err != nil {
		return err
	}
	if len(p.Neighbours.Islands()) == p.Neighbours.Len() {
		return fmt.Errorf("graph: BYM2 on %d areas of which none has a neighbour; give the pairs of neighbours",
			p.Neighbours.Len())
	}
	return p.effect().check()
}

func (p BYM2) String() string { return fmt.Sprintf("bym2(%v%s)", p.Neighbours, p.effect().text()) }

// Dim returns the number of areas.
func (p BYM2) Dim() int { return p.Neighbours.Len() }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p BYM2) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p BYM2) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance SD² ((1−Mixing) I + Mixing S) for given values of the unknown numbers; see
// [gp.Family].
func (p BYM2) Given(values []float64) ([]float64, *mat.SymDense, error) { return given(p, values) }

func (p BYM2) covariance(v []float64) (*mat.SymDense, error) {
	s, err := p.Neighbours.structure()
	if err != nil {
		return nil, err
	}
	cov := mat.NewSymDense(p.Dim(), nil)
	cov.ScaleSym(v[0]*v[0]*v[1], s.scaled)
	for i := range p.Dim() {
		cov.SetSym(i, i, cov.At(i, i)+v[0]*v[0]*(1-v[1]))
	}
	return cov, nil
}

// structure is that of the part that neighbours share.
func (p BYM2) structure([]float64) (*mat.SymDense, error) { return p.Neighbours.Structure() }
