package decide

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// TestKnapsack: the gain is the largest of all sets, also where many sets are equally good.
func TestKnapsack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		const n = 10
		gains, costs := make([]float64, n), make([]float64, n)
		unit := []float64{1, 0.25, 10, 1.0 / 3}[trial%4]
		for i := range gains {
			costs[i] = unit * float64(rng.IntN(8))
			if gains[i] = 10*rng.Float64() - 1; trial%3 == 0 {
				gains[i] = 2 * costs[i]
			}
		}
		budget := unit * 25 * rng.Float64()
		var want float64
		for set := range 1 << n {
			var gain, cost float64
			for i := range n {
				if set>>i&1 == 1 {
					gain, cost = gain+gains[i], cost+costs[i]
				}
			}
			if cost <= budget && gain > want {
				want = gain
			}
		}
		taken, got := knapsack(gains, costs, budget)
		must.Be(t, got > want-1e-9 && got < want+1e-9, "trial %d: a gain of %g, not %g", trial, got, want)
		for i, in := range taken {
			if in {
				got, budget = got-gains[i], budget-costs[i]
			}
		}
		must.Be(t, got > -1e-9 && got < 1e-9 && budget > -1e-9, "trial %d: a set of another gain or above budget",
			trial)
	}
}

// TestKnapsackOfDecimals: a budget of n costs has room for all n, although the sum of their floats may be above it.
func TestKnapsackOfDecimals(t *testing.T) {
	for _, cost := range []float64{0.1, 0.7, 1.1, 12.34, 1.0 / 3, 1e-7} {
		for n := 2; n < 12; n++ {
			gains, costs := slices.Repeat([]float64{1}, n+1), slices.Repeat([]float64{cost}, n+1)
			_, got := knapsack(gains, costs, float64(n)*cost)
			must.Be(t, got == float64(n), "%g of %d items of %g", got, n, cost)
		}
	}
}

// TestKnapsackEnds: hundreds of places of one ratio, with a budget that no set reaches. Without a bound on the search
// it would not end, so a minute is enough.
func TestKnapsackEnds(t *testing.T) {
	for name, c := range map[string]struct{ cost, spread float64 }{
		"one cost": {10, 0}, "no common unit": {10, 1},
	} {
		rng, began := rand.New(rand.NewPCG(3, 4)), time.Now()
		gains, costs := make([]float64, 280), make([]float64, 280)
		for i := range gains {
			costs[i] = c.cost + c.spread*rng.Float64()
			gains[i] = 2 * costs[i]
		}
		_, got := knapsack(gains, costs, 755)
		must.Be(t, got > 2*750-1e-9 && got <= 2*755, "%s: a gain of %g", name, got)
		must.Be(t, time.Since(began) < time.Minute, "%s took %v", name, time.Since(began))
	}
}
