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
	b := branch{gains: gains, costs: costs, order: order, in: make([]bool, len(order))}
	b.visit(0, 0, reachable(costs, order, budget))
	for k, i := range order {
		if b.bestIn != nil && b.bestIn[k] {
			taken[i] = true
		}
	}
	return taken, best + b.best
}

// reachable returns the part of a budget that sums of costs can reach: its multiple of the unit that all costs have, if
// they have one of at most six decimals. The bound is never met without it where gains are in one ratio to costs.
func reachable(costs []float64, order []int, budget float64) float64 {
	for scale := 1.; scale <= 1e6; scale *= 10 {
		var unit float64
		for _, i := range order {
			c := math.Round(scale * costs[i])
			if math.Abs(scale*costs[i]-c) > 1e-9*c || c > 1<<52 {
				unit = -1
				break
			}
			for a := c; a > 0; { // Euclid
				unit, a = a, math.Mod(unit, a)
			}
		}
		if unit > 0 {
			return math.Floor(budget*scale/unit*(1+1e-12)) * unit / scale
		}
	}
	return budget
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
