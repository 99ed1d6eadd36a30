package calibrate_test

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/gp"
)

// The closed-form posterior of a Gaussian field.
func ExampleSBC() {
	prior, like := gp.RBF{Cells: 8}, expfam.Likelihood{Family: expfam.Normal{}}
	result, err := calibrate.SBC{
		Model: calibrate.Joint{Prior: prior, Likelihood: like},
		Sample: func(_ context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error) {
			exact, err := gp.Exact(prior, like, obs)
			if err != nil {
				return nil, err
			}
			return exact.Sample(63, seed)
		},
	}.Run()
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Names)
	fmt.Println(result.Passes(0.95))
	// Output:
	// [mean cell log-likelihood TARP]
	// true <nil>
}

// Sums over blocks have scores and coverage like cells.
func ExampleMap() {
	prior, like := gp.RBF{Cells: 8}, expfam.Likelihood{Family: expfam.Normal{}}
	x0, obs, err := calibrate.Joint{Prior: prior, Likelihood: like}.Simulate(1)
	if err != nil {
		panic(err)
	}
	exact, err := gp.Exact(prior, like, obs)
	if err != nil {
		panic(err)
	}
	post, err := exact.Sample(100, 1)
	if err != nil {
		panic(err)
	}
	halves := calibrate.Blocks([]int{0, 0, 0, 0, 1, 1, 1, 1})
	sums, err := calibrate.Map(post, halves)
	if err != nil {
		panic(err)
	}
	inside, err := calibrate.Coverage{Level: 0.9}.Latent(sums, halves(x0))
	if err != nil {
		panic(err)
	}
	fmt.Println(inside)
	// Output:
	// [1 1]
}

// Three things called coverage, of the exact posterior of twenty cells.
func ExampleCoverage_Compare() {
	prior, like := gp.RBF{Cells: 20}, expfam.Likelihood{Family: expfam.Normal{}}
	x0, obs, err := calibrate.Joint{Prior: prior, Likelihood: like}.Simulate(1)
	if err != nil {
		panic(err)
	}
	exact, err := gp.Exact(prior, like, obs)
	if err != nil {
		panic(err)
	}
	post, err := exact.Sample(500, 1)
	if err != nil {
		panic(err)
	}
	all, err := calibrate.Coverage{Level: 0.9}.Compare(post, obs, x0) // under the identity link x₀ is θ
	if err != nil {
		panic(err)
	}
	fmt.Printf("truth in the interval of θ      %.2f\n", all.Latent.Mean)
	fmt.Printf("data in the interval of data    %.2f\n", all.Predictive.Mean)
	fmt.Printf("raw rate in the interval of θ   %.2f\n", all.Paper.Mean)
	// Output:
	// truth in the interval of θ      1.00
	// data in the interval of data    1.00
	// raw rate in the interval of θ   0.55
}
