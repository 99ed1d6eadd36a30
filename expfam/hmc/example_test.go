package hmc_test

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
)

// The posterior that other samplers are compared with, with its diagnostics.
func ExampleSample() {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 0, 4, 9))
	post, err := hmc.Sample(gp.RBF{Cells: 4}, like, obs, hmc.Options{Draws: 500, Warmup: 200, Seed: 1, Fresh: true})
	if err != nil { // a *hmc.NotConverged comes with draws
		fmt.Println(err)
		return
	}
	d := post.Info.Diagnostics
	fmt.Println("converged:", d["rhat"] < 1.01, "divergences:", d["divergences"])
	fmt.Println("rates that rise at the end:", post.Median()[3] > post.Median()[0])
	// Output:
	// converged: true divergences: 0
	// rates that rise at the end: true
}
