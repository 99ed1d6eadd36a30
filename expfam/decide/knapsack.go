package decide

import (
	"cmp"
	"math"
	"slices"
)

// mostVisits is the number of branches after which a search ends with the best set that it has found.
const mostVisits = 1 << 20

// knapsack returns the set of items of the largest total gain whose costs are within a budget, and its gain. It is
// branch and bound over items in the order of gain over cost, with the bound of the problem in which the last item may
// be taken in part (Dantzig 1957). It is exact unless mostVisits branches do not suffice, which takes costs without a
// common unit and gains in nearly one ratio to them; then it is the best set that was found. Items without a positive
// gain are never taken, and items without a cost always are if their gain is positive. gains and costs have an item for
// each place.
func knapsack(gains, costs []float64, budget float64) (taken []bool, best float64) {
	taken = make([]bool, len(gains))
	var order []int
	for i, g := range gains {
		switch {
		case g <= 0:
		case costs[i] == 0:
			taken[i], best = true, best+g
		case costs[i] <= budget:
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gains[b]*costs[a], gains[a]*costs[b]) })
	b := branch{gains: gains, order: order, in: make([]bool, len(order))}
	b.costs, budget = inUnits(costs, order, budget)
	b.visit(0, 0, budget)
	for k, i := range order {
		if b.bestIn != nil && b.bestIn[k] {
			taken[i] = true
		}
	}
	return taken, best + b.best
}

// inUnits returns costs and a budget as whole numbers, if all costs have at most six decimals, so that rounding puts no
// set above the budget that has this cost, as three times 0.1 in a budget of 0.3. The budget is what sums of costs can
// reach, a multiple of their common unit. The bound is never met without it where gains are in one ratio to costs.
func inUnits(costs []float64, order []int, budget float64) ([]float64, float64) {
	whole := make([]float64, len(costs))
	for scale := 1.; scale <= 1e6; scale *= 10 {
		var unit float64
		for _, i := range order {
			c := math.Round(scale * costs[i])
			if math.Abs(scale*costs[i]-c) > 1e-9*c || c > 1<<52 {
				unit = -1
				break
			}
			whole[i] = c
			for a := c; a > 0; { // Euclid
				unit, a = a, math.Mod(unit, a)
			}
		}
		if unit > 0 {
			return whole, math.Floor(budget*scale/unit*(1+1e-12)) * unit
		}
	}
	return costs, budget * (1 + 1e-12)
}

// branch is the search of [knapsack].
type branch struct {
	gains, costs []float64
	order        []int
	in, bestIn   []bool
	best         float64
	visits       int
}

// visit decides about the items from place k on, with a gain so far and what is left of the budget.
func (b *branch) visit(k int, gain, left float64) {
	if gain > b.best {
		b.best, b.bestIn = gain, append(b.bestIn[:0], b.in...)
	}
	if b.visits++; b.visits > mostVisits || k == len(b.order) || b.bound(k, gain, left) <= b.best*(1+1e-12) {
		return
	}
	if i := b.order[k]; b.costs[i] <= left {
		b.in[k] = true
		b.visit(k+1, gain+b.gains[i], left-b.costs[i])
		b.in[k] = false
	}
	b.visit(k+1, gain, left)
}

// bound returns the largest gain from place k on if the last item may be taken in part.
func (b *branch) bound(k int, gain, left float64) float64 {
	for _, i := range b.order[k:] {
		if b.costs[i] > left {
			return gain + b.gains[i]*left/b.costs[i]
		}
		gain, left = gain+b.gains[i], left-b.costs[i]
	}
	return gain
}
