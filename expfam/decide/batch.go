package decide

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/internal/speak"
)

// Batch is a list of surveys, in the order in which they were chosen.
type Batch struct {
	Value string
	Stops []Stop
	Risk  float64 // before any survey
	// Perfect is the value of perfect information, if Value is the loss of a decision, and otherwise 0. All surveys
	// together are worth at most as much.
	Perfect float64
}

// Stop is one survey of a [Batch].
type Stop struct {
	Cell int
	// Gain is what this survey is expected to lower, given those before it, with its standard error over the simulated
	// truths. It is valued by other outcomes than those that chose the survey.
	Gain, SE float64
	Cost     float64
	// Rivals are the other cells whose gain for the cost cannot be told from that of Cell by two standard errors of the
	// difference, the best first. With other random numbers one of them may be chosen. Nil: the choice is clear.
	Rivals    []int
	Effective float64 // number of draws on which the results rest, as in [Gains]
}

// Gain returns the sum of the gains of all surveys, with the standard error of the sum.
func (b *Batch) Gain() (sum, se float64) {
	for _, s := range b.Stops {
		sum, se = sum+s.Gain, math.Hypot(se, s.SE)
	}
	return sum, se
}

// Cells returns the cells in the order in which they were chosen.
func (b *Batch) Cells() []int {
	var cells []int
	for _, s := range b.Stops {
		cells = append(cells, s.Cell)
	}
	return cells
}

// Cost returns the cost of all surveys together.
func (b *Batch) Cost() (sum float64) {
	for _, s := range b.Stops {
		sum += s.Cost
	}
	return sum
}

// Batch chooses at most n surveys one by one. Each is the one of the largest gain for its cost, given what those before
// it would find. It ends early if no survey is within the budget or none lowers the risk. No travel: all
// cost 1. A budget of 0 is no bound. An interrupt returns the surveys that are chosen with [expfam.ErrInterrupted].
//
// While the choice is open between cells, they are looked at again with further outcomes. What stays open after that is
// in [Stop.Rivals].
func (s Survey) Batch(post *expfam.Posterior, n int, travel Travel, budget float64) (*Batch, error) {
	ctx, end := speak.Work("next surveys", "")
	defer end()
	return s.BatchContext(ctx, post, n, travel, budget)
}

// BatchContext is [Survey.Batch] with a context: it ends when ctx ends.
func (s Survey) BatchContext(ctx context.Context, post *expfam.Posterior, n int, travel Travel,
	budget float64) (*Batch, error) {
	if n < 1 || !(budget >= 0) {
		return nil, fmt.Errorf("decide: batch: %d surveys and a budget of %g; give at least 1, and a budget of at "+
			"least 0", n, budget)
	}
	if err := traits.Check(travel); err != nil {
		return nil, err
	}
	w, err := s.worlds(post)
	if err != nil {
		return nil, err
	}
	b := &Batch{Value: w.Value.String()}
	if w.decision != nil {
		b.Perfect = w.decision.perfect
	}
	for _, r := range w.risks {
		b.Risk += r / float64(len(w.risks))
	}
	steps := speak.NewPace(ctx, "decide: batch", fmt.Sprintf("%d surveys", n), n)
	for range n {
		left := budget*(1+1e-12) - b.Cost() // three surveys of 0.1 are within a budget of 0.3
		best, stop, err := w.next(ctx, b.Cells(), travel, left, budget > 0)
		if err != nil {
			return b, err
		}
		if best == nil {
			break
		}
		w.keep(best)
		if sum, _ := b.Gain(); w.decision != nil {
			stop.Gain = min(stop.Gain, b.Perfect-sum)
		}
		b.Stops = append(b.Stops, stop)
		steps.Step(math.NaN())
	}
	return b, nil
}

// candidate is a cell that may be surveyed next.
type candidate struct {
	cell   int
	cost   float64
	gains  []float64 // of each world for the cost, the mean of all rounds
	parts  []float64 // of each draw in the error of the mean gain for the cost
	rounds int
	mean   float64
}

