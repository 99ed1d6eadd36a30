package gp

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/law"
)

// Process is a Gaussian process at given places, with any [Kernel]:
//
//	x₀ = Level + f + e,  f ~ GP(0, SD² k(distance, Length)),  e ~ N(0, Nugget²) independent in every cell.
//
// Numbers that are 0 are not known. [Process.Gaussian] needs all of them, and [Unknown] infers those that are 0.
type Process struct {
	Kernel Kernel // default SquaredExponential{}
	// Cells are equally spaced points of [0, 1]; default 30. Or Rows and Cols are a lattice of neighbours at the
	// distance Spacing, row after row; Spacing is 1 by default. Or Places has the coordinates of each cell.
	Cells      int
	Rows, Cols int
	Spacing    float64
	Places     [][]float64
	Unit       string // of the places and of Length, such as "km"

	Length, SD float64
	// Nugget is 0 for none. With WithNugget it is positive, and unknown if it is 0.
	Nugget     float64
	WithNugget bool
	// Level is the mean of all cells. With a LevelSD the mean is unknown, N(Level, LevelSD²), and integrated out.
	Level, LevelSD float64
}

func (p Process) orDefault() Process {
	if p.Kernel == nil {
		p.Kernel = SquaredExponential{}
	}
	p.Spacing = cmp.Or(p.Spacing, 1)
	if p.Cells == 0 && p.Rows == 0 && p.Cols == 0 && p.Places == nil {
		p.Cells = 30
	}
	return p
}

// places returns the coordinates of all cells.
func (p Process) places() [][]float64 {
	p = p.orDefault()
	switch {
	case p.Places != nil:
		return p.Places
	case p.Rows > 0:
		all := make([][]float64, 0, p.Rows*p.Cols)
		for r := range p.Rows {
			for c := range p.Cols {
				all = append(all, []float64{p.Spacing * float64(c), p.Spacing * float64(r)})
			}
		}
		return all
	}
	all := make([][]float64, p.Cells)
	for i, u := range (RBF{Cells: p.Cells}).Points() {
		all[i] = []float64{u}
	}
	return all
}

// Check refuses impossible fields.
func (p Process) Check() error {
	p = p.orDefault()
	if c, ok := p.Kernel.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return err
		}
	}
	ways := 0
	for _, given := range []bool{p.Cells != 0, p.Rows != 0 || p.Cols != 0, p.Places != nil} {
		if given {
			ways++
		}
	}
	if ways != 1 || p.Dim() == 0 || p.Cells < 0 || p.Rows < 0 || p.Cols < 0 || p.Rows > 0 != (p.Cols > 0) {
		return fmt.Errorf("gp: Process has %d Cells, %d by %d Rows and Cols and %d Places; give one of the three",
			p.Cells, p.Rows, p.Cols, len(p.Places))
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"Spacing", p.Spacing}, {"Length", p.Length}, {"SD", p.SD}, {"Nugget", p.Nugget}, {"LevelSD", p.LevelSD}} {
		if !(f.value >= 0) || math.IsInf(f.value, 1) {
			return fmt.Errorf("gp: Process has a %s of %g; it must be positive and finite", f.name, f.value)
		}
	}
	if math.IsNaN(p.Level) || math.IsInf(p.Level, 0) {
		return fmt.Errorf("gp: Process has a Level of %g; it must be finite", p.Level)
	}
	for i, at := range p.Places {
		if len(at) == 0 || len(at) != len(p.Places[0]) {
			return fmt.Errorf("gp: place %d of Process has %d coordinates, and place 0 has %d; give each as many", i,
				len(at), len(p.Places[0]))
		}
		for _, v := range at {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("gp: place %d of Process has the coordinate %g; it must be finite", i, v)
			}
		}
	}
	return fits(p.Dim())
}

// Dim returns the number of cells.
func (p Process) Dim() int {
	p = p.orDefault()
	return p.Cells + p.Rows*p.Cols + len(p.Places)
}

// Lattice returns the sides of the grid, or one row of all cells; see [expfam.Lattice].
func (p Process) Lattice() (rows, cols int) {
	if p.Rows > 1 && p.Cols > 1 {
		return p.Rows, p.Cols
	}
	return 1, p.Dim()
}

