package learn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/logging"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/speak"
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

// telling is the time between two calls of Progress where no loss is taken.
const telling = time.Second

// task is what is trained.
type task struct {
	// purpose tells apart networks that the same configuration trains.
	purpose string
	// kind is what is trained, aPrior or anInferrer.
	kind string
	loss func(net nn.Network, scale Scale) objective
	// snapshot looks at the network on its way; may be nil.
	snapshot func(step int, prior expfam.Prior)
	// measure completes a network before it is stored; may be nil.
	measure func(ctx context.Context, done *trained) error
}

// train runs Adam on a task, or loads what a former run left.
func train(ctx context.Context, sim expfam.Simulator, t Training, what task) (*trained, error) {
	t, err := t.orDefault()
	if err != nil {
		return nil, err
	}
	if err := t.suits(sim); err != nil {
		return nil, err
	}
	if err := t.begins(sim.Dim(), what.kind); err != nil {
		return nil, err
	}
	if bar := speak.From(ctx); bar != nil && t.Progress == nil {
		t.Progress = bar.Step
	}
	run := &trainer{Training: t, task: what, sim: sim, log: logging.From(ctx)}
	if !t.Fresh {
		if run.key, err = t.key(sim, what.purpose, what.loss); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
		run.cache = store.UseContext(ctx)
		if done := run.stored(); done != nil {
			return done, nil
		}
	}
	if run.scale, err = ScaleOf(sim, 10000, expfam.Stream(t.Seed, "scale")); err != nil {
		return nil, err
	}
	run.objective = what.loss(t.compute(), run.scale)
	return run.run(ctx)
}

// suits refuses a simulator that the network cannot be trained on.
func (t Training) suits(sim expfam.Simulator) error {
	if sim == nil {
		return errors.New("train: there is nothing to draw from; give a Simulator, such as gp.RBF{}")
	}
	if err := expfam.CheckPrior(sim); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	d := sim.Dim()
	if d < 1 {
		return fmt.Errorf("train: %v has %d cells; it needs at least 1", sim, d)
	}
	if c, ok := t.Net.(nn.Checker); ok {
		if err := c.Check(d); err != nil {
			return fmt.Errorf("train: %w", err)
		}
	}
	return nil
}

// trainer is a training under way. Its state is four flat vectors: packing the
// parameters turns thousands of small operations of the optimiser into a
// dozen, and makes a checkpoint trivial.
type trainer struct {
	Training
	task
	sim       expfam.Simulator
	scale     Scale
	objective objective
	cache     *store.Store
	key       string
	log       *slog.Logger

	state [states]*tensors.Tensor
	next  int // the step to do next
	// unseen says that the state has step next already, whose loss on held-out draws is still to be taken.
	unseen bool
	curve  Curve
	sum    float64 // of the losses since the last point of the curve
	// Seconds of former runs, and when this one began its steps.
	spent float64
	began time.Time
}

// The vectors of the state, each as long as the network has parameters.
const (
	stWeights = iota
	stAverage
	stFirst  // Adam's first moment
	stSecond // Adam's second moment
	states
)

func (r *trainer) run(ctx context.Context) (*trained, error) {
	params := r.Net.Params(r.sim.Dim(), heads)
	// A state of float32 beside the one that it replaces, and the network.
	r.cache.Ready(storedir.Training, 4*(2*states+1)*int64(nn.Count(params)))
	if err := r.begin(params); err != nil {
		return nil, err
	}
	r.progress(r.next, math.NaN())
	r.watch()
	step, err := r.newStep(params)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	defer step.close()
	evaluate, err := NewExec(r.Engine.Backend, func(args []*Node) *Node {
		return r.lossGraph(nn.Unpack(args[0], params), args[1:])
	})
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	defer evaluate.Finalize()
	if err := r.descend(ctx, step, evaluate); err != nil {
		return nil, err
	}
	return r.complete(ctx)
}

// begin takes up the state of a former run, or makes the first one.
func (r *trainer) begin(params []nn.Param) error {
	if r.resume(nn.Count(params)) {
		return nil
	}
	initial, err := r.initial(params)
	if err != nil {
		return err
	}
	zero := make([]float32, len(initial))
	for i, values := range [states][]float32{initial, initial, zero, zero} {
		r.state[i] = tensors.FromFlatDataAndDimensions(values, len(values))
	}
	return nil
}

