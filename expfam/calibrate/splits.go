package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/speak"
)

// Splits are repeated splits of one data set into data that are seen and data that are held out.
// Cells inside a held-out block (HoldOut.Block) cannot be predicted from neighbours.
type Splits struct {
	Grid    grid.Grid
	HoldOut grid.HoldOut
	// Obs are all data, one term for each cell. Cells without data are never held out,
	// and HoldOut.Fraction is a fraction of the cells with data.
	Obs   expfam.Observations
	Times int    // the number of splits, default 5
	Seed  uint64 // split k depends on Seed and k alone
}

// Split is one split of Splits.
type Split struct {
	Number int
	Seed   uint64 // a seed for the posteriors of the split
	IsHeld []bool // marks the cells that are held out
	// Seen has the data for the posterior, and Held the data for its scores.
	Seen, Held expfam.Observations
}

// Split makes split k.
func (s Splits) Split(k int) (Split, error) {
	if len(s.Obs) != s.Grid.Len() {
		return Split{}, fmt.Errorf("calibrate: splits: %d observed cells on a grid of %d by %d", len(s.Obs),
			s.Grid.Rows, s.Grid.Cols)
	}
	g := s.Grid
	g.Outside = make([]bool, len(s.Obs))
	for j, t := range s.Obs {
		g.Outside[j] = t == (expfam.Term{}) || !s.Grid.Inside(j)
	}
	rng := expfam.Stream(s.Seed, fmt.Sprintf("splits/%d", k))
	held, err := s.HoldOut.Cells(g, rng)
	if err != nil {
		return Split{}, fmt.Errorf("calibrate: splits: %w", err)
	}
	out := Split{Number: k, Seed: rng.Uint64(), IsHeld: held,
		Seen: make(expfam.Observations, len(held)), Held: make(expfam.Observations, len(held))}
	for j, t := range s.Obs {
		if held[j] {
			out.Held[j] = t
		} else {
			out.Seen[j] = t
		}
	}
	return out, nil
}

// Repeat calls f with every split and collects the results, such as the scores of every method. After an interrupt or
// an error of f it returns the finished results with the error. The context of f is done when there is an interrupt.
func Repeat[T any](s Splits, f func(ctx context.Context, s Split) (T, error)) (Repeated[T], error) {
	ctx, end := speak.Work("splits", "")
	defer end()
	return RepeatContext(ctx, s, f)
}

// RepeatContext is [Repeat] with a context: it ends when ctx ends, and passes ctx to f.
func RepeatContext[T any](ctx context.Context, s Splits, f func(ctx context.Context, s Split) (T, error)) (Repeated[T],
	error) {
	s.Times = cmp.Or(s.Times, 5)
	var out Repeated[T]
	steps := speak.NewPace(ctx, "calibrate: splits", fmt.Sprintf("%d splits", s.Times), s.Times)
	part, end := steps.Parts(ctx)
	defer end()
	for k := range s.Times {
		if ctx.Err() != nil {
			return out, fmt.Errorf("calibrate: splits: %w after %d of %d", expfam.ErrInterrupted, k, s.Times)
		}
		split, err := s.Split(k)
		if err != nil {
			return out, err
		}
		seen, held := len(Observed(split.Seen)), len(Observed(split.Held))
		if seen == 0 || held == 0 {
			return out, fmt.Errorf("calibrate: splits: split %d has %d cells with data and holds out %d; both must "+
				"be at least 1", k, seen, held)
		}
		one, err := f(part, split)
		if err != nil {
			return out, fmt.Errorf("calibrate: splits: split %d: %w", k, err)
		}
		out.Each = append(out.Each, one)
		out.Ratio = float64(held) / float64(seen)
		steps.Step(math.NaN())
	}
	return out, nil
}

// Repeated has the outcomes of repetitions of an experiment, on several data sets or on several
// splits of one data set. An outcome is the result of one repetition, such as a struct of scores.
type Repeated[T any] struct {
	Each []T // one for each repetition
	// Ratio is the number of cells held out divided by the number of cells seen, for splits of one data set. It is 0
	// for independent data sets. Splits share data, so their outcomes scatter less than outcomes on new data would. The
	// standard error is therefore √(1/J + Ratio) times the standard deviation over J splits (Nadeau & Bengio 2003).
	Ratio float64
}

// Mean returns the mean over the repetitions of a number, which the function argument of computes
// from each outcome. If the number is a difference of two scores, the standard error is that of the
// difference, in which common variation cancels.
func (r Repeated[T]) Mean(of func(T) float64) Estimate {
	x := make([]float64, len(r.Each))
	for k, one := range r.Each {
		x[k] = of(one)
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return Estimate{mean, sd * math.Sqrt(1/float64(len(x))+r.Ratio), len(x)}
}
