package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// Concurrent is an [expfam.Simulator] whose Draw may be called by several goroutines, each with its own generator. Its
// batches are made on all processors. Draws of any other simulator are made one after another.
type Concurrent interface{ Concurrent() }

// batch is the data (x₀, z, σ) of a step, or the error of a draw.
type batch struct {
	data [3]*tensors.Tensor
	err  error
}

// batches returns a channel with the batches of the steps from first on. They are made ahead of time. Each
// batch has a random stream of its own, so a resumed run sees the same batches as an uninterrupted run. When ctx
// ends, stopped waits until nothing is drawn any more.
func (r *trainer) batches(ctx context.Context, first int) (all <-chan batch, stopped *sync.WaitGroup) {
	stopped = new(sync.WaitGroup)
	workers := 1
	if _, ok := r.sim.(Concurrent); ok {
		workers = runtime.GOMAXPROCS(0)
	}
	made := make([]chan batch, workers)
	for w := range made {
		made[w] = make(chan batch, 1)
		stopped.Go(func() {
			defer close(made[w])
			for i := first + w; i < r.Steps; i += workers {
				data, err := r.draw(ctx, fmt.Sprintf("batch/%d", i))
				select {
				case made[w] <- batch{data, err}:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	ch := make(chan batch, 1)
	go func() {
		defer close(ch)
		for i := first; i < r.Steps; i++ {
			data, ok := <-made[(i-first)%workers]
			if !ok {
				return
			}
			select {
			case ch <- data:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, stopped
}

// ended reports whether ctx has ended.
func ended(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// drawOf fills x with a draw. A panic of Draw, and a number that is not finite, are errors. Batches are made on
// goroutines of their own, where a panic would end the process.
func drawOf(sim expfam.Simulator, rng *rand.Rand, x []float64) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("train: a draw of %v failed: %v; correct its Draw", sim, reason)
		}
	}()
	sim.Draw(rng, x)
	for j, v := range x {
		if !finite(v) {
			return fmt.Errorf("train: a draw of %v has %g in cell %d; every draw must be finite", sim, v, j)
		}
	}
	return nil
}

// draw returns data (x₀, z, σ), drawn from the named random stream. If ctx ends meanwhile, they are not complete
// and must not be used.
func (r *trainer) draw(ctx context.Context, stream string) (data [3]*tensors.Tensor, err error) {
	rng, d := expfam.Stream(r.Seed, stream), r.sim.Dim()
	scale := rms(r.scale.SD)
	x0, z, sigma := make([]float32, r.Batch*d), make([]float32, r.Batch*d), make([]float32, r.Batch)
	x, sim := make([]float64, d), proposed(r.sim)
	for k := range r.Batch {
		if ended(ctx) {
			break
		}
		if err := drawOf(sim, rng, x); err != nil {
			return data, err
		}
		for j, v := range x {
			x0[k*d+j] = float32(v)
			z[k*d+j] = float32(rng.NormFloat64())
		}
		sigma[k] = float32(scale * r.noise(rng))
	}
	return [3]*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x0, r.Batch, d),
		tensors.FromFlatDataAndDimensions(z, r.Batch, d),
		tensors.FromFlatDataAndDimensions(sigma, r.Batch, 1),
	}, nil
}

// heldOutDraws is the least number of draws over which the held-out loss is averaged.
const heldOutDraws = 256

// heldOut returns the batches on which the held-out loss is computed.
func (r *trainer) heldOut(ctx context.Context) (all [][3]*tensors.Tensor, err error) {
	for i := 0; i == 0 || i*r.Batch < heldOutDraws; i++ {
		stream := "held-out"
		if i > 0 {
			stream = fmt.Sprintf("held-out/%d", i)
		}
		data, err := r.draw(ctx, stream)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

// missed returns the mean loss of the averaged weights on the batches. For large networks it takes as long
// as many steps, so it ends when ctx ends.
func (r *trainer) missed(ctx context.Context, evaluate *Exec, batches [][3]*tensors.Tensor) (float64, error) {
	call := r.caller()
	var sum float64
	for _, data := range batches {
		if ctx.Err() != nil {
			return 0, expfam.ErrInterrupted
		}
		loss, err := call(evaluate, r.state[stAverage], data[0], data[1], data[2])
		if err != nil {
			return 0, err
		}
		sum += float64(tensors.ToScalar[float32](loss[0]))
		if err := engine.Release(loss...); err != nil {
			return 0, err
		}
	}
	return sum / float64(len(batches)), nil
}

// The noise levels of training, in units of the prior's sd.
const (
	lowestNoise  = 0.003
	highestNoise = 150
)

// noise draws σ from the training distribution, in units of the prior's sd. In 85 of 100 draws σ is log-uniform over
// the levels that matter for a posterior, [0.003, 10]. In the other 15 it is log-uniform over the approach to pure
// noise, [10, 150]. With parameters these are 45 and 5 of 100. In the other 50 σ is log-uniform in [0.02, 1], where x_t
// decides the parameters.
func (r *trainer) noise(rng *rand.Rand) float64 {
	within := func(low, high float64) float64 { return low * math.Pow(high/low, rng.Float64()) }
	decided := len(r.parameters) > 0
	switch u := rng.Float64(); {
	case decided && u >= 0.5:
		return within(0.02, 1)
	case decided && u >= 0.05 || !decided && u < 0.85:
		return within(lowestNoise, 10)
	default:
		return within(10, highestNoise)
	}
}

// Range returns the lowest and the highest noise level that the network was trained for; see [expfam.Ranged].
func (p *Prior) Range() (low, high float64) {
	sd := rms(p.Scale.SD)
	return lowestNoise * sd, highestNoise * sd
}

// rms returns the root mean square of v.
func rms(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(v)))
}
