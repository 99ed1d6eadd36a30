package gmrf

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// polished makes the draws by p, on all processors, and adds its diagnostics. It writes the points of the
// hyperparameters at which they end to which. After an interrupt it returns the finished draws as draw does.
func (o Options) polished(ctx context.Context, p *polish, diagnostics map[string]float64,
	which []int) (*mat.Dense, error) {
	cells := p.model.prior.Grid.Len()
	x := mat.NewDense(o.Draws, cells, nil)
	finished, levels, accepts := make([]bool, o.Draws), make([]float64, o.Draws), make([]float64, o.Draws)
	failed := make([]error, o.Draws)
	steps := pace.New(ctx, "gmrf", fmt.Sprintf("%d draws of %d cells", o.Draws, cells), o.Draws)
	parallel.For(o.Draws, parallel.Heavy, func(k int) {
		if ctx.Err() != nil {
			return
		}
		rng := drawStream(o.Seed, k)
		s, end, accept, err := p.draw(ctx, pick(p.points, rng.Float64()), rng)
		if failed[k] = err; err != nil {
			return
		}
		for i, j := range p.model.lattice.order {
			x.Set(k, j, s.x[i])
		}
		finished[k], levels[k], accepts[k], which[k] = true, s.level, accept, end
		steps.Step(math.NaN())
	})
	if err := cmp.Or(failed...); err != nil && ctx.Err() == nil {
		return nil, err
	}
	done := 0
	for k, ok := range finished {
		if ok {
			levels[done], accepts[done] = levels[k], accepts[k]
			done++
		}
	}
	diagnostics["transitions"], diagnostics["accept"] = float64(p.transitions), stat.Mean(accepts[:done], nil)
	if !p.model.prior.KnownLevel && done > 1 {
		diagnostics["level"], diagnostics["level_sd"] = stat.MeanStdDev(levels[:done], nil)
	}
	return kept(x, finished)
}

// kept returns the finished draws, in the order of their numbers, and an error if some are not.
func kept(x *mat.Dense, finished []bool) (*mat.Dense, error) {
	draws, cells := x.Dims()
	done := 0
	for _, f := range finished {
		if f {
			done++
		}
	}
	if done == draws {
		return x, nil
	}
	err := fmt.Errorf("gmrf: %w after %d of %d draws", expfam.ErrInterrupted, done, draws)
	if done == 0 {
		return nil, err
	}
	out := mat.NewDense(done, cells, nil)
	for k, row := 0, 0; k < draws; k++ {
		if finished[k] {
			out.SetRow(row, x.RawRowView(k))
			row++
		}
	}
	return out, err
}
