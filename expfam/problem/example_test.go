package problem_test

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/problem"
)

// A data set of the paper's first table: thirty counts of a curve, with the curve that made them.
func ExampleCase_Simulate() {
	d := expfam.Must(problem.PoissonLow.Simulate(4))
	fmt.Println(d.Case.Likelihood, "in", len(d.X0), "cells")
	fmt.Println(d.Obs.Stats()[:10])
	// Output:
	// poisson with theta = exp(x) in 30 cells
	// [1 3 0 1 1 3 2 4 10 9]
}
