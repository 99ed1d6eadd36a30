package grid

import "fmt"

// Coarsen returns the grid whose cells are blocks of rows × cols cells of g. The joint
// checks of a posterior use it with blocks of 8 × 8. A block is outside if all of its cells
// are outside. The area of a block is the sum of the areas of its cells inside.
func (g Grid) Coarsen(rows, cols int) (Grid, error) {
	if rows < 1 || cols < 1 || g.Rows%rows != 0 || g.Cols%cols != 0 {
		return Grid{}, fmt.Errorf("grid: blocks of %d by %d don't tile %d rows by %d columns; crop the grid or "+
			"choose divisors", rows, cols, g.Rows, g.Cols)
	}
	if err := g.Check(); err != nil {
		return Grid{}, err
	}
	x, y := g.Axes()
	x.First, x.Step = (x.At(0)+x.At(cols-1))/2, x.Step*float64(cols)
	y.First, y.Step = (y.At(0)+y.At(rows-1))/2, y.Step*float64(rows)
	coarse := Grid{Rows: g.Rows / rows, Cols: g.Cols / cols, X: x, Y: y, Radius: g.Radius}
	if g.Outside == nil && g.Area == nil {
		return coarse, nil
	}
	coarse.Area = g.BlockSums(g.Areas(), rows, cols)
	coarse.Outside = make([]bool, coarse.Len())
	for j, a := range coarse.Area {
		coarse.Outside[j] = a == 0
	}
	return coarse, nil
}

// BlockSums returns the sum of x over the cells of every block of [Grid.Coarsen], in the
// order of the coarse cells. Cells outside of the domain are left out.
func (g Grid) BlockSums(x []float64, rows, cols int) []float64 {
	wide := g.Cols / cols
	sums := make([]float64, g.Rows/rows*wide)
	for j, v := range x {
		if r, c := g.Cell(j); g.Inside(j) {
			sums[r/rows*wide+c/cols] += v
		}
	}
	return sums
}
