package raster_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/expfam/lab/expfam/raster"
)

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
	f, err := raster.ReadASCIIGrid(path)
	fmt.Println(f.Values, f.Grid.Outside, err)
	fmt.Printf("centres at %g, %g and %g east\n", f.X(0), f.X(1), f.X(2))
	// Output:
	// [1 2 3 4 NaN 6] [false false false false true false] <nil>
	// centres at 10.25, 10.75 and 11.25 east
}
