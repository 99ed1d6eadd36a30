package decide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/internal/speak"
)

// Travel says what it costs to add a survey in a cell to those that are chosen already.
type Travel interface {
	Cost(chosen []int, cell int) float64
}

// Trip is a [Travel] from a base: a survey costs Fixed, and PerUnit for each unit of the distance to the base or to the
// nearest cell that is chosen already. On a sphere the distance is that of the great circle in the unit of the radius.
type Trip struct {
	Grid           grid.Grid
	Base           int     // a cell
	Fixed, PerUnit float64 // costs
}

// Cost implements [Travel].
func (t Trip) Cost(chosen []int, cell int) float64 {
	nearest := t.distance(t.Base, cell)
	for _, j := range chosen {
		nearest = min(nearest, t.distance(j, cell))
	}
	return t.Fixed + t.PerUnit*nearest
}

func (t Trip) distance(a, b int) float64 {
	x0, y0 := t.Grid.Centre(a)
	x1, y1 := t.Grid.Centre(b)
	if t.Grid.Radius == 0 {
		return math.Hypot(x1-x0, y1-y0)
	}
	const radian = math.Pi / 180
	north, east := math.Sin((y1-y0)*radian/2), math.Sin((x1-x0)*radian/2)
	h := north*north + math.Cos(y0*radian)*math.Cos(y1*radian)*east*east // the haversine of the angle
	return 2 * t.Grid.Radius * math.Asin(min(1, math.Sqrt(h)))
}

// Batch is a list of surveys, in the order in which they were chosen.
type Batch struct {
	Value string
	Stops []Stop
	Risk  float64 // before any survey
}

// Stop is one survey of a [Batch].
type Stop struct {
	Cell int
	// Gain is what this survey is expected to lower, given those before it, with its standard error over the simulated
	// truths.
	Gain, SE  float64
	Cost      float64
	Effective float64 // number of draws on which the results rest, as in [Gains]
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
	w, err := s.worlds(post)
	if err != nil {
		return nil, err
	}
	b := &Batch{Value: w.Value.String()}
	for _, r := range w.risks {
		b.Risk += r / float64(len(w.risks))
	}
	steps := pace.New(ctx, "decide: batch", fmt.Sprintf("%d surveys", n), n)
	for range n {
		best, stop, err := w.next(ctx, b.Cells(), travel, budget-b.Cost(), budget > 0)
		if err != nil {
			return b, err
		}
		if best == nil {
			break
		}
		w.keep(best)
		b.Stops = append(b.Stops, stop)
		steps.Step(math.NaN())
	}
	return b, nil
}

// next returns the survey of the largest gain for its cost, or nil if there is none.
func (w *worlds) next(ctx context.Context, chosen []int, travel Travel, left float64, bounded bool) (*evaluation, Stop,
	error) {
	var best *evaluation
	var stop Stop
	for _, j := range w.Cells {
		if ctx.Err() != nil {
			return nil, stop, fmt.Errorf("decide: batch: %w after %d surveys", expfam.ErrInterrupted, len(chosen))
		}
		if slices.Contains(chosen, j) {
			continue
		}
		cost := 1.0
		if travel != nil {
			cost = travel.Cost(chosen, j)
		}
		if !(cost > 0) || math.IsInf(cost, 0) {
			return nil, stop, fmt.Errorf("decide: batch: a survey in cell %d costs %g; costs must be positive", j, cost)
		}
		if bounded && cost > left {
			continue
		}
		e, err := w.evaluate(j)
		if err != nil {
			return nil, stop, err
		}
		if e.gain > 0 && (best == nil || e.gain*stop.Cost > stop.Gain*cost) {
			best, stop = e, Stop{Cell: j, Gain: e.gain, SE: e.se, Cost: cost, Effective: e.effective}
		}
	}
	return best, stop, nil
}
