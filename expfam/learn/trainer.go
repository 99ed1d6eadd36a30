package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"time"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/storedir"
)

// objective is the loss of one batch: x0 and x (batch, d), levels (batch, 1).
type objective func(w nn.Weights, x0, x *Node, l expfam.LevelNodes) *Node

// trained is what a training ends with.
type trained struct {
	net     nn.Network
	scale   Scale
	weights []float32
	curve   Curve
	// coupling at couplingLevels, of a score network alone.
	coupling []float64
}

// heads of a score network (mean, variance) and of an inference network
// (location, concentration).
const heads = 2

// evaluations is how often the held-out loss is taken in a full training.
const evaluations = 40

// saving is the longest time between two saves of the state, but for the step
// that is under way.
var saving = 20 * time.Second

// train runs Adam on an objective, or loads what a former run left. The
// purpose tells apart networks that the same configuration trains.
func train(sim expfam.Simulator, t Training, purpose string, make func(nn.Network, Scale) objective, snapshot func(int, expfam.Prior), measure func(*trained) error) (*trained, error) {
	t, err := t.orDefault()
	if err != nil {
		return nil, err
	}
	if sim == nil {
		return nil, errors.New("train: there is nothing to draw from; give a Simulator, such as gp.RBF{}")
	}
	if err := expfam.CheckPrior(sim); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if d := sim.Dim(); d < 1 {
		return nil, fmt.Errorf("train: %v has %d cells; it needs at least 1", sim, d)
	} else if c, ok := t.Net.(nn.Checker); ok {
		if err := c.Check(d); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	var cache *store.Store
	var key string
	if !t.Fresh {
		if key, err = t.key(sim, purpose, make); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
		cache = store.Use()
		if done := loadTrained(cache, "network", key, t.Net); done != nil {
			return done, nil
		}
	}
	scale, err := ScaleOf(sim, 10000, expfam.Stream(t.Seed, "scale"))
	if err != nil {
		return nil, err
	}
	run := &trainer{Training: t, sim: sim, scale: scale, cache: cache, key: key, loss: make(t.compute(), scale), snapshot: snapshot, measure: measure}
	return run.run()
}

// trainer is a training under way. Its state is four flat vectors: packing the
// parameters turns thousands of small operations of the optimiser into a
// dozen, and makes a checkpoint trivial.
type trainer struct {
	Training
	sim   expfam.Simulator
	scale Scale
	loss  objective
	// snapshot looks at the network on its way; may be nil.
	snapshot func(step int, prior expfam.Prior)
	// measure completes a network before it is stored; may be nil.
	measure func(*trained) error
	cache   *store.Store
	key     string

	state [states]*tensors.Tensor
	next  int // the step to do next
	curve Curve
	sum   float64 // of the losses since the last point of the curve
	spent float64 // seconds of former runs
}

// The vectors of the state, each as long as the network has parameters.
const (
	stWeights = iota
	stAverage
	stFirst  // Adam's first moment
	stSecond // Adam's second moment
	states
)

func (r *trainer) run() (*trained, error) {
	params := r.Net.Params(r.sim.Dim(), heads)
	// A state of float32 beside the one that it replaces, and the network.
	r.cache.Ready(storedir.Training, 4*(2*states+1)*int64(nn.Count(params)))
	if !r.resume(nn.Count(params)) {
		initial, err := r.initial(params)
		if err != nil {
			return nil, err
		}
		zero := make([]float32, len(initial))
		for i, values := range [states][]float32{initial, initial, zero, zero} {
			r.state[i] = tensors.FromFlatDataAndDimensions(values, len(values))
		}
	}
	step, err := r.newStep(params)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	evaluate, err := NewExec(r.Engine.Backend, func(args []*Node) *Node {
		return r.lossGraph(nn.Unpack(args[0], params), args[1:])
	})
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	defer step.close()
	defer evaluate.Finalize()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	batches := r.batches(ctx, r.next)
	heldOut := r.heldOut()

	start, saved := time.Now(), time.Now()
	every := max(1, r.Steps/evaluations)
	best, since := math.Inf(1), 0
	for _, loss := range r.curve.HeldOut {
		best, since = improve(best, since, loss)
	}
	for ; r.next < r.Steps; r.next++ {
		if time.Since(saved) > saving {
			r.curve.Seconds = r.spent + time.Since(start).Seconds()
			r.save()
			saved = time.Now()
		}
		data, ok := <-batches
		if !ok || ctx.Err() != nil {
			r.curve.Seconds = r.spent + time.Since(start).Seconds()
			hint := "run it again to go on"
			if !r.save() {
				hint = "nothing of it is stored, and the same call begins anew"
			}
			return nil, fmt.Errorf("train: %w at step %d of %d; %s", expfam.ErrInterrupted, r.next, r.Steps, hint)
		}
		scalars := r.scalars()
		out, err := step.call(r.state, scalars, data)
		if err != nil {
			return nil, fmt.Errorf("train: step %d: %w", r.next, err)
		}
		loss := float64(tensors.ToScalar[float32](out[states]))
		spent := append(append(r.state[:], data[:]...), scalars, out[states])
		if err := engine.Release(spent...); err != nil {
			return nil, fmt.Errorf("train: step %d: %w", r.next, err)
		}
		copy(r.state[:], out[:states])
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, fmt.Errorf("train: the loss is %g at step %d; lower the rate (%g) or check the draws of %v", loss, r.next, r.Rate, r.sim)
		}
		r.sum += loss
		if (r.next+1)%every != 0 && r.next+1 != r.Steps {
			continue
		}
		missed, err := r.missed(evaluate, heldOut)
		if err != nil {
			return nil, fmt.Errorf("train: held-out loss at step %d: %w", r.next, err)
		}
		r.curve.Step = append(r.curve.Step, float64(r.next+1))
		r.curve.Train = append(r.curve.Train, r.sum/float64((r.next%every)+1))
		r.curve.HeldOut = append(r.curve.HeldOut, missed)
		r.sum = 0
		if r.Progress != nil {
			r.Progress(r.next+1, r.Steps, missed)
		}
		if r.snapshot != nil {
			now, err := r.result()
			if err != nil {
				return nil, err
			}
			r.snapshot(r.next+1, snapshot{now.prior()})
		}
		if best, since = improve(best, since, missed); r.Patience > 0 && since >= r.Patience {
			break
		}
	}
	r.curve.Seconds = r.spent + time.Since(start).Seconds()
	done, err := r.result()
	if err != nil {
		return nil, err
	}
	if r.measure != nil {
		if err := r.measure(done); err != nil {
			return nil, err
		}
	}
	r.finish(done)
	return done, nil
}

// result is the network with the averaged weights.
func (r *trainer) result() (*trained, error) {
	weights, err := tensors.CopyFlatData[float32](r.state[stAverage])
	if err != nil {
		return nil, err
	}
	return &trained{net: r.Net, scale: r.scale, weights: weights, curve: r.curve}, nil
}

// improve counts evaluations since the best loss.
func improve(best float64, since int, loss float64) (float64, int) {
	if loss < best {
		return loss, 0
	}
	return best, since + 1
}
