package diffusion_test

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
)

// Five counts at places of a Gaussian process, the middle one twice as long observed, the last not at all.
func ExampleSample() {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	obs := expfam.Must(like.Observe(expfam.Data{
		Y:     [][]float64{{1, 3, 9, 4, 0}},
		Known: [][]float64{{1, 1, 2, 1, 0}}, // exposures; 0 is a missing cell
	}))
	post := expfam.Must(diffusion.Sample(gp.RBF{Cells: 5, Length: 0.3}, like, obs, diffusion.Sampler{
		Draws: 200, Seed: 1, Engine: expfam.Must(engine.Open("go")), Fresh: true,
	}))
	fmt.Printf("rates    %.1f\n", post.Median())
	low, high := post.EqualTailed(0.9)
	fmt.Printf("at least %.1f\nat most  %.1f\n", low, high)
	fmt.Println(post.Info.Evaluations, "evaluations")
	// Output:
	// rates    [1.1 2.5 4.1 3.3 1.8]
	// at least [0.4 1.0 2.4 1.6 0.5]
	// at most  [2.9 4.9 6.3 5.9 7.4]
	// 8 evaluations
}

// A figure that follows a slider moves s: the first posterior compiles, the second does not.
func ExampleLive() {
	e := expfam.Must(engine.Open("go"))
	live := &diffusion.Live{Prior: gp.RBF{Cells: 3}, Sampler: diffusion.Sampler{Draws: 50, Seed: 1, Engine: e}}
	defer live.Close()
	data := expfam.Data{Y: [][]float64{{3, 5, 9}}, Known: [][]float64{{10, 10, 10}}}
	obs := expfam.Must(expfam.Likelihood{Family: expfam.Binomial{}}.Observe(data))
	for _, s := range []float64{1, 5} {
		like := expfam.Likelihood{Family: expfam.Binomial{},
			Link: expfam.MustLink("sigmoid(s*x)", expfam.Constants{"s": s})}
		post := expfam.Must(live.Sample(like, obs))
		fmt.Printf("%v: medians %.2f, compiled %v\n", like.Link, post.Median(), post.Info.Compile > 0)
	}
	// Output:
	// sigmoid(x): medians [0.34 0.48 0.77], compiled true
	// sigmoid(5*x): medians [0.34 0.52 0.90], compiled false
}
