package graph

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

// Groups are independent effects of villages, years or other groups, all with the same standard deviation:
//
//	x₀ᵢ = Level + bᵢ,  bᵢ ~ N(0, SD²).
type Groups struct {
	Names []string // of the groups, all different
	// SD is the standard deviation between groups. It is unknown if it is 0, by default with P(SD > 1) = 0.01.
	SD             float64
	Level, LevelSD float64
	Label          string // comes before the names of unknown parameters: "village" makes "village sd"
}

func (p Groups) effect() effect {
	return effect{"Groups", p.Label, []number{sd(p.SD)}, p.Level, p.LevelSD}
}

// Check refuses impossible fields.
func (p Groups) Check() error {
	if len(p.Names) == 0 {
		return errors.New("graph: Groups has no Names; give the name of each group")
	}
	if err := distinct("groups", p.Names); err != nil {
		return err
	}
	return p.effect().check()
}

func (p Groups) String() string { return fmt.Sprintf("groups(%d%s)", len(p.Names), p.effect().text()) }

// Dim returns the number of groups.
func (p Groups) Dim() int { return len(p.Names) }

// CellNames returns the names of the groups; see [expfam.Posterior.Locate].
func (p Groups) CellNames() []string { return p.Names }

// Outlines returns nil; see [expfam.Posterior.Locate].
func (p Groups) Outlines() [][][][2]float64 { return nil }

// Unknown returns the standard deviation if it is 0, with its default law; see [gp.Family].
func (p Groups) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of a known SD, with exact moments.
func (p Groups) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p Groups) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	v, err := p.effect().values(p.Check, values)
	if err != nil {
		return nil, nil, err
	}
	cov = mat.NewSymDense(p.Dim(), nil)
	for i := range p.Dim() {
		cov.SetSym(i, i, v[0]*v[0])
	}
	return p.effect().with(cov)
}

func (p Groups) effects() ([]part, error) {
	e, n := p.effect(), p.Dim()
	return []part{{latent.Effect{Nodes: n, Terms: []latent.Term{identity(n)}, Rows: cellwise(n),
		At: func(values []float64) ([]float64, float64, error) {
			v := e.all(values)[0]
			return []float64{1 / (v * v)}, -2 * float64(n) * math.Log(v), nil
		}}, false}}, p.Check()
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p Groups) Sparse() (*latent.Field, error) { return field(p) }
