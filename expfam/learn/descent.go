package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// evaluations is how often a full training computes the held-out loss.
const evaluations = 40

// saving is the time between two saves of the state. A step that is under way is finished before the save.
var saving = 20 * time.Second

// telling is the time between two calls of Progress at steps without a held-out loss.
const telling = time.Second

// descend does the steps that are left.
func (r *trainer) descend(ctx context.Context, step *step, evaluate *Exec) error {
	from := r.next
	if r.unseen {
		from++
	}
	// The simulator may serve one goroutine only. So the held-out draws come before the goroutines that make batches
	// begin, and these have ended when descend returns.
	heldOut, err := r.heldOut(ctx)
	if err != nil {
		return err
	}
	making, stop := context.WithCancel(ctx)
	batches, stopped := r.batches(making, from)
	defer stopped.Wait()
	defer stop()
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
			made, ok := <-batches
			if !ok || ctx.Err() != nil {
				return r.interrupted(fmt.Sprintf("at step %d of %d", r.next, r.Steps))
			}
			if made.err != nil {
				r.save()
				return made.err
			}
			if err := r.advance(step, made.data); err != nil {
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
		err = r.look(ctx, evaluate, heldOut, r.next%every+1)
		if errors.Is(err, expfam.ErrInterrupted) {
			return r.interrupted(fmt.Sprintf("at step %d of %d", r.next+1, r.Steps))
		}
		if err != nil {
			return err
		}
		r.unseen, told = false, time.Now()
	}
	r.clock()
	return nil
}

// advance does one step of the optimizer.
func (r *trainer) advance(step *step, data [3]*tensors.Tensor) error {
	scalars := r.scalars()
	out, err := step.call(r.state, scalars, data)
	if err != nil {
		return r.failed(err)
	}
	loss := float64(tensors.ToScalar[float32](out[states]))
	spent := append(append(r.state[:], data[:]...), scalars, out[states])
	if err := engine.Release(spent...); err != nil {
		return fmt.Errorf("train: step %d: %w", r.next, err)
	}
	copy(r.state[:], out[:states])
	if !finite(loss) {
		return fmt.Errorf("train: the loss is %g at step %d; lower the rate (%g) or check the draws of %v", loss,
			r.next, r.Rate, r.sim)
	}
	r.sum += loss
	return nil
}

// failed returns the error of a step, with a way out if the memory of a GPU is full, as XLA says.
func (r *trainer) failed(err error) error {
	if text := strings.ToLower(err.Error()); strings.Contains(text, "out of memory") {
		return fmt.Errorf("train: step %d: %v has no memory for batches of %d draws; set a smaller Batch: %w", r.next,
			r.Engine, r.Batch, err)
	}
	return fmt.Errorf("train: step %d: %w", r.next, err)
}

// look computes the held-out loss and adds a point to the curve. Steps is the number of steps since the
// point before. Look then calls Progress, Watch and the snapshot.
func (r *trainer) look(ctx context.Context, evaluate *Exec, heldOut [][3]*tensors.Tensor, steps int) error {
	missed, err := r.missed(ctx, evaluate, heldOut)
	if err == nil && !finite(missed) { // the loss of a step does not see what the step makes of the weights
		err = fmt.Errorf("it is %g; lower the rate (%g) or check the draws of %v", missed, r.Rate, r.sim)
	}
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

// progress calls Progress, unless a former run has already done all steps.
func (r *trainer) progress(done int, loss float64) {
	if r.Progress != nil && r.next < r.Steps {
		r.Progress(done, r.Steps, loss)
	}
}

// watch calls Watch if the curve has a point, unless a former run has already done all steps.
func (r *trainer) watch() {
	if r.Watch != nil && len(r.curve.Step) > 0 && r.next < r.Steps {
		r.Watch(r.Steps, r.curve.Step, r.curve.Train, r.curve.HeldOut)
	}
}

// clock writes the seconds that all runs together have taken into the curve.
func (r *trainer) clock() { r.curve.Seconds = r.spent + time.Since(r.began).Seconds() }