func (p Process) String() string {
	p = p.orDefault()
	var text strings.Builder
	fmt.Fprintf(&text, "process(%v", p.Kernel)
	switch {
	case p.Places != nil:
		fmt.Fprintf(&text, ", places=%v", p.Places)
	case p.Rows > 0:
		fmt.Fprintf(&text, ", cells=%dx%d, spacing=%g", p.Rows, p.Cols, p.Spacing)
	default:
		fmt.Fprintf(&text, ", cells=%d", p.Cells)
	}
	fmt.Fprintf(&text, ", length=%g, sd=%g, nugget=%g, %t, level=%g, %g)", p.Length, p.SD, p.Nugget, p.WithNugget,
		p.Level, p.LevelSD)
	return text.String()
}

// Unknown returns the length scale, the sd and the nugget, as far as they are 0, and the smoothness of an [AnyMatern].
// By default they have penalised complexity priors: P(length scale < r) = 0.05, where r is the smallest distance of two
// places but at least 1/50 of the largest (half the circle divided by ten for a Periodic kernel), P(sd > 3) = 0.05 and
// P(nugget > 1) = 0.05.
func (p Process) Unknown() (all []law.Parameter) {
	p = p.orDefault()
	if p.Length == 0 {
		least, most, dims := span(p.places())
		below := math.Max(least, most/50)
		unit := p.Unit
		if _, ok := p.Kernel.(Periodic); ok {
			below, unit = 0.1, ""
		}
		all = append(all, law.Parameter{Name: "length scale", Unit: unit,
			Law: law.PCRange{Below: below, Probability: 0.05, Dims: dims}})
	}
	if p.SD == 0 {
		all = append(all, law.Parameter{Name: "sd", Law: law.PCSD{Above: 3, Probability: 0.05}})
	}
	if p.WithNugget && p.Nugget == 0 {
		all = append(all, law.Parameter{Name: "nugget", Law: law.PCSD{Above: 1, Probability: 0.05}})
	}
	if k, ok := p.Kernel.(AnyMatern); ok {
		all = append(all, k.parameter())
	}
	return all
}

// span returns the smallest positive and the largest distance of two places, and their number of coordinates.
func span(places [][]float64) (least, most float64, dims int) {
	least = math.Inf(1)
	for i := range places {
		for j := range i {
			if r := distance(places[i], places[j]); r > 0 {
				least, most = math.Min(least, r), math.Max(most, r)
			}
		}
	}
	if most == 0 {
		return 1, 1, 1
	}
	return least, most, len(places[0])
}

// Given returns the mean and the covariance for given values of [Process.Unknown], in their order.
func (p Process) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	p = p.orDefault()
	next := func(field *float64, open bool) {
		if open && *field == 0 && len(values) > 0 {
			*field, values = values[0], values[1:]
		}
	}
	next(&p.Length, true)
	next(&p.SD, true)
	next(&p.Nugget, p.WithNugget)
	if k, ok := p.Kernel.(AnyMatern); ok && len(values) > 0 {
		if p.Kernel, err = k.with(values[0]); err != nil {
			return nil, nil, err
		}
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"length scale", p.Length}, {"sd", p.SD}} {
		if !(f.value > 0) {
			return nil, nil, fmt.Errorf("gp: the %s of %v is %g; give a positive number, or a law of positive numbers",
				f.name, p, f.value)
		}
	}
	if !(p.Nugget >= 0) {
		return nil, nil, fmt.Errorf("gp: the nugget of %v is %g; give a law of positive numbers", p, p.Nugget)
	}
	places := p.places()
	n := len(places)
	mean, cov = make([]float64, n), mat.NewSymDense(n, nil)
	for i := range n {
		mean[i] = p.Level
		for j := i; j < n; j++ {
			cov.SetSym(i, j, p.LevelSD*p.LevelSD+p.SD*p.SD*p.Kernel.At(distance(places[i], places[j]), p.Length))
		}
		cov.SetSym(i, i, cov.At(i, i)+p.Nugget*p.Nugget)
	}
	return mean, cov, nil
}

// Gaussian returns the prior with its known numbers. It is an error if the length scale, the sd or the nugget is not
// known.
func (p Process) Gaussian() (*Gaussian, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for _, q := range p.Unknown() {
		return nil, fmt.Errorf("gp: the %s of %v is not known; give it, or take gp.Unknown", q.Name, p)
	}
	mean, cov, err := p.Given(nil)
	if err != nil {
		return nil, err
	}
	return New(mean, cov)
}
