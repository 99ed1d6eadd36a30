package counts_test

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/counts"
	"github.com/expfam/lab/expfam/grid"
)

// Counts on a grid, smoothed over one cell, and draws that use each cell alone.
func ExampleKernel() {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(0, 1, 5, 1, 2, 9))
	smooth, bandwidth, err := counts.Kernel{Grid: grid.Grid{Rows: 2, Cols: 3}, Bandwidth: 1}.Estimate(like, obs)
	fmt.Printf("%.1f, bandwidth %g, %v\n", smooth, bandwidth, err)
	raw := expfam.Must(counts.Raw{}.Sample(like, obs, counts.Options{Draws: 100, Seed: 1}))
	fmt.Println(raw.Dims())
	// Output:
	// [1.2 2.5 4.2 1.5 3.0 4.9], bandwidth 1, <nil>
	// 100 6
}
