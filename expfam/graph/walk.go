package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/law"
)

// Walk is a random walk on equally spaced times: differences of first order, x₀ᵢ₊₁ − x₀ᵢ, or of second order, x₀ᵢ₊₂ −
// 2x₀ᵢ₊₁ + x₀ᵢ, are independent and normal (Rue & Held 2005, sections 3.3 and 3.4). The walk is the part of it that is
// orthogonal to the constant, and in second order to the straight line; the level and the slope are added. Times
// without data are cells without data, and forecasts are cells at the end.
//
// With At the cells are at the places s₀ < s₁ < …, such as the ordered values of a covariate. With dᵢ = sᵢ₊₁ − sᵢ the
// independent differences are
//
//	(x₀ᵢ₊₁ − x₀ᵢ)/√dᵢ in first order, and ((x₀ᵢ₊₂ − x₀ᵢ₊₁)/dᵢ₊₁ − (x₀ᵢ₊₁ − x₀ᵢ)/dᵢ) / √((dᵢ + dᵢ₊₁)/2) in second,
//
// which is Brownian motion, and the Galerkin approximation of its integral (Lindgren & Rue 2008, Scandinavian Journal
// of Statistics 35).
type Walk struct {
	Cells int
	Order int // 1 or 2; default 1
	// At has the place of each cell, ascending. Default: equally spaced.
	At []float64
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
	if p.At != nil && len(p.At) != p.Cells {
		return fmt.Errorf("graph: Walk has %d places At and %d Cells; give one for each cell", len(p.At), p.Cells)
	}
	for i := 1; i < len(p.At); i++ {
		span := p.At[len(p.At)-1] - p.At[0]
		if d := p.At[i] - p.At[i-1]; !(d >= span/nearestPlaces) || math.IsInf(span, 0) {
			return fmt.Errorf("graph: places %d and %d of Walk are %g and %g; they must ascend, by at least 1/%d of "+
				"the whole length; join such places, or take graph.Smooth, which does", i-1, i, p.At[i-1], p.At[i],
				nearestPlaces)
		}
	}
	return p.effect().check()
}

// nearestPlaces is the length of a walk over the least distance of its places. The condition of the precision of second
// order grows with its fourth power.
const nearestPlaces = 1000

func (p Walk) String() string {
	at := ""
	if p.At != nil {
		at = fmt.Sprintf(", at=%v", p.At)
	}
	return fmt.Sprintf("walk(cells=%d, order=%d%s, slope=%g%s)", p.Cells, p.order(), p.effect().text(), p.SlopeSD, at)
}

// places returns the places of the cells, which are 1 apart on average.
func (p Walk) places() []float64 {
	at := make([]float64, p.Cells)
	for i := range at {
		if at[i] = float64(i); p.At != nil {
			at[i] = (p.At[i] - p.At[0]) / (p.At[p.Cells-1] - p.At[0]) * float64(p.Cells-1)
		}
	}
	return at
}

// line returns the straight line of the cells. It changes by 1 from the first to the last, and its sum is 0.
func (p Walk) line() []float64 {
	at := p.places()
	mean := floats.Sum(at) / float64(len(at))
	floats.AddConst(-mean, at)
	floats.Scale(1/float64(p.Cells-1), at)
	return at
}

// differences returns the weights of each independent difference, from its first cell on.
func (p Walk) differences() (rows [][]float64) {
	at := p.places()
	for i := range p.Cells - p.order() {
		d := at[i+1] - at[i]
		if p.order() == 1 {
			rows = append(rows, []float64{-1 / math.Sqrt(d), 1 / math.Sqrt(d)})
			continue
		}
		e := at[i+2] - at[i+1]
		scale := math.Sqrt((d + e) / 2)
		rows = append(rows, []float64{1 / (d * scale), -(1/d + 1/e) / scale, 1 / (e * scale)})
	}
	return rows
}

// CellNames returns the places, or nil if there are none; see [expfam.Posterior.Locate].
func (p Walk) CellNames() (names []string) {
	for _, v := range p.At {
		names = append(names, fmt.Sprintf("%.6g", v))
	}
	return names
}

// Outlines returns nil; see [expfam.Posterior.Locate].
func (p Walk) Outlines() [][][][2]float64 { return nil }

// Dim returns the number of times.
func (p Walk) Dim() int { return p.Cells }

// Lattice returns one row of all cells; see [expfam.Lattice].
func (p Walk) Lattice() (rows, cols int) { return 1, p.Cells }

// Unknown returns the numbers that are 0, with their default laws; see [gp.Family].
func (p Walk) Unknown() []law.Parameter { return p.effect().unknown() }

// Gaussian returns the prior of known numbers, with exact moments.
func (p Walk) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the mean and the covariance for given values of the unknown numbers; see [gp.Family].
func (p Walk) Given(values []float64) ([]float64, *mat.SymDense, error) { return given(p, values) }

func (p Walk) covariance(v []float64) (*mat.SymDense, error) {
	cov, err := intrinsic(p.Cells, p.differences())
	if err != nil {
		return nil, err
	}
	cov.ScaleSym(v[0]*v[0], cov)
	line := p.line()
	for i := range p.Cells {
		for j := i; j < p.Cells && p.SlopeSD > 0; j++ {
			cov.SetSym(i, j, cov.At(i, j)+p.SlopeSD*p.SlopeSD*line[i]*line[j])
		}
	}
	return cov, nil
}

// structure leaves out the line.
func (p Walk) structure(v []float64) (*mat.SymDense, error) {
	p.SlopeSD = 0
	return p.covariance(v)
}

// intrinsic returns the generalised inverse of FᵀF, where row i of F has its weights from cell i on, scaled so that its
// diagonal has the geometric mean 1.
func intrinsic(cells int, rows [][]float64) (*mat.SymDense, error) {
	null := cells - len(rows)
	f := mat.NewDense(len(rows), cells, nil)
	for i, weights := range rows {
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
