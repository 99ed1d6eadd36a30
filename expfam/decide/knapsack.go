package decide

import (
	"cmp"
	"slices"
)

// knapsack returns the set of items of the largest total gain whose costs are within a budget, and its gain. It is
// exact: branch and bound over items in the order of gain over cost, with the bound of the problem in which the last
// item may be taken in part (Dantzig 1957). Items without a positive gain are never taken, and items without a cost
// always are if their gain is positive. gains and costs have an item for each place.
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
	b.visit(0, 0, budget)
	for k, i := range order {
		if b.bestIn != nil && b.bestIn[k] {
			taken[i] = true
		}
	}
	return taken, best + b.best
}

// branch is the search of [knapsack].
type branch struct {
	gains, costs []float64
	order        []int
	in, bestIn   []bool
	best         float64
}

// visit decides about the items from place k on, with a gain so far and what is left of the budget.
func (b *branch) visit(k int, gain, left float64) {
	if gain > b.best {
		b.best, b.bestIn = gain, append(b.bestIn[:0], b.in...)
	}
	if k == len(b.order) || b.bound(k, gain, left) <= b.best*(1+1e-12) {
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
