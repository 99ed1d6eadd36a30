package benchmarks

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/problem"
)

// OperatorImage is an image whose intensities θ = exp(x₀) are observed through an operator, and the Poisson counts.
type OperatorImage struct {
	problem.Image
	Case       string
	Likelihood expfam.Likelihood
	Obs        expfam.Observations
	// Area is the index of the area to which each cell belongs. Sums over areas are scored. If the data are sums over
	// areas, these are the areas; otherwise the areas are squares of 8×8 cells.
	Area []int
	// Subset is the subset of each datum for methods of ordered subsets; nil if the data have no order.
	Subset []int
}

// OperatorImages returns the seven problems of an image:
//
//   - a blur of standard deviation 1.5 cells, with ten and with two photons per cell, and one of standard deviation 2
//     with ten;
//   - rays at 60 and at 15 angles, with half a count per cell and a background of five;
//   - sums over areas, which are squares of 8×8 cells or districts around random seats. The population is ten per cell
//     on average, and denser near towns.
func OperatorImages(i problem.Image) ([]OperatorImage, error) {
	rows, cols := i.Grid.Rows, i.Grid.Cols
	blur := func(sd, photons float64) expfam.RowOperator {
		return operator.Scale{Of: &operator.Convolution{Rows: rows, Cols: cols, Kernel: operator.Gaussian{SD: sd}},
			By: photons}
	}
	rays := func(angles int) expfam.RowOperator {
		o := &operator.Radon{Rows: rows, Cols: cols, Angles: angles}
		return operator.Offset{Of: operator.Scale{Of: o, By: 0.5}, By: 5}
	}
	squares, people := squares(i.Grid), population(i.Grid, 1)
	districts := seats(i.Grid, i.Grid.Len()/64, 1)
	var all []OperatorImage
	for _, c := range []struct {
		name   string
		op     expfam.RowOperator
		area   []int
		angles int
	}{
		{"blur, 10 photons", blur(1.5, 10), squares, 0},
		{"blur, 2 photons", blur(1.5, 2), squares, 0},
		{"blur of sd 2, 10 photons", blur(2, 10), squares, 0},
		{"60 angles", rays(60), squares, 60},
		{"15 angles", rays(15), squares, 15},
		{"squares of 8×8", &operator.Areas{Labels: squares, Weights: people}, squares, 0},
		{"districts", &operator.Areas{Labels: districts, Weights: people}, districts, 0},
	} {
		o := OperatorImage{Image: i, Case: c.name, Area: c.area,
			Likelihood: expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: c.op}}}
		theta, err := o.Likelihood.Theta(i.X0)
		if err != nil {
			return nil, fmt.Errorf("benchmarks: %s, %s: %w", i.Name, c.name, err)
		}
		data, err := o.Likelihood.Simulate(theta, nil, 1, i.Seed)
		if err != nil {
			return nil, fmt.Errorf("benchmarks: %s, %s: %w", i.Name, c.name, err)
		}
		if o.Obs, err = o.Likelihood.Observe(data); err != nil {
			return nil, fmt.Errorf("benchmarks: %s, %s: %w", i.Name, c.name, err)
		}
		for k := range o.Obs {
			if c.angles > 0 { // a subset has every fifth angle
				o.Subset = append(o.Subset, k/(len(o.Obs)/c.angles)%5)
			}
		}
		all = append(all, o)
	}
	return all, nil
}

// squares returns, for every cell, the index of its square of 8×8 cells.
func squares(g grid.Grid) []int {
	const side = 8
	across := (g.Cols + side - 1) / side
	out := make([]int, g.Len())
	for j := range out {
		r, c := g.Cell(j)
		out[j] = r/side*across + c/side
	}
	return out
}

// population returns the population of every cell, ten on average: two in every cell, and the others around twelve
// towns.
func population(g grid.Grid, seed uint64) []float64 {
	out, rng, sum := make([]float64, g.Len()), expfam.Stream(seed, "benchmark/population"), 0.0
	for range 12 {
		r, c := rng.Float64()*float64(g.Rows), rng.Float64()*float64(g.Cols)
		for j := range out {
			row, col := g.Cell(j)
			v := math.Exp(-math.Hypot(float64(row)-r, float64(col)-c) / 4)
			out[j], sum = out[j]+v, sum+v
		}
	}
	for j := range out {
		out[j] = 2 + 8*out[j]*float64(len(out))/sum
	}
	return out
}

// seats returns, for every cell, the index of the nearest of n random cells.
func seats(g grid.Grid, n int, seed uint64) []int {
	at := expfam.Stream(seed, "benchmark/seats").Perm(g.Len())[:n]
	out := make([]int, g.Len())
	for j := range out {
		row, col := g.Cell(j)
		least := math.Inf(1)
		for k, seat := range at {
			r, c := g.Cell(seat)
			if d := math.Hypot(float64(row-r), float64(col-c)); d < least {
				least, out[j] = d, k
			}
		}
	}
	return out
}

// CoarseField returns a random field whose range and standard deviation were fitted on a grid with half the rows and
// columns. For rays such a fit takes a hundredth of the time of a fit on the grid itself.
func (o OperatorImage) CoarseField() (gmrf.Prior, error) {
	g := o.Grid
	coarse := grid.Grid{Rows: g.Rows / 2, Cols: g.Cols / 2, X: grid.Axis{Step: 2}, Y: grid.Axis{Step: 2}}
	up := &operator.Sparse{Data: g.Len(), Cells: coarse.Len()}
	for j := range g.Len() {
		r, c := g.Cell(j)
		up.Entries = append(up.Entries, operator.Entry{Datum: j, Cell: coarse.Index(r/2, c/2), Weight: 1})
	}
	like, sum := o.Likelihood, o.Likelihood.Operator.(expfam.SumOf)
	like.Operator = expfam.SumOf{Operator: operator.Compose{sum.Operator.(expfam.RowOperator), up}}
	fit, err := gmrf.Fit(gmrf.Prior{Grid: coarse}, like, o.Obs)
	if err != nil {
		return gmrf.Prior{}, fmt.Errorf("benchmarks: %s, %s: %w", o.Name, o.Case, err)
	}
	return gmrf.Prior{Grid: g, Range: fit.Range(), SD: fit.SD()}, nil
}
