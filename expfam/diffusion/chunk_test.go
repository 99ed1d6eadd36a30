package diffusion_test

import (
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/must"
)

// Draws do not depend on the number of processors, to the bit: a worker's graphs have one
// thread, and a block is the same on each.
func TestDrawsDoNotDependOnWorkers(t *testing.T) {
	e, err := engine.Open("onnx")
	if err != nil {
		t.Skip(err)
	}
	prior := gp.RBF{Cells: 6}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	obs := make(expfam.Observations, prior.Dim())
	for j := range obs {
		obs[j] = expfam.Term{Stat: float64(j), Size: 1}
	}
	var first *expfam.Posterior
	for _, processors := range []int{1, 3} { // blocks of 128: five of them
		before := runtime.GOMAXPROCS(processors)
		post, err := diffusion.Sample(prior, like, obs,
			diffusion.Sampler{Draws: 600, Engine: e, Fresh: true, Method: diffusion.Multistep{N: 6}})
		runtime.GOMAXPROCS(before)
		must.Need(t, err == nil, "%v", err)
		if first == nil {
			first = post
		} else if !mat.Equal(post.X, first.X) || math.IsNaN(mat.Sum(post.X)) {
			t.Errorf("draws on %d processors are not those on one", processors)
		}
	}
}
