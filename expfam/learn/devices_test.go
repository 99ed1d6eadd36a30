package learn_test

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// TestDevicesShareABatch trains with the batch in parts. An engine with one device computes them one after another:
// what is tested is that the mean of their gradients is the gradient.
func TestDevicesShareABatch(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		c := learntest.Tiny(t)
		c.Engine, c.Steps = e, 20
		whole := learntest.Train(t, few, c).Curve
		for _, devices := range enginetest.Short(e, 1, []int{8, 2}) {
			c.Devices = devices
			parts := learntest.Train(t, few, c).Curve
			for i, want := range whole.Train {
				// Sums in another order, 1e-7 apart, that Adam magnifies where a gradient is small.
				if got := parts.Train[i]; math.Abs(got/want-1) > 1e-4 {
					t.Fatalf("%d devices: the loss at step %g is %g, in one piece %g", devices, whole.Step[i], got,
						want)
				}
			}
		}
		c.Devices = 7
		must.Refuse(learn.Train(few, c))(t)
	})
}

// concurrent is a simulator whose batches are made by several goroutines.
type concurrent struct{ Simulator }

func (concurrent) Concurrent() {}

func TestConcurrentBatchesAreTheSame(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps = 25
	one, many := learntest.Train(t, few, c), learntest.Train(t, concurrent{few}, c)
	must.Be(t, same(one, many), "%v from one goroutine, %v from many", one, many)
}

func TestSnapshots(t *testing.T) {
	c := learntest.Tiny(t)
	var steps []int
	var last Prior
	c.Snapshot = func(step int, p Prior) { steps, last = append(steps, step), p }
	final := learntest.Train(t, few, c)
	must.Be(t, len(steps) == 40 && slices.IsSorted(steps) && steps[39] == c.Steps,
		"snapshots at %v of %d steps", steps, c.Steps)
	// But for the coupling they are one prior: unguided, they draw the same bits.
	draws := func(p Prior) *mat.Dense {
		return sample(t, p, normal, make(Observations, 6),
			diffusion.Sampler{Draws: 3, Engine: c.Engine, Guidance: diffusion.Unguided{}, Fresh: true}).X
	}
	low, high := last.(Ranged).Range()
	if from, to := final.Range(); low != from || high != to || !mat.Equal(draws(last), draws(final)) {
		t.Errorf("the last snapshot is %v, the network %v", last, final)
	}
	// The grid decides which sampler is the default.
	rows, cols := last.(Lattice).Lattice()
	if r, c := final.Lattice(); rows != r || cols != c {
		t.Errorf("the last snapshot has %d rows and %d columns, the network %d and %d", rows, cols, r, c)
	}
}

// The parts of a batch are the same whatever the number of processors that share them, and
// their gradients are added in one order.
func TestTrainingsDoNotDependOnProcessors(t *testing.T) {
	e := enginetest.Fast(t)
	if !e.Shared() {
		t.Skip("this engine computes a batch in one piece")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	train := func(processors int) *learn.Prior {
		runtime.GOMAXPROCS(processors)
		return learntest.Train(t, gp.RBF{}, learn.Training{Net: nn.Experts{}, Steps: 3, Batch: 1000, Engine: e,
			Fresh: true})
	}
	one, many := train(1), train(3)
	must.Be(t, same(one, many), "%v on one processor, %v on three", one, many)
}
