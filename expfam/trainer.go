package expfam

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// objective is the loss of one batch: x0 and x (batch, d), levels (batch, 1).
type objective func(w nn.Weights, x0, x *Node, l LevelNodes) *Node

// trained is what a training ends with.
type trained struct {
	net     nn.Network
	scale   Scale
	weights []float32
	curve   Curve
	// coupling at couplingLevels, of a score network alone.
	coupling []float64
}

// trainingRevision is part of the key of stored networks: it goes up when the
// same configuration trains another network.
const trainingRevision = 1

// evaluations is how often the held-out loss is taken in a full training.
const evaluations = 40

// saving is the longest time between two saves of the state.
const saving = 20 * time.Second

// train runs Adam on an objective, or loads what a former run left. The
// purpose tells apart networks that the same configuration trains.
func train(sim Simulator, t Training, purpose string, make func(nn.Network, Scale) objective, measure func(*trained) error) (*trained, error) {
	t, err := t.orDefault()
	if err != nil {
		return nil, err
	}
	var cache *store.Store
	key := store.Key(purpose, trainingRevision, sim.String(), t.Net, t.Steps, t.Batch, t.Rate, t.Average, t.Norm, t.Patience, t.Seed, t.Engine.String())
	if !t.Fresh {
		if cache, err = store.Open(""); err != nil {
			return nil, fmt.Errorf("train: %w; set Fresh to train without a store", err)
		}
		if done := loadTrained(cache, "network", key, t.Net); done != nil {
			return done, nil
		}
	}
	scale, err := ScaleOf(sim, 10000, Stream(t.Seed, "scale"))
	if err != nil {
		return nil, err
	}
	run := &trainer{Training: t, sim: sim, scale: scale, heads: 2, cache: cache, key: key, loss: make(t.Net, scale), measure: measure}
	return run.run()
}

// trainer is a training under way. Its state is four flat vectors: packing the
// parameters turns thousands of small operations of the optimiser into a
// dozen, and makes a checkpoint trivial.
type trainer struct {
	Training
	sim   Simulator
	scale Scale
	heads int
	loss  objective
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
	params := r.Net.Params(r.sim.Dim(), r.heads)
	if !r.resume(nn.Count(params)) {
		initial := nn.Initial(params, Stream(r.Seed, "weights"))
		zero := make([]float32, len(initial))
		for i, values := range [states][]float32{initial, initial, zero, zero} {
			r.state[i] = tensors.FromFlatDataAndDimensions(values, len(values))
		}
	}
	step, err := NewExec(r.Engine.Backend, r.stepGraph(params))
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	evaluate, err := NewExec(r.Engine.Backend, func(args []*Node) *Node {
		return r.lossGraph(nn.Unpack(args[0], params), args[1:])
	})
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	defer step.Finalize()
	defer evaluate.Finalize()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	batches := r.batches(ctx, r.next)
	heldOut := r.draw("held-out")

	start, saved := time.Now(), time.Now()
	every := max(1, r.Steps/evaluations)
	best, since := math.Inf(1), 0
	for _, loss := range r.curve.HeldOut {
		best, since = improve(best, since, loss)
	}
	for ; r.next < r.Steps; r.next++ {
		data, ok := <-batches
		if !ok || ctx.Err() != nil {
			r.curve.Seconds = r.spent + time.Since(start).Seconds()
			return nil, errors.Join(fmt.Errorf("train: %w at step %d of %d; run it again to go on", ErrInterrupted, r.next, r.Steps), r.save())
		}
		scalars := r.scalars()
		out, err := step.Call(r.state[0], r.state[1], r.state[2], r.state[3], scalars, data[0], data[1], data[2])
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
		held, err := evaluate.Call(r.state[stAverage], heldOut[0], heldOut[1], heldOut[2])
		if err != nil {
			return nil, fmt.Errorf("train: held-out loss at step %d: %w", r.next, err)
		}
		missed := float64(tensors.ToScalar[float32](held[0]))
		if err := engine.Release(held...); err != nil {
			return nil, err
		}
		r.curve.Step = append(r.curve.Step, float64(r.next+1))
		r.curve.Train = append(r.curve.Train, r.sum/float64((r.next%every)+1))
		r.curve.HeldOut = append(r.curve.HeldOut, missed)
		r.sum = 0
		if r.Progress != nil {
			r.Progress(r.next+1, r.Steps, missed)
		}
		if best, since = improve(best, since, missed); r.Patience > 0 && since >= r.Patience {
			break
		}
		if time.Since(saved) > saving {
			r.next++
			r.curve.Seconds = r.spent + time.Since(start).Seconds()
			if err := r.save(); err != nil {
				return nil, err
			}
			r.next--
			saved = time.Now()
		}
	}
	r.curve.Seconds = r.spent + time.Since(start).Seconds()
	weights, err := tensors.CopyFlatData[float32](r.state[stAverage])
	if err != nil {
		return nil, err
	}
	done := &trained{net: r.Net, scale: r.scale, weights: weights, curve: r.curve}
	if r.measure != nil {
		if err := r.measure(done); err != nil {
			return nil, err
		}
	}
	return done, r.finish(done)
}

