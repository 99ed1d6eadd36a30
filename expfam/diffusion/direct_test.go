package diffusion_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// averages is an operator whose data are averages of so many neighbouring cells.
func averages(cells, data, width int) *operator.Dense {
	m := mat.NewDense(data, cells, nil)
	for k := range data {
		for j := range width {
			m.Set(k, (k*(cells-width)/max(1, data-1)+j)%cells, 1/float64(width))
		}
	}
	return &operator.Dense{Matrix: m}
}

// TestDirectAgreesWithChains: draws that start from Laplace's approximation have the mean and the sd of chains in every
// cell, with many cells, or few cells and many data, behind operators, and far from a normal posterior.
func TestDirectAgreesWithChains(t *testing.T) {
	poisson := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	yes := expfam.Likelihood{Family: expfam.Bernoulli{}, Link: expfam.MustLink("sigmoid(2*x)")}
	for name, c := range map[string]struct {
		cells int
		level float64
		like  expfam.Likelihood
		op    expfam.Operator
		data  int
	}{
		"counts of cells":   {140, 0, poisson, nil, 140},
		"rare events":       {140, -3, poisson, nil, 140},
		"yes or no":         {140, 0, yes, nil, 140},
		"repeated readings": {20, 0, poisson, nil, 160},
		"averages":          {140, 0.5, poisson, averages(140, 20, 7), 20},
		"many averages":     {20, 0, yes, averages(20, 150, 5), 150},
	} {
		t.Run(name, func(t *testing.T) {
			if !*fulltest.Full && slices.Contains([]string{"counts of cells", "yes or no", "averages"}, name) {
				t.Skip("runs with -full; the others have the same links and operators")
			}
			rng := rand.New(rand.NewPCG(3, 4))
			prior := gp.RBF{Cells: c.cells}
			x := make([]float64, c.cells)
			prior.Gaussian().Draw(rng, x)
			at := func(k int) float64 { return x[k%c.cells] }
			like := c.like
			switch {
			case c.op != nil:
				like.Operator = c.op
			case c.data != c.cells:
				keep := make([]int, c.data)
				for k := range keep {
					keep[k] = k % c.cells
				}
				like.Operator = &operator.Select{Cells: c.cells, Keep: keep}
			}
			y := make([]float64, c.data)
			for k := range y {
				if c.like.Family == (expfam.Bernoulli{}) {
					if rng.Float64() < 1/(1+math.Exp(-2*at(k))) {
						y[k] = 1
					}
				} else {
					y[k] = c.like.Family.Rand(math.Exp(at(k)+c.level), expfam.Known{}, rng)
				}
			}
			obs := must.Get(like.Observe1(y...))(t)
			draws := fulltest.N(800, 8000)
			post := must.Get(diffusion.Sample(prior, like, obs,
				diffusion.Sampler{Draws: draws, Seed: 1, Fresh: true}))(t)
			must.Be(t, post.Info.Engine == "go" && post.Info.Evaluations == 0, "not the direct way: %v", post.Info)
			options := hmc.Options{Draws: fulltest.N(400, 1000), Seed: 2, Fresh: true}
			chains := must.Get(hmc.Sample(prior.Gaussian(), like, obs, options))(t)
			// 4.5 standard errors of independent draws, of the worst of some hundred cells, and the chains' own.
			bound, own := 4.5/math.Sqrt(float64(draws)), 4/math.Sqrt(chains.Info.Diagnostics["ess_bulk"])
			for j := range c.cells {
				mean, sd := stat.MeanStdDev(mat.Col(nil, j, chains.X), nil)
				got, width := stat.MeanStdDev(mat.Col(nil, j, post.X), nil)
				text := fmt.Sprintf("cell %d: %.3f ± %.3f, and %.3f ± %.3f by chains", j, got, width, mean, sd)
				must.Be(t, math.Abs(got-mean) < (bound+own)*sd, "%s", text)
				must.Be(t, math.Abs(width/sd-1) < bound+own, "%s", text)
			}
		})
	}
}
