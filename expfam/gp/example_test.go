package gp_test

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
)

// A curve of five cells, of which two were measured: the posterior in closed form, and draws of it.
func ExampleExact() {
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.3}}
	obs := expfam.Must(like.Observe1(1, math.NaN(), math.NaN(), -1, math.NaN()))
	exact := expfam.Must(gp.Exact(gp.RBF{Cells: 5, Length: 0.3}, like, obs))
	post := expfam.Must(exact.Sample(100, 1))
	draws, cells := post.Dims()
	fmt.Printf("mean %.2f\n", exact.Mean)
	fmt.Println(draws, "draws of", cells, "cells")
	// Output:
	// mean [0.91 0.44 -0.44 -0.91 -0.67]
	// 100 draws of 5 cells
}
