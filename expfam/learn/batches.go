package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// Concurrent is an [expfam.Simulator] whose Draw may be called by several goroutines,
// each with its own generator. Its batches are made on all processors.
type Concurrent interface{ Concurrent() }

// batches makes the data of the steps ahead of time, each from a stream of its
// own, so that a resumed run sees what an uninterrupted one does.
func (r *trainer) batches(ctx context.Context, first int) <-chan [3]*tensors.Tensor {
	workers := 1
	if _, ok := r.sim.(Concurrent); ok {
		workers = runtime.GOMAXPROCS(0)
	}
	made := make([]chan [3]*tensors.Tensor, workers)
	for w := range made {
		made[w] = make(chan [3]*tensors.Tensor, 1)
		go func() {
			defer close(made[w])
			for i := first + w; i < r.Steps; i += workers {
				select {
				case made[w] <- r.draw(fmt.Sprintf("batch/%d", i)):
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	ch := make(chan [3]*tensors.Tensor, 1)
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
	return ch
}

// draw is a batch (x₀, z, σ).
func (r *trainer) draw(stream string) [3]*tensors.Tensor {
	rng, d := expfam.Stream(r.Seed, stream), r.sim.Dim()
	scale := rms(r.scale.SD)
	x0, z, sigma := make([]float32, r.Batch*d), make([]float32, r.Batch*d), make([]float32, r.Batch)
	x := make([]float64, d)
	for k := range r.Batch {
		r.sim.Draw(rng, x)
		for j, v := range x {
			x0[k*d+j] = float32(v)
			z[k*d+j] = float32(rng.NormFloat64())
		}
		sigma[k] = float32(scale * noise(rng))
	}
	return [3]*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x0, r.Batch, d),
		tensors.FromFlatDataAndDimensions(z, r.Batch, d),
		tensors.FromFlatDataAndDimensions(sigma, r.Batch, 1),
	}
}

// heldOutDraws is how many draws the held-out loss is taken of, at least.
const heldOutDraws = 256

// heldOut are the batches of the held-out loss.
func (r *trainer) heldOut() [][3]*tensors.Tensor {
	all := [][3]*tensors.Tensor{r.draw("held-out")}
	for i := 1; i*r.Batch < heldOutDraws; i++ {
		all = append(all, r.draw(fmt.Sprintf("held-out/%d", i)))
	}
	return all
}

// missed is the loss of the averaged weights on batches. For large networks it takes as
// long as many steps, and ends with ctx.
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

// noise is the training distribution of σ, in units of the prior's sd:
// log-uniform over what matters for a posterior, [0.003, 10], and in 15 of 100
// draws over the approach to pure noise, [10, 150].
func noise(rng *rand.Rand) float64 {
	if rng.Float64() < 0.85 {
		return lowestNoise * math.Pow(10/lowestNoise, rng.Float64())
	}
	return 10 * math.Pow(highestNoise/10, rng.Float64())
}

// Range is the range of noise levels that the network was trained for; see
// [expfam.Ranged].
func (p *Prior) Range() (low, high float64) {
	sd := rms(p.Scale.SD)
	return lowestNoise * sd, highestNoise * sd
}

func rms(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(v)))
}
