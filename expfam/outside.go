package expfam

import (
	"fmt"
	"math"
	"strings"
)

// outsideLevel bounds the probability that right data are said to lie outside of a prior.
const outsideLevel = 0.005

// outsideData has the data that no draw of a [Bounded] prior explains.
type outsideData struct {
	// Cells are cells that say so together: one, a square, a row or a column, or all. Of all such groups they are the
	// ones that say so most.
	Cells []int
	// Above is true where the data ask for more than the upper bound of x₀, and false for less than the lower bound.
	Above bool
	// LogProbability bounds the logarithm of the probability of such data under every draw of the prior.
	LogProbability float64
	Bound          float64 // of x₀
	Groups         int     // that say so
	Cols           int     // of the prior's grid, 0 without one
}

// Outside returns which data lie outside of what a prior can make, or nil if the data say nothing of the kind. It needs
// a [Bounded] prior and data that look at one cell each, by an exponential family whose constants are known. It looks
// at single cells, and at squares of 2×2, 4×4 … cells, rows and columns of a [Lattice]. The statistics of a group are
// added, with the same x in all of its cells. If their log-likelihood ℓ has its maximum at x̂ > b, the upper bound of
// x₀, then under every x₀ ≤ b
//
//	P(T ≥ t) ≤ exp(ℓ(b) − ℓ(x̂))
//
// by Chernoff's bound, and likewise below. The bounds of all groups together are at most 0.005 (Bonferroni), so at most
// one data set in two hundred of any prior that has these bounds is said to lie outside. No draws are needed.
func (f *Forward) Outside(prior Prior, obs Observations) *outsideData {
	bounded, ok := prior.(Bounded)
	if !ok || !f.Plain() || len(obs) != prior.Dim() {
		return nil
	}
	low, high := bounded.Bounds()
	t := f.Parts[0].Terms
	if names, _ := t.Constants(); !(low < high) || t.own != nil || len(names) > 0 {
		return nil
	}
	groups := groupsOf(prior)
	limit := math.Log(outsideLevel / float64(2*len(groups)))
	var worst outsideData
	for _, cells := range groups {
		var sum Term
		for _, j := range cells {
			sum.Stat += obs[j].Stat
			sum.Size += obs[j].Size
		}
		if sum == (Term{}) {
			continue
		}
		for _, above := range []bool{false, true} {
			bound := low
			if above {
				bound = high
			}
			log := t.beyond(bound, above, high-low, sum)
			if log > limit {
				continue
			}
			if worst.Groups++; log < worst.LogProbability {
				worst.Cells, worst.Above, worst.LogProbability, worst.Bound = cells, above, log, bound
			}
		}
	}
	if worst.Groups == 0 {
		return nil
	}
	if l, ok := prior.(Lattice); ok {
		_, worst.Cols = l.Lattice()
	}
	return &worst
}

// beyond returns ℓ(b) − ℓ(x̂) for the maximum x̂ of ℓ beyond the bound b, and 0 if there is none. Where ℓ rises without
// end it takes a far x in place of x̂, which makes the bound on the probability larger.
func (t *Terms) beyond(bound float64, above bool, unit float64, c Term) float64 {
	sign := 1.0
	if !above {
		sign = -1
	}
	slope := sign * t.Slope(bound, c)
	// Most data are near the bound or inside, and need no search: three standard deviations are far from any limit.
	if h := t.Information(bound, c); !(slope > 0) || h > 0 && slope*slope < 9*h {
		return 0
	}
	inner, outer := 0.0, unit
	for range 6 {
		if !(sign*t.Slope(bound+sign*outer, c) > 0) {
			break
		}
		inner, outer = outer, 2*outer
	}
	for range 40 {
		middle := (inner + outer) / 2
		if sign*t.Slope(bound+sign*middle, c) > 0 {
			inner = middle
		} else {
			outer = middle
		}
	}
	log := t.LogLik(bound, c) - t.LogLik(bound+sign*inner, c)
	if math.IsNaN(log) {
		return 0
	}
	return min(log, 0)
}

// groupsOf returns the cells one by one, and the squares, rows and columns of a lattice.
func groupsOf(prior Prior) (groups [][]int) {
	for j := range prior.Dim() {
		groups = append(groups, []int{j})
	}
	l, ok := prior.(Lattice)
	if !ok {
		return groups
	}
	rows, cols := l.Lattice()
	if rows*cols != prior.Dim() {
		return groups
	}
	block := func(top, left, height, width int) {
		var cells []int
		for i := top; i < min(top+height, rows); i++ {
			for j := left; j < min(left+width, cols); j++ {
				cells = append(cells, i*cols+j)
			}
		}
		groups = append(groups, cells)
	}
	for side := 2; side < 2*max(rows, cols); side *= 2 {
		for top := 0; top < rows; top += side {
			for left := 0; left < cols; left += side {
				block(top, left, side, side)
			}
		}
	}
	for i := range rows {
		block(i, 0, 1, cols)
	}
	for j := range cols {
		block(0, j, rows, 1)
	}
	return groups
}

// String says which cells ask for what, and what to do.
func (o *outsideData) String() string {
	first, n := o.Cells[0], len(o.Cells)
	where := fmt.Sprintf("cell %d asks", first)
	if o.Cols > 1 {
		where = fmt.Sprintf("the cell of row %d and column %d asks", first/o.Cols, first%o.Cols)
	}
	if last := o.Cells[n-1]; n > 1 && o.Cols > 1 {
		where = fmt.Sprintf("the %d cells of rows %d to %d and columns %d to %d ask", n, first/o.Cols, last/o.Cols,
			first%o.Cols, last%o.Cols)
	}
	what := "less than the smallest"
	if o.Above {
		what = "more than the largest"
	}
	more := ""
	if o.Groups > 1 {
		more = fmt.Sprintf(", and so do %d further groups of cells", o.Groups-1)
	}
	return fmt.Sprintf("the data lie outside of what the prior makes: %s for %s x₀, %.3g, under which such data have "+
		"a probability below e^%.0f%s; check units and exposures, leave these data out, or train on images that show "+
		"such things", where, what, o.Bound, o.LogProbability, more)
}

// outsideAlarm says that the data lie outside of what the prior makes.
func (i Info) outsideAlarm() string {
	if i.Outside == nil || len(i.Outside.Cells) == 0 {
		return ""
	}
	text := i.Outside.String()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
