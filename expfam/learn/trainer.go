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
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/speak"
	"github.com/expfam/lab/internal/storedir"
)

// trainer is a training under way. Its state is four flat vectors of all parameters. Packed like this, the parameters
// need a dozen operations of the optimiser in place of thousands of small ones, and a checkpoint is trivial.
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
	// unseen says that step next is already done, and that the held-out loss after it has still to be computed.
	unseen bool
	curve  Curve
	sum    float64 // of the training losses since the last point of the curve
	// spent is the seconds that former runs took, and began the time at which this run began its steps.
	spent float64
	began time.Time
}

// The indices of the vectors of the state. Each vector has one entry for each parameter of the network.
const (
	stWeights = iota
	stAverage
	stFirst  // the first moment of the optimizer
	stSecond // the second moment
	states
)

// run does the steps that are left, and then completes and stores the network.
func (r *trainer) run(ctx context.Context) (*trained, error) {
	params := r.Net.Params(r.sim.Dim(), heads)
	// Room for two states of float32, because a saved state is written beside the one that it replaces,
	// and for the network.
	r.cache.Ready(storedir.Training, 4*(2*states+1)*int64(nn.Count(params)))
	if err := r.begin(ctx, params); err != nil {
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

// begin takes up the state that a former run saved, or makes the initial state.
func (r *trainer) begin(ctx context.Context, params []nn.Param) error {
	if r.resume(nn.Count(params)) {
		return nil
	}
	initial, err := r.initial(ctx, params)
	if err != nil {
		return err
	}
	zero := make([]float32, len(initial))
	for i, values := range [states][]float32{initial, initial, zero, zero} {
		r.state[i] = tensors.FromFlatDataAndDimensions(values, len(values))
	}
	return nil
}

// interrupted saves the state and returns the error of an interrupt, which says how to go on.
func (r *trainer) interrupted(where string) error {
	hint := "run it again to go on"
	if !r.save() {
		hint = "nothing of it is stored, and the same call starts again from the beginning"
	}
	return fmt.Errorf("train: %w %s; %s", expfam.ErrInterrupted, where, hint)
}

// complete measures, stores and returns the network at the end of the steps.
func (r *trainer) complete(ctx context.Context) (*trained, error) {
	done, err := r.result()
	if err != nil {
		return nil, err
	}
	if r.measure != nil {
		speak.Say(ctx, "measuring the trained network")
		err := r.measure(ctx, done)
		if errors.Is(err, expfam.ErrInterrupted) {
			return nil, r.interrupted("after the last step, while the network was measured")
		}
		if err != nil {
			return nil, err
		}
	}
	r.finish(done)
	return done, nil
}

// result returns the network with the averaged weights.
func (r *trainer) result() (*trained, error) {
	weights, err := tensors.CopyFlatData[float32](r.state[stAverage])
	if err != nil {
		return nil, err
	}
	return &trained{net: r.Net, scale: r.scale, weights: weights, curve: r.curve, augmentation: r.augmentation}, nil
}

// snapshot is the prior of a training under way. It lacks Coupling, which is measured after the training.
type snapshot struct{ prior *Prior }

func (s snapshot) String() string              { return s.prior.String() }
func (s snapshot) Dim() int                    { return s.prior.Dim() }
func (s snapshot) Bounds() (low, high float64) { return s.prior.Bounds() }
func (s snapshot) Range() (low, high float64)  { return s.prior.Range() }
func (s snapshot) Lattice() (rows, cols int)   { return s.prior.Lattice() }
func (s snapshot) Footprint() expfam.Footprint { return s.prior.Footprint() }

func (s snapshot) Augmented() (parameters []law.Parameter, ahead []law.Normal, scale float64) {
	return s.prior.Augmented()
}

func (s snapshot) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	return s.prior.Moments(x, l)
}
