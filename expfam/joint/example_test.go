package joint_test

import (
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
)

// The same counts of thirty cells with the length scale fixed at a third of the right one, fixed right, and unknown. A
// wrong length scale makes intervals of a wrong width. The unknown one is inferred with the field.
func Example() {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	x := make([]float64, 30)
	gp.RBF{Length: 0.2}.Draw(expfam.Stream(7, "example"), x)
	theta := expfam.Must(like.Theta(x))
	obs := expfam.Must(like.Observe(expfam.Must(like.Simulate(theta, nil, 1, 3))))
	width := func(post *expfam.Posterior) (mean float64) {
		low, high := post.Latent().EqualTailed(0.95)
		for j := range low {
			mean += (high[j] - low[j]) / 30
		}
		return mean
	}
	for _, length := range []float64{0.2 / 3, 0.2} {
		post := expfam.Must(hmc.Sample(gp.RBF{Length: length}, like, obs, hmc.Options{Draws: 500}))
		fmt.Printf("length scale %.2f: intervals are %.1f wide\n", length, width(post))
	}
	post := expfam.Must(diffusion.Sample(gp.Unknown{Of: gp.RBF{Cells: 30}}, like, obs, diffusion.Sampler{}))
	length := expfam.Must(post.Parameter("length scale"))
	low, high := length.EqualTailed(0.95)
	fmt.Printf("unknown: intervals are %.1f wide, and the length scale lies between %.1f and %.1f\n", width(post), low,
		high)
	// Output:
	// length scale 0.07: intervals are 1.7 wide
	// length scale 0.20: intervals are 1.2 wide
	// unknown: intervals are 1.5 wide, and the length scale lies between 0.1 and 0.4
}
