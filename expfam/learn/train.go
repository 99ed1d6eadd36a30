package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/speak"
)

// Training says how to train a network. The zero value trains the default
// network of the one-dimensional benchmark in about a minute on two cores.
type Training struct {
	// Net is the network. Default nn.Experts{}, for simulators with parameters nn.Modes{}, or the network of From.
	Net nn.Network
	// From is a trained network whose weights the training starts from, in place of random ones: a [*Prior] in [Train],
	// an [*Inference] in [TrainInference]. It must be of the type of Net and have the same parameters. The parameters
	// of the default [nn.UNet] do not depend on the grid, so a network of 32×32 cells can start a network of 64×64.
	//
	// Only the weights are taken over. The mean and sd of the cells, the spectrum of a U-Net and the coupling are
	// measured on the draws of the new simulator. The moments of the optimizer begin at 0. The rate rises and falls as
	// in any training, so give a lower Rate to stay near to From.
	From Trained
	// Optimizer moves the weights. Default [Adam]. [Muon] trains a U-Net of images in a third of the time.
	Optimizer Optimizer
	// Steps is the number of steps of the optimizer. Default 3000, for simulators with parameters 4800.
	Steps int
	// Batch is the number of draws in a step. On ONNX Runtime the batch is cut into up to eight parts,
	// which the processors share. The number of parts does not depend on the number of processors.
	// Default 1000, for simulators with parameters 500.
	Batch int
	// Rate is the highest learning rate. The rate rises over the first 200 steps, and
	// then falls as a cosine to 0. Default 0.003.
	Rate float64
	// Average is the decay per step of the running mean of the weights. The trained
	// network gets this mean. Default 0.999.
	Average float64
	// Faint is the power b of the weight (s₀²/s²)ᵇ of a squared error in [Train], where s² is the network's variance of
	// x₀ | x_t in the cell, held fixed. The weight depends on x_t alone and is at most 30, so the mean of x₀ | x_t is
	// the minimiser for every b. With 0 a flat part of an image counts as little as its small error. With ½ the network
	// learns flat parts and faint textures better than large contrasts. The losses of the curve are weighted too: they
	// rise where the network becomes surer, so compare networks by their errors. Default 0. [TrainInference] does not
	// use it.
	Faint float64
	// Ahead is the number of cells at the end of the field that no datum will look at, such as the weeks of a forecast,
	// for simulators with parameters. These cells are learned as parameters are, so what data tell of the parameters
	// does not depend on them. Where other cells have no data it does, a little. [TrainInference] does not use it.
	Ahead int
	// Windows lets 0.4 of the loss be that of a window of half the sides of each image, in [Train] of a U-Net on
	// [Stationary] images. The network then serves smaller grids as well as its own ([Prior.Grid]). A step takes longer
	// by a quarter.
	Windows bool
	Seed    uint64
	// Engine runs the steps. Default engine.Default().
	Engine *engine.Engine
	// Devices is how many devices of the engine share every batch. Each device computes the gradient of its part, and
	// the first device takes the mean. Default: all devices if their number divides Batch, else 1.
	Devices int
	// Fresh ignores what is stored and stores nothing.
	Fresh bool
	// Progress is called before the engine compiles, before the first step, every second, and at the
	// about forty steps at which the loss on held-out draws is computed. At all other times the loss is NaN.
	// Default none; a cell of a notebook then shows a bar.
	Progress func(step, total int, loss float64)
	// Watch is called with all training and held-out losses so far, whenever there is a new point of the curve. The
	// losses of the runs that this training continues are included. The slices change with the next call. Default none.
	Watch func(total int, steps, train, heldOut []float64)
	// Snapshot is called about forty times in a training of [Train], with the network that Train would return if it
	// ended at that step. Use it to look at samples during the training. The coupling of this network is not measured,
	// so it is not [expfam.Coupled]. Default none.
	Snapshot func(step int, prior expfam.Prior)

	scores int // number of parameters
}

func (t Training) orDefault() (Training, error) {
	if t.Net == nil {
		t.Net = nn.Experts{}
		if t.From != nil {
			if s := t.From.start(); s != nil {
				t.Net = s.net
			}
		}
	}
	if !(t.Faint >= 0 && t.Faint <= 1) {
		return t, fmt.Errorf("train: Faint is %g; give a power from 0 to 1", t.Faint)
	}
	if t.Optimizer == nil {
		t.Optimizer = Adam{}
	}
	if c, ok := t.Optimizer.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return t, fmt.Errorf("train: %w", err)
		}
	}
	if t.scores > 0 {
		t.Steps, t.Batch = cmp.Or(t.Steps, 4800), cmp.Or(t.Batch, 500)
	}
	t.Steps = cmp.Or(t.Steps, 3000)
	t.Batch = cmp.Or(t.Batch, 1000)
	t.Rate = cmp.Or(t.Rate, 3e-3)
	t.Average = cmp.Or(t.Average, 0.999)
	if t.Steps < 1 || t.Batch < 1 || !(t.Rate > 0) || math.IsInf(t.Rate, 1) || !(t.Average > 0 && t.Average < 1) {
		return t, fmt.Errorf("train: %d steps of %d draws at rate %g, average %g; steps, batch and rate must be "+
			"positive and the average between 0 and 1", t.Steps, t.Batch, t.Rate, t.Average)
	}
	if t.Windows {
		if _, err := t.halved(); err != nil {
			return t, err
		}
	}
	if t.Engine == nil {
		e, err := engine.Default()
		if err != nil {
			return t, err
		}
		t.Engine = e
	}
	if t.Devices == 0 {
		if t.Devices = t.Engine.Backend.NumDevices(); t.Batch%t.Devices != 0 {
			t.Devices = 1
		}
	}
	if t.Devices < 0 || t.Batch%t.Devices != 0 {
		return t, fmt.Errorf("train: batches of %d on %d devices; the number must divide the batch", t.Batch, t.Devices)
	}
	return t, nil
}

