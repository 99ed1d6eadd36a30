package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// Walk is a random walk on equally spaced times: differences of first order, x₀ᵢ₊₁ − x₀ᵢ, or of second order, x₀ᵢ₊₂ −
// 2x₀ᵢ₊₁ + x₀ᵢ, are independent and normal (Rue & Held 2005, sections 3.3 and 3.4). The walk is the part of it that is
// orthogonal to the constant, and in second order to the straight line; the level and the slope are added. Times
// without data are cells without data, and forecasts are cells at the end.
type Walk struct {
	Cells int
	Order int // 1 or 2; default 1
	// SD is the geometric mean of the standard deviations of the cells (Sørbye & Rue 2014). It is unknown if it is 0,
	// by default with P(SD > 1) = 0.01.
	SD             float64
	Level, LevelSD float64
	// SlopeSD is the standard deviation of the change from the first cell to the last along the straight line of a walk
	// of order 2. Default 0, no line.
	SlopeSD float64
	Label   string // comes before the names of unknown parameters: "week" makes "week sd"
}

func (p Walk) effect() effect { return effect{"Walk", p.Label, []number{sd(p.SD)}, p.Level, p.LevelSD} }

func (p Walk) order() int { return max(1, p.Order) }

// Check refuses impossible fields.
func (p Walk) Check() error {
	if p.Order < 0 || p.Order > 2 {
		return fmt.Errorf("graph: Walk has the Order %d; give 1 or 2", p.Order)
	}
	if p.Cells < p.order()+1 {
		return fmt.Errorf("graph: Walk of order %d has %d Cells; give at least %d", p.order(), p.Cells, p.order()+1)
	}
	if !(p.SlopeSD >= 0) || math.IsInf(p.SlopeSD, 1) || p.SlopeSD > 0 && p.order() == 1 {
		return fmt.Errorf("graph: Walk of order %d has a SlopeSD of %g; it is finite, and of order 2 alone", p.order(),
			p.SlopeSD)
	}
	return p.effect().check()
}

func (p Walk) String() string {
	return fmt.Sprintf("walk(cells=%d, order=%d%s, slope=%g)", p.Cells, p.order(), p.effect().text(), p.SlopeSD)
}

// Dim returns the number of times.
func (p Walk) Dim() int { return p.Cells }

// Lattice returns one row of all cells; see [expfam.Lattice].
func (p Walk) Lattice() (rows, cols int) { return 1, p.Cells }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p Walk) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p Walk) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p Walk) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	v, err := p.effect().values(p.Check, values)
	if err != nil {
		return nil, nil, err
	}
	differences := []float64{-1, 1}
	if p.order() == 2 {
		differences = []float64{1, -2, 1}
	}
	if cov, err = intrinsic(p.Cells, differences); err != nil {
		return nil, nil, err
	}
	cov.ScaleSym(v[0]*v[0], cov)
	for i := range p.Cells {
		for j := i; j < p.Cells && p.SlopeSD > 0; j++ {
			line := func(k int) float64 { return p.SlopeSD * (float64(k)/float64(p.Cells-1) - 0.5) }
			cov.SetSym(i, j, cov.At(i, j)+line(i)*line(j))
		}
	}
	return p.effect().with(cov)
}

// intrinsic returns the generalised inverse of FᵀF, where the rows of F have the weights at every place along the
// cells, scaled so that its diagonal has the geometric mean 1.
func intrinsic(cells int, weights []float64) (*mat.SymDense, error) {
	null := len(weights) - 1
	f := mat.NewDense(cells-null, cells, nil)
	for i := range cells - null {
		copy(f.RawRowView(i)[i:], weights)
	}
	var precision mat.SymDense
	precision.SymOuterK(1, f.T())
	values, vectors, err := eigen(&precision)
	if err != nil {
		return nil, err
	}
	inverse, scale := inverted(values, vectors, null)
	inverse.ScaleSym(1/scale, inverse)
	return inverse, nil
}

func (p Walk) structured(values []float64) (*mat.SymDense, error) {
	p.Level, p.LevelSD, p.SlopeSD = 0, 0, 0
	if p.SD != 0 {
		p.SD = 1
	}
	return unitSD(p, values, p.SD == 0)
}
