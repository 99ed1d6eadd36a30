package benchmarks

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/fulltest"
)

// TestSmoothLearnedOperators is TestSmoothLearned with data that look at several cells each: sums of two to five cells,
// or differences of two, side by side or anywhere. They are sharp or faint Normal data, or counts.
func TestSmoothLearnedOperators(t *testing.T) {
	network, _ := network(t, "experts", Normal)
	field := expfam.Must(gp.New(problem.Prior.Mean(), problem.Prior.Cov()))
	smoothCampaign(t, fulltest.N(4, 60), func(seed uint64) configuration {
		rng, d := expfam.Stream(seed, "smooth, learned, operators"), network.Dim()
		c := configuration{prior: field, network: network, truth: make([]float64, d)}
		field.Draw(rng, c.truth)
		data, many, last, apart := 1+rng.IntN(20), 2+rng.IntN(4), 1.0, rng.IntN(2) == 0
		if rng.IntN(3) == 0 {
			many, last = 2, -1
		}
		weights := mat.NewDense(data, d, nil)
		for k := range data {
			cells := rng.Perm(d)
			for i := range many {
				j := cells[i]
				if !apart {
					j = min(cells[0], d-many) + i
				}
				weights.Set(k, j, 1)
				if i == many-1 {
					weights.Set(k, j, last)
				}
			}
		}
		var seen mat.VecDense
		seen.MulVec(weights, mat.NewVecDense(d, c.truth))
		c.like = expfam.Likelihood{Family: expfam.Normal{}, Operator: &operator.Dense{Matrix: weights}}
		c.obs = make(expfam.Observations, data)
		noise := math.Pow(10, 0.5-rng.Float64()) // .3 to 3
		if seed%3 == 0 {
			noise = math.Pow(10, -1-3*rng.Float64()) // 1e-4 to .1
		}
		for k := range c.obs {
			n := 1 / (noise * noise)
			c.obs[k] = expfam.Term{Stat: n * (seen.AtVec(k) + noise*rng.NormFloat64()), Size: n}
		}
		what := fmt.Sprintf("sd %.2g", noise)
		if seed%3 == 2 {
			what, c.like.Family, c.like.Link = "counts", expfam.Poisson{}, expfam.MustLink("exp(x/2)")
			for k := range c.obs {
				c.obs[k] = expfam.Term{Stat: poisson(math.Exp(seen.AtVec(k)/2), rng), Size: 1}
			}
		}
		c.name = fmt.Sprintf("%d/%s, %d data of %d cells, last weight %g, apart %v", seed, what, data, many, last,
			apart)
		return c
	})
}
