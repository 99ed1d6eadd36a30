package calibrate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// Draws are samples of a vector with one entry for each cell. An *expfam.Posterior has draws
// of θ, its Latent has draws of x₀, and an *expfam.Draws may have draws of any quantity.
type Draws interface {
	Dims() (draws, cells int)
	At(draw, cell int) float64
}

// Map applies a function of a field to every draw. The function returns a list of functionals of the field, and the
// results are draws of this list. All scores and coverages work with them. The function must not keep its argument, and
// must return the same number of values for every draw:
//
//	sums := func(x []float64) []float64 { return g.BlockSums(x, 8, 8) }
//	draws, err := calibrate.Map(post, sums)
//	inside, err := calibrate.Coverage{}.Latent(draws, sums(theta))
func Map(d Draws, f func(x []float64) []float64) (*expfam.Draws, error) {
	n, cells := d.Dims()
	x := make([]float64, cells)
	var out *mat.Dense
	for i := range n {
		for j := range x {
			x[j] = d.At(i, j)
		}
		row := f(x)
		if out == nil && len(row) > 0 {
			out = mat.NewDense(n, len(row), nil)
		}
		if out == nil || len(row) != out.RawMatrix().Cols {
			return nil, fmt.Errorf("calibrate: map: %d values of draw %d; give every draw the same number, at least 1",
				len(row), i)
		}
		out.SetRow(i, row)
	}
	if out == nil {
		return nil, fmt.Errorf("calibrate: map: there are no draws")
	}
	return &expfam.Draws{X: out}, nil
}

// Blocks returns a function for [Map] that sums x over blocks of cells of any shape. block[j] is the number of the
// block of cell j, from 0 on, or negative if the cell is in no block.
func Blocks(block []int) func(x []float64) []float64 {
	count := 0
	for _, b := range block {
		count = max(count, b+1)
	}
	return func(x []float64) []float64 {
		sums := make([]float64, count)
		for j, b := range block {
			if b >= 0 {
				sums[b] += x[j]
			}
		}
		return sums
	}
}

// Observed returns the cells with data.
func Observed(obs expfam.Observations) []int {
	cells := []int{}
	for j, t := range obs {
		if t != (expfam.Term{}) {
			cells = append(cells, j)
		}
	}
	return cells
}

// each calls f for every cell of cells (nil means all) with the sorted draws and
// the y of the cell, on all processors. It is an error if there are fewer than least draws.
func each[T any](what string, d Draws, least int, y []float64, cells []int, f func(sorted []float64, y float64) T) ([]T,
	error) {
	n, all := d.Dims()
	if n < least {
		return nil, fmt.Errorf("calibrate: %s: %d draws; it needs at least %d", what, n, least)
	}
	if len(y) != all {
		return nil, fmt.Errorf("calibrate: %s: %d true values for %d cells; give one for each, whatever it is in "+
			"cells that are not scored", what, len(y), all)
	}
	cells, err := within(what, cells, all)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(cells))
	failed := make([]error, len(cells))
	parallel.For(len(cells), parallel.Heavy, func(k int) {
		j := cells[k]
		x := make([]float64, n)
		for i := range x {
			x[i] = d.At(i, j)
		}
		slices.Sort(x) // NaN first
		if s := x[0] + x[n-1] + y[j]; math.IsNaN(s) || math.IsInf(s, 0) {
			failed[k] = fmt.Errorf("calibrate: %s: cell %d: true value %v, draws from %v to %v; all must be finite",
				what, j, y[j], x[0], x[n-1])
			return
		}
		out[k] = f(x, y[j])
	})
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// within returns cells after a check of the indices. For nil it returns all cells.
func within(what string, cells []int, all int) ([]int, error) {
	if cells == nil {
		cells = make([]int, all)
		for j := range cells {
			cells[j] = j
		}
	}
	for _, j := range cells {
		if j < 0 || j >= all {
			return nil, fmt.Errorf("calibrate: %s: there is no cell %d among %d", what, j, all)
		}
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("calibrate: %s: no cells to score; give some, or nil for all", what)
	}
	return cells, nil
}
