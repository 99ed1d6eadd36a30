package grid_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/expfam/grid"
)

func Example() {
	truth := make([]float64, 64*64)
	prior := grid.Procedural{Rows: 64, Cols: 64}
	if err := prior.Item(1, 0, truth); err != nil {
		fmt.Println(err)
		return
	}
	data, err := grid.Cox{Grid: prior.Grid(), Replicates: 10, HoldOut: grid.HoldOut{Block: 8}, Seed: 1}.Simulate(truth)
	if err != nil {
		fmt.Println(err)
		return
	}
	blocks := prior.Grid().BlockSums(data.Held.Sizes(), 8, 8)
	fmt.Println(data.Likelihood)
	fmt.Println(strings.Trim(fmt.Sprint(blocks[:8]), "[]"))
	// Output:
	// poisson with theta = exp(x)
	// 640 0 0 640 0 0 0 0
}

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

// A raster with a cell of no data, which is outside.
func ExampleReadASCIIGrid() {
	dir, err := os.MkdirTemp("", "grid")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "density.asc")
	const text = "ncols 3\nnrows 2\nxllcorner 10\nyllcorner 50\ncellsize 0.5\nnodata_value -9999\n1 2 3\n4 -9999 6\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	f, err := grid.ReadASCIIGrid(path)
	fmt.Println(f.Values, f.Grid.Outside, err)
	fmt.Printf("centres at %g, %g and %g east\n", f.X(0), f.X(1), f.X(2))
	// Output:
	// [1 2 3 4 NaN 6] [false false false false true false] <nil>
	// centres at 10.25, 10.75 and 11.25 east
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
