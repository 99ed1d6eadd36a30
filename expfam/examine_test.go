package expfam_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// Draws that cannot be a posterior of the data raise an alarm, and draws of the posterior do not. The draws are those
// of independent cells, whose posteriors are gamma and normal distributions.
func TestExamine(t *testing.T) {
	const draws, cells = 500, 20
	same := func(v float64) []float64 { return slices.Repeat([]float64{v}, cells) }
	one := func(v float64) []float64 { y := same(0); y[3] = v; return y }
	first := &operator.Select{Cells: cells, Keep: []int{0, 0}}
	gamma := func(shape, rate float64) func(*rand.Rand, int) float64 { // log of a draw of the gamma distribution
		return func(rng *rand.Rand, _ int) float64 {
			sum := 0.0
			for range int(shape) {
				sum += rng.ExpFloat64()
			}
			return math.Log(sum / rate)
		}
	}
	normal := func(mean, sd float64) func(*rand.Rand, int) float64 {
		return func(rng *rand.Rand, _ int) float64 { return mean + sd*rng.NormFloat64() }
	}
	const many, odd = "events on average, and ", "of the data, such as datum"
	for name, c := range map[string]struct {
		like Likelihood
		y    []float64
		x    func(rng *rand.Rand, cell int) float64
		says string
	}{
		"a gamma posterior":           {Likelihood{Family: Poisson{}}, same(4), gamma(5, 1.25), ""},
		"one event a cell":            {Likelihood{Family: Poisson{}}, same(1), gamma(1, 1), ""},
		"no event, flat level":        {Likelihood{Family: Poisson{}}, same(0), gamma(1, 20), ""},
		"a normal of a wide log rate": {Likelihood{Family: Poisson{}}, same(0), normal(-20, 15), "and 0 were seen"},
		"few huge draws": {Likelihood{Family: Poisson{}}, same(1), func(rng *rand.Rand, cell int) float64 {
			if rng.IntN(500) == 0 {
				return 9
			}
			return gamma(1, 1)(rng, cell)
		}, many + "20 were seen"},
		"far too few": {Likelihood{Family: Poisson{}}, same(40), normal(2, .1), many + "800 were seen"},
		"half of all": {Likelihood{Family: Binomial{Trials: 100}},
			same(9), normal(.5, .02), many + "180 were seen"},
		"an outlying count":      {Likelihood{Family: Poisson{}}, one(60), gamma(3, 1), odd + " 3"},
		"a chance of a thousand": {Likelihood{Family: Poisson{}}, one(1), normal(-7, .1), ""},
		"a measurement":          {Likelihood{Family: Normal{SD: .1}}, one(.3), normal(0, .05), ""},
		"a wrong measurement":    {Likelihood{Family: Normal{SD: .1}}, one(2), normal(0, .05), "1 " + odd + " 3"},
		"a small waiting time":   {Likelihood{Family: Exponential{}, Link: ExpLink}, same(1e-6), normal(0, .1), ""},
		"contradictory readings": {Likelihood{Family: Normal{SD: .01}, Operator: first},
			[]float64{1, 3}, normal(2, .007), "2 " + odd},
		"readings that agree": {Likelihood{Family: Normal{SD: .01}, Operator: first},
			[]float64{1.98, 2.02}, normal(2, .007), ""},
		"contradictory trials": {Likelihood{Family: Binomial{Trials: 1000}, Operator: first},
			[]float64{1, 999}, normal(.5, .01), "2 " + odd},
		"a beta-binomial outlier": {Likelihood{Family: BetaBinomial{Trials: 1000, Correlation: .3}},
			one(999), normal(.5, .01), ""},
	} {
		t.Run(name, func(t *testing.T) {
			obs := must.Get(c.like.Observe1(c.y...))(t)
			rng, x := rand.New(rand.NewPCG(1, 2)), mat.NewDense(draws, cells, nil)
			for i := range draws {
				for j := range cells {
					x.Set(i, j, c.x(rng, j))
				}
			}
			post := &Posterior{X: x, Likelihood: c.like}
			post.Info.Diagnostics = map[string]float64{"expected": 1, "seen": 9, "improbable": 2} // of other draws
			post.Examine(Must(Must(c.like.Terms()).Forward(cells)), obs)
			got := post.Alarm()
			must.Be(t, c.says != "" || !strings.Contains(got, many) && !strings.Contains(got, odd),
				"alarm %q, want none", got)
			must.Be(t, strings.Contains(got, c.says), "alarm %q, want %q", got, c.says)
		})
	}
}
