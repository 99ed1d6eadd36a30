package scenes_test

import (
	"fmt"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/scenes"
)

func Example() {
	truth := make([]float64, 64*64)
	prior := scenes.Procedural{Rows: 64, Cols: 64}
	prior.Draw(expfam.Stream(1, "truth"), truth)
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