// descend does all steps that are left, or as many as have patience.
func (r *trainer) descend(ctx context.Context, step *step, evaluate *Exec) error {
	making, stop := context.WithCancel(ctx) // ends the making of batches
	defer stop()
	from := r.next
	if r.unseen {
		from++
	}
	batches, heldOut := r.batches(making, from), r.heldOut()
	r.began = time.Now()
	saved, told := r.began, r.began
	r.progress(r.next, math.NaN())
	var plan planner
	every := max(1, r.Steps/evaluations)
	for ; r.next < r.Steps; r.next++ {
		if !r.unseen {
			if time.Since(saved) > saving {
				r.save()
				saved = time.Now()
			}
			data, ok := <-batches
			if !ok || ctx.Err() != nil {
				return r.interrupted(fmt.Sprintf("at step %d of %d", r.next, r.Steps))
			}
			if err := r.advance(step, data); err != nil {
				return err
			}
			plan.look(ctx, r)
			if (r.next+1)%every != 0 && r.next+1 != r.Steps {
				if time.Since(told) > telling {
					r.progress(r.next+1, math.NaN())
					told = time.Now()
				}
				continue
			}
		}
		r.unseen = true
		err := r.look(ctx, evaluate, heldOut, r.next%every+1)
		if errors.Is(err, expfam.ErrInterrupted) {
			return r.interrupted(fmt.Sprintf("at step %d of %d", r.next+1, r.Steps))
		}
		if err != nil {
			return err
		}
		r.unseen, told = false, time.Now()
		if r.Patience > 0 && r.stalled() >= r.Patience {
			break
		}
	}
	r.clock()
	return nil
}

// advance is one step of Adam.
func (r *trainer) advance(step *step, data [3]*tensors.Tensor) error {
	scalars := r.scalars()
	out, err := step.call(r.state, scalars, data)
	if err != nil {
		return fmt.Errorf("train: step %d: %w", r.next, err)
	}
	loss := float64(tensors.ToScalar[float32](out[states]))
	spent := append(append(r.state[:], data[:]...), scalars, out[states])
	if err := engine.Release(spent...); err != nil {
		return fmt.Errorf("train: step %d: %w", r.next, err)
	}
	copy(r.state[:], out[:states])
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("train: the loss is %g at step %d; lower the rate (%g) or check the draws of %v", loss, r.next, r.Rate, r.sim)
	}
	r.sum += loss
	return nil
}

// look adds a point to the curve, so many steps after the last one, and shows how far
// the training has come.
func (r *trainer) look(ctx context.Context, evaluate *Exec, heldOut [][3]*tensors.Tensor, steps int) error {
	missed, err := r.missed(ctx, evaluate, heldOut)
	if err != nil {
		return fmt.Errorf("train: held-out loss at step %d: %w", r.next, err)
	}
	r.curve.Step = append(r.curve.Step, float64(r.next+1))
	r.curve.Train = append(r.curve.Train, r.sum/float64(steps))
	r.curve.HeldOut = append(r.curve.HeldOut, missed)
	r.sum = 0
	r.progress(r.next+1, missed)
	r.watch()
	if r.snapshot == nil {
		return nil
	}
	now, err := r.result()
	if err != nil {
		return err
	}
	r.snapshot(r.next+1, snapshot{now.prior()})
	return nil
}

// progress calls Progress before all steps are done and when they are.
func (r *trainer) progress(done int, loss float64) {
	if r.Progress != nil && r.next < r.Steps {
		r.Progress(done, r.Steps, loss)
	}
}

// watch calls Watch, if there is something to see.
func (r *trainer) watch() {
	if r.Watch != nil && len(r.curve.Step) > 0 && r.next < r.Steps {
		r.Watch(r.Steps, r.curve.Step, r.curve.Train, r.curve.HeldOut)
	}
}

// stalled counts the evaluations since the best held-out loss.
func (r *trainer) stalled() (since int) {
	best := math.Inf(1)
	for _, loss := range r.curve.HeldOut {
		if since++; loss < best {
			best, since = loss, 0
		}
	}
	return since
}

// clock writes the time that all runs took into the curve.
func (r *trainer) clock() { r.curve.Seconds = r.spent + time.Since(r.began).Seconds() }

// interrupted keeps the state and says how to go on.
func (r *trainer) interrupted(where string) error {
	hint := "run it again to go on"
	if !r.save() {
		hint = "nothing of it is stored, and the same call starts again from the beginning"
	}
	return fmt.Errorf("train: %w %s; %s", expfam.ErrInterrupted, where, hint)
}

// complete measures and stores the network that the steps have made.
func (r *trainer) complete(ctx context.Context) (*trained, error) {
	done, err := r.result()
	if err != nil {
		return nil, err
	}
	if r.measure != nil {
		speak.Say(ctx, "measuring the trained network")
		err := r.measure(ctx, done)
		if errors.Is(err, expfam.ErrInterrupted) {
			r.next = r.Steps // patience may have left steps undone
			return nil, r.interrupted("after the last step, while the network was measured")
		}
		if err != nil {
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
