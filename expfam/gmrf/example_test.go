package gmrf_test

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
)

// A surface, counts with a fifth of the cells held out, and its posterior.
func ExampleSample() {
	g := grid.Grid{Rows: 32, Cols: 32, X: grid.Axis{Unit: "km", Step: 0.5}, Y: grid.Axis{Unit: "km", Step: 0.5}}
	truth, err := gmrf.Prior{Grid: g, Range: 4, SD: 0.8, Level: 3, KnownLevel: true}.Draw(expfam.Stream(1, "truth"))
	if err != nil {
		panic(err)
	}
	data, err := grid.Cox{Grid: g, Replicates: 10, Seed: 1}.Simulate(truth)
	if err != nil {
		panic(err)
	}
	post, err := gmrf.Sample(gmrf.Prior{Grid: g}, data.Likelihood, data.Seen, gmrf.Options{Draws: 200})
	if err != nil {
		panic(err)
	}
	held, all := 0, 0
	low, high := post.EqualTailed(0.95)
	for j := range truth {
		if data.IsHeld[j] {
			all++
			if data.Theta[j] > low[j] && data.Theta[j] < high[j] {
				held++
			}
		}
	}
	d := post.Info.Diagnostics
	fmt.Printf("range %.0f km, sd %.1f\n", d["range"], d["sd"])
	fmt.Printf("%.0f%% of the held-out cells in their 95%% intervals\n", 100*float64(held)/float64(all))
	// Output:
	// range 4 km, sd 0.8
	// 94% of the held-out cells in their 95% intervals
}