// rate returns the learning rate of step i, where the first step is 0.
func (t Training) rate(i int) float64 {
	const warm = 200
	cosine := (1 + math.Cos(math.Pi*float64(i)/float64(t.Steps))) / 2
	return t.Rate * cosine * min(1, float64(i+1)/warm)
}

// Train learns a prior from draws by denoising score matching. x₀ is drawn by the
// simulator; σ is log-uniform in [0.003, 10] (85%) and in [10, 150] (15%) times the sd of
// the prior; z is standard normal, and x_t = √α x₀ + √v z. Train minimises
//
//	E mean_j [ w (m − x₀)²/s₀² + (log(s²/s₀²) + (x₀ − m̄)²/s²)/30 ],
//
// where m̄ is m held fixed, and w = 1 without [Training].Faint and without [nn.Weigher]. The first term learns the mean
// of x₀ | x_t, the second its variance. Train uses nothing of the prior but its draws.
//
// If the simulator has parameters ([ParametricSimulator]), they are learned with the field, as scores in the cells
// after it ([diffusion.Augmented]). The default network is then [nn.Modes]; give images an [nn.UNet]. Half of the draws
// have σ in [0.02, 1], where x_t decides the parameters, and rare parameters are drawn more often and weighted
// (importance.go).
//
// The result is stored. Its key is a hash of the simulator with some of its draws
// (package fingerprint), of the network's graph and of the configuration. The state is saved
// during the training. A run that is interrupted returns [expfam.ErrInterrupted]. The next call
// continues where that run stopped, with the same result to the bit on the same engine.
func Train(sim expfam.Simulator, t Training) (*Prior, error) {
	ctx, end := speak.Work("training", "held-out loss")
	defer end()
	return TrainContext(ctx, sim, t)
}

// TrainContext is [Train] with a context: it ends when ctx ends, and does not listen to
// interrupts. It logs to the logger of ctx ([expfam.WithLogger]).
func TrainContext(ctx context.Context, sim expfam.Simulator, t Training) (*Prior, error) {
	drawn, err := augment(ctx, sim, t)
	if err != nil {
		return nil, err
	}
	a := augmentedOf(drawn).augmentation
	t.scores = len(a.parameters)
	t.Net = t.augmentedNet(t.scores + len(a.ahead))
	if t, err = t.orDefault(); err != nil {
		return nil, err
	}
	done, err := train(ctx, drawn, t, task{purpose: "score", kind: aPrior, augmentation: a,
		loss: t.priorLoss(), snapshot: t.Snapshot, measure: func(ctx context.Context, done *trained) (err error) {
			if done.coupling, err = couplingOf(ctx, done.prior(), drawn, t.Engine, t.Seed); err != nil {
				return err
			}
			if len(done.parameters) == 0 {
				if done.report, err = reportOf(ctx, done.prior(), done.scale, drawn, t.Engine,
					t.Seed); err != nil {
					return err
				}
			}
			net, grid := done.net.(nn.Resizer)
			sim, ok := drawn.(Resizable)
			if _, _, uniform := done.scale.uniform(); !grid || !ok || !uniform {
				return nil
			}
			rows, cols := net.Lattice()
			// Images that do not look alike at all scales stay on their grid, and [Prior.Measure] says why.
			if done.scales, err = scalesOf(ctx, sim, rows, cols); errors.Is(err, expfam.ErrInterrupted) {
				return err
			}
			return nil
		}})
	if err != nil {
		return nil, err
	}
	return done.prior(), nil
}

// mostWeight bounds the weight of an error; see [Training].Faint. A variance that is far too small would otherwise
// make one cell count as a thousand.
const mostWeight = 30

// scoreObjective returns the loss that [Train] minimises: denoising score matching with a variance head.
func (t Training) scoreObjective(net nn.Network, scale Scale) objective {
	return func(w nn.Weights, x0, x *Node, l level.Nodes) *Node {
		_, s0, in := precondition(scale, x, l)
		mean, variance := denoise(net, w, scale, x, l)
		miss := Square(Sub(x0, mean))
		likelihood := Add(Log(variance), Div(StopGradient(miss), variance))
		error := Div(miss, Square(s0))
		if own, ok := net.(nn.Weigher); ok {
			error = own.Weigh(w, in, Sub(x0, mean))
		}
		if t.Faint != 0 {
			error = Mul(error, StopGradient(MinScalar(Pow(Div(Square(s0), variance),
				Scalar(x.Graph(), x.DType(), t.Faint)), mostWeight)))
		}
		all := func(v *Node) *Node {
			if t.scores > 0 {
				weights := Const(x.Graph(), [][]float64{cellWeights(len(scale.Mean), t.scores)})
				v = Mul(Mul(v, ConvertDType(weights, x.DType())), t.importance(scale, x0, mean, variance))
			}
			return ReduceAllMean(v)
		}
		return Add(all(error), MulScalar(all(Sub(likelihood, Log(Square(s0)))), 1/30.0))
	}
}
