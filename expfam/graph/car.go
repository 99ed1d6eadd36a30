package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// CAR is the proper conditional autoregression (Besag 1974): with nᵢ neighbours of area i
//
//	x₀ᵢ | others ~ N(Level + Dependence · (x̄ᵢ − Level), SD²/nᵢ),
//
// where x̄ᵢ is the mean of the neighbours' x₀ⱼ, so x₀ has the precision (D − Dependence W)/SD². Areas without
// neighbours are refused.
type CAR struct {
	Neighbours *Neighbours
	// SD and Dependence are unknown if they are 0, by default with P(SD > 1) = 0.01 and a uniform law.
	SD, Dependence float64
	Level, LevelSD float64
	Label          string // comes before the names of unknown parameters: "district" makes "district sd"
}

func (p CAR) effect() effect {
	return effect{"CAR", p.Label, []number{sd(p.SD), share("Dependence", "dependence", p.Dependence)}, p.Level,
		p.LevelSD}
}

// Check refuses impossible neighbours and numbers.
func (p CAR) Check() error {
	if err := p.Neighbours.Check(); err != nil {
		return err
	}
	if islands := p.Neighbours.Islands(); len(islands) > 0 {
		return fmt.Errorf("graph: CAR is not defined for areas without neighbours: %s; take BYM2 or Leroux, or join "+
			"them to their nearest areas", p.Neighbours.list(islands))
	}
	return p.effect().check()
}

func (p CAR) String() string { return fmt.Sprintf("car(%v%s)", p.Neighbours, p.effect().text()) }

// Dim returns the number of areas.
func (p CAR) Dim() int { return p.Neighbours.Len() }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p CAR) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p CAR) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p CAR) Given(values []float64) ([]float64, *mat.SymDense, error) { return given(p, values) }

func (p CAR) covariance(v []float64) (*mat.SymDense, error) {
	precision := mat.NewSymDense(p.Dim(), nil)
	for i, of := range p.Neighbours.Of {
		precision.SetSym(i, i, float64(len(of))/(v[0]*v[0]))
		for _, j := range of {
			precision.SetSym(i, j, -v[1]/(v[0]*v[0]))
		}
	}
	cov, err := inverse(precision)
	if err != nil {
		return nil, fmt.Errorf("graph: CAR with the dependence %g has no covariance; take a smaller one, or ICAR",
			v[1])
	}
	return cov, nil
}

// inverse returns the inverse of a positive definite matrix.
func inverse(precision *mat.SymDense) (*mat.SymDense, error) {
	var chol mat.Cholesky
	if !chol.Factorize(precision) {
		return nil, mat.Condition(math.Inf(1))
	}
	var cov mat.SymDense
	err := chol.InverseTo(&cov)
	return &cov, err
}
