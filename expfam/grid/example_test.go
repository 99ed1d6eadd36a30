package grid_test

import (
	"fmt"

	"github.com/expfam/lab/expfam/grid"
)

func ExampleGrid_Count() {
	g := grid.Grid{Rows: 2, Cols: 3} // centres at x = 0, 1, 2 and, from the top, y = 1, 0
	counts, err := g.Count([]grid.Point{{X: 0.2, Y: 1.1, Weight: 1}, {X: -0.3, Y: 0.8, Weight: 1},
		{X: 2, Y: 0, Weight: 3}, {X: 9, Y: 9, Weight: 1}})
	fmt.Println(counts.Values, err)
	fmt.Println(counts)
	// Output:
	// [2 0 0 0 0 3] <nil>
	// 3 points on the grid, 1 beyond its edges, 0 in cells outside of the domain
}

// A grid of 50 by 70 cells under a U-Net of four resolutions, which halves it three times.
func ExampleGrid_Pad() {
	g := grid.Grid{Rows: 50, Cols: 70}
	p, err := g.Pad(8)
	fmt.Println(p.Grid.Rows, p.Grid.Cols, err)
	padded, err := p.Field(grid.Field{Grid: g, Values: make([]float64, g.Len())})
	fmt.Println(padded.Grid.Inside(padded.Grid.Index(49, 69)), padded.Grid.Inside(padded.Grid.Index(49, 70)), err)

	// The prior has 56 by 72 cells; p.Cut(post) is the posterior of 50 by 70.

	// Output:
	// 56 72 <nil>
	// true false <nil>
}