// improve counts evaluations since the best loss.
func improve(best float64, since int, loss float64) (float64, int) {
	if loss < best {
		return loss, 0
	}
	return best, since + 1
}

const (
	adamFirst   = 0.9
	adamSecond  = 0.999
	adamEpsilon = 1e-8
)

// scalars are what changes with the step alone: the learning rate with Adam's
// bias corrections, and the decay of the average, which starts short.
func (r *trainer) scalars() *tensors.Tensor {
	i := float64(r.next + 1)
	return tensors.FromValue([]float32{
		float32(r.rate(r.next) / (1 - math.Pow(adamFirst, i))),
		float32(1 / (1 - math.Pow(adamSecond, i))),
		float32(min(r.Average, (1+i)/(10+i))),
	})
}

// stepGraph is one step of Adam with a bounded gradient norm.
func (r *trainer) stepGraph(params []nn.Param) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		weights, average, first, second := args[stWeights], args[stAverage], args[stFirst], args[stSecond]
		scalar := func(i int) *Node { return Slice(args[states], AxisRange(i, i+1)) }
		w := nn.Unpack(weights, params)
		loss := r.lossGraph(w, args[states+1:])
		leaves := make([]*Node, len(params))
		for i, p := range params {
			leaves[i] = w[p.Name]
		}
		gradients := Gradient(loss, leaves...)
		for i, g := range gradients {
			gradients[i] = Reshape(g, g.Shape().Size())
		}
		g := Concatenate(gradients, 0)
		norm := Sqrt(ReduceAllSum(Square(g)))
		g = Mul(g, Div(Scalar(g.Graph(), dtypes.Float32, r.Norm), MaxScalar(norm, r.Norm)))

		first = Add(MulScalar(first, adamFirst), MulScalar(g, 1-adamFirst))
		second = Add(MulScalar(second, adamSecond), MulScalar(Square(g), 1-adamSecond))
		move := Div(Mul(first, scalar(0)), AddScalar(Sqrt(Mul(second, scalar(1))), adamEpsilon))
		weights = Sub(weights, move)
		average = Add(weights, Mul(Sub(average, weights), scalar(2)))
		return []*Node{weights, average, first, second, loss}
	}
}

// lossGraph is the objective on data (x₀, z, σ).
func (r *trainer) lossGraph(w nn.Weights, data []*Node) *Node {
	x0, z, sigma := data[0], data[1], data[2]
	sqrtAlpha := Reciprocal(Sqrt(OnePlus(Square(sigma))))
	l := LevelNodes{SqrtAlpha: sqrtAlpha, V: Square(Mul(sigma, sqrtAlpha))}
	x := Mul(sqrtAlpha, Add(x0, Mul(sigma, z)))
	return r.loss(w, x0, x, l)
}

// batches makes the data of the steps ahead of time, each from a stream of its
// own, so that a resumed run sees what an uninterrupted one does.
func (r *trainer) batches(ctx context.Context, first int) <-chan [3]*tensors.Tensor {
	ch := make(chan [3]*tensors.Tensor, 2)
	go func() {
		defer close(ch)
		for i := first; i < r.Steps; i++ {
			select {
			case ch <- r.draw(fmt.Sprintf("batch/%d", i)):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

// draw is a batch (x₀, z, σ).
func (r *trainer) draw(stream string) [3]*tensors.Tensor {
	rng, d := Stream(r.Seed, stream), r.sim.Dim()
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

// noise is the training distribution of σ, in units of the prior's sd:
// log-uniform over what matters for a posterior, [0.003, 10], and in 15 of 100
// draws over the approach to pure noise, [10, 150].
func noise(rng *rand.Rand) float64 {
	if rng.Float64() < 0.85 {
		return 0.003 * math.Pow(10/0.003, rng.Float64())
	}
	return 10 * math.Pow(15, rng.Float64())
}

func rms(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(v)))
}