// add joins the outcomes of a further round.
func (c *candidate) add(e *evaluation) {
	if c.gains == nil {
		c.gains, c.parts = make([]float64, len(e.gains)), make([]float64, len(e.parts))
	}
	c.rounds++
	for m, g := range e.gains {
		c.gains[m] += (g/c.cost - c.gains[m]) / float64(c.rounds)
	}
	for s, p := range e.parts {
		c.parts[s] += (p/c.cost - c.parts[s]) / float64(c.rounds)
	}
	c.mean = stat.Mean(c.gains, nil)
}

// A choice that is open is looked at again, with further outcomes of at most so many rivals and in so many rounds.
const (
	mostRivals = 8
	rounds     = 6
)

// next returns the survey of the largest gain for its cost, or nil if there is none.
func (w *worlds) next(ctx context.Context, chosen []int, travel Travel, left float64, bounded bool) (*evaluation, Stop,
	error) {
	var stop Stop
	all, err := w.candidates(ctx, chosen, travel, left, bounded)
	if err != nil || len(all) == 0 {
		return nil, stop, err
	}
	better := func(a, b *candidate) int { return cmp.Compare(b.mean, a.mean) }
	slices.SortStableFunc(all, better)
	rivals := w.rivals(all)
	for round := 1; round < rounds && len(rivals) > 0; round++ {
		for _, c := range append([]*candidate{all[0]}, rivals[:min(len(rivals), mostRivals)]...) {
			e, err := w.evaluate(c.cell, round)
			if err != nil {
				return nil, stop, err
			}
			c.add(e)
		}
		slices.SortStableFunc(all, better)
		rivals = w.rivals(all)
	}
	best := all[0]
	if best.mean <= 0 {
		return nil, stop, nil
	}
	e, err := w.evaluate(best.cell, rounds)
	if err != nil {
		return nil, stop, err
	}
	stop = Stop{Cell: best.cell, Cost: best.cost, Effective: e.effective}
	stop.Gain, stop.SE = w.gain(e.gains, e.parts)
	for _, c := range rivals {
		stop.Rivals = append(stop.Rivals, c.cell)
	}
	return e, stop, nil
}

// candidates evaluates all cells that may be surveyed next.
func (w *worlds) candidates(ctx context.Context, chosen []int, travel Travel, left float64, bounded bool) ([]*candidate,
	error) {
	var all []*candidate
	for _, j := range w.Cells {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("decide: batch: %w after %d surveys", expfam.ErrInterrupted, len(chosen))
		}
		if slices.Contains(chosen, j) {
			continue
		}
		c := &candidate{cell: j, cost: 1}
		if travel != nil {
			c.cost = travel.Cost(chosen, j)
		}
		if !(c.cost > 0) || math.IsInf(c.cost, 0) {
			return nil, fmt.Errorf("decide: batch: a survey in cell %d costs %g; costs must be positive, and "+
				"the Grid of a Trip has all cells", j, c.cost)
		}
		if bounded && c.cost > left {
			continue
		}
		e, err := w.evaluate(j, 0)
		if err != nil {
			return nil, err
		}
		c.add(e)
		all = append(all, c)
	}
	return all, nil
}

// rivals returns the candidates whose gain is not below that of the first by two standard errors of the difference.
func (w *worlds) rivals(all []*candidate) (open []*candidate) {
	gains, parts := make([]float64, len(all[0].gains)), make([]float64, len(all[0].parts))
	for _, c := range all[1:] {
		mean, sd := stat.MeanStdDev(floats.SubTo(gains, all[0].gains, c.gains), nil)
		se := math.Hypot(stat.StdErr(sd, float64(len(gains))), floats.Norm(floats.SubTo(parts, all[0].parts, c.parts),
			2))
		if mean < 2*se {
			open = append(open, c)
		}
	}
	return open
}
