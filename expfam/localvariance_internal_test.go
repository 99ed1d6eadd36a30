package expfam

import (
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The variance of a cell's statistic over its size, given θ, is known in closed form.
func TestLocalWeights(t *testing.T) {
	for _, c := range []struct {
		family      Family
		y, known    float64
		theta, want float64 // Var(Stat/Size)
	}{
		{Poisson{}, 3, 5, 2, 2.0 / 5},
		{Binomial{}, 3, 8, 0.3, 0.3 * 0.7 / 8},
		{Normal{}, 3, 0.5, 2, 0.25},
		{NegativeBinomial{}, 3, 4, 0.3, 0.7 / (0.3 * 0.3) / 4}, // mean r(1−θ)/θ
		{Exponential{}, 3, 1, 2, 0.25},                         // of y itself, rate 2
	} {
		t.Run(c.family.String(), func(t *testing.T) {
			term, err := c.family.Reduce(c.y, Given(c.known))
			if err != nil {
				term = must.Get(c.family.Reduce(c.y, Known{}))(t)
			}
			obs := Observations{term, term}
			check := &localCheck{family: c.family, obs: obs, pairs: neighbours(obs, 1, 2)}
			must.Do(t, check.prepare([]float64{c.theta, c.theta}))
			d := must.Get(check.under([]float64{c.theta, c.theta}))(t)
			if got := 1 / d.weight[0] / 2; math.Abs(got/c.want-1) > 1e-9 { // rounding of formulas
				t.Errorf("the variance is %g, want %g", got, c.want)
			}
		})
	}
}

func TestNeighbours(t *testing.T) {
	obs := make(Observations, 6) // of 2 × 3 cells, the middle one of the first row is missing
	for _, j := range []int{0, 2, 3, 4, 5} {
		obs[j].Size = 1
	}
	got := neighbours(obs, 2, 3)
	want := [][2]int{{0, 3}, {2, 5}, {3, 4}, {4, 5}}
	must.Need(t, len(got) == len(want), "pairs %v, want %v", got, want)
	for k := range want {
		must.Be(t, got[k] == want[k], "pair %d is %v, want %v", k, got[k], want[k])
	}
}
