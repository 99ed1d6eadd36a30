package gmrf

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/pace"
)

// polished makes the draws by p, on all processors, and adds its diagnostics. It writes the points of the
// hyperparameters at which they end to which. After an interrupt it returns the finished draws as draw does.
func (o Options) polished(ctx context.Context, p *polish, diagnostics map[string]float64,
	which []int) (*mat.Dense, error) {
	cells := p.model.prior.Grid.Len()
	x, accept := mat.NewDense(o.Draws, cells, nil), 0.0
	finished, levels := make([]bool, o.Draws), make([]float64, o.Draws)
	steps := pace.New(ctx, "gmrf", fmt.Sprintf("%d draws of %d cells", o.Draws, cells), o.Draws)
	var failure error
	var mu sync.Mutex
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), o.Draws)
	for w := range workers {
		wg.Go(func() {
			for k := w; k < o.Draws && ctx.Err() == nil; k += workers {
				rng := drawStream(o.Seed, k)
				s, end, accepted, err := p.draw(ctx, pick(p.points, rng.Float64()), rng)
				mu.Lock()
				switch {
				case err == nil:
					field := s.x
					if o.Smooth {
						field = s.field
					}
					for i, j := range p.model.lattice.order {
						x.Set(k, j, field[i])
					}
					finished[k], levels[k], which[k] = true, s.level, end
					accept += accepted
				case ctx.Err() == nil && failure == nil:
					failure = err
				}
				mu.Unlock()
				steps.Step(math.NaN())
			}
		})
	}
	wg.Wait()
	if failure != nil {
		return nil, failure
	}
	diagnostics["transitions"], diagnostics["accept"] = float64(p.transitions), accept/float64(o.Draws)
	if !p.model.prior.KnownLevel && o.Draws > 1 {
		diagnostics["level"], diagnostics["level_sd"] = stat.MeanStdDev(levels, nil)
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
