package expfam

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/internal/logging"
	"github.com/expfam/lab/internal/speak"
)

// Plan is the expected cost of a run of a sampler.
type Plan struct {
	Draws, Batch int
	Batches      int // one after another
	Evaluations  int // of the prior's network in a batch
	// Memory is an estimate, in bytes, of the memory that sampling adds to the process at
	// its peak: weights, draws, and for each worker of the engine the activations and the
	// gradients of all Jacobian products of an evaluation. For U-Nets on ONNX Runtime the
	// estimate is one to three times the measured memory. A prior that is not [Sized] is
	// assumed to be small.
	Memory int64
}

func (p Plan) String() string {
	return fmt.Sprintf("%d draws in %d batches of %d, %d evaluations each, in about %.2g GB",
		p.Draws, p.Batches, p.Batch, p.Evaluations, float64(p.Memory)/1e9)
}

// Plan is the expected cost of a run.
func (c *Compiled) Plan() Plan {
	s := c.sampler
	return Plan{
		Draws: s.Draws, Batch: s.Batch, Batches: batches(s.Draws, s.Batch), Evaluations: len(c.steps),
		Memory: int64(s.needs(c.prior, slices.Max(c.graphs[c.plain()].products[:])).of(c.block, c.workers())) + underWay*int64(s.DType.Size()*c.prior.Dim()*s.Batch),
	}
}

// underWay is how many arrays a batch keeps from step to step: x, D' and copies of them.
const underWay = 4

// batches is how many batches so many draws take.
func batches(draws, batch int) int { return (draws + batch - 1) / batch }

// announce calls Plan, or writes the log.
func (s Sampler) announce(ctx context.Context, p Plan) {
	switch free := available(); {
	case s.Plan != nil:
		s.Plan(p)
	case float64(p.Memory) > free:
		advice := "take a smaller network or grid"
		if s.corrects() {
			advice = "give a smaller Batch"
		}
		logging.From(ctx).Warn("sample: this may need more memory than the machine has; "+advice, "plan", p.String(), "available", fmt.Sprintf("%.2g GB", free/1e9))
	case speak.Plan(ctx, p.String()):
	case p.Batches > 1:
		logging.From(ctx).Info("sample: " + p.String())
	}
}

// needs is the memory that a run takes, in bytes: Fixed, and for each of its workers
// Worker, and Draw for each draw of a block.
type needs struct{ Fixed, Worker, Draw float64 }

func (n needs) of(block, workers int) float64 {
	return n.Fixed + float64(workers)*(n.Worker+n.Draw*float64(block))
}

// needs were measured under U-Nets on ONNX Runtime by BenchmarkMemory: an
// evaluation takes up to 4 footprints and each product up to 2 more, which the
// runtime does not give back to the next. Quadrature has about a hundred arrays
// of the size of x. Compiling makes several copies of the weights.
func (s Sampler) needs(prior Prior, products int) needs {
	f, d, size := footprintOf(prior, s.Guidance), float64(prior.Dim()), float64(s.DType.Size())
	return needs{
		Fixed:  100e6 + 8*d*float64(s.Draws),
		Worker: 8 * size * f.Fixed,
		Draw:   size * (f.Draw*float64(4+2*products) + 100*d),
	}
}

// enough numbers in one evaluation keep an engine busy: larger batches are no
// faster a draw.
const enough = 1 << 25

// block is how many draws one evaluation has, whatever the Batch: engines add up
// products of matrices of other sizes in another order, so that draws of one size alone
// are the same to the bit. On a CPU 128 draws of a small network are within a third of
// the speed of any number of them, in pure Go 32, and one draw of a U-Net is as fast as
// many; a GPU wants as many as keep it busy. With a corrector the draws of a batch are one block:
// the size of its step is an average over them.
func (s Sampler) block(prior Prior) int {
	if s.corrects() {
		return s.Batch
	}
	most, numbers := 128., float64(1<<18)
	switch name, _, _ := strings.Cut(s.Engine.String(), ":"); name {
	case "xla":
		most, numbers = 1024, enough
	case "go":
		most = 32
	}
	// Matrices that are larger than all else serve many draws at a time as well.
	f, n := footprintOf(prior, s.Guidance), 1
	for most = min(most, max(numbers, f.Fixed)/f.Draw); float64(2*n) <= most; {
		n *= 2
	}
	return n
}

// usual is how many Jacobian products a guidance has, before its graph is built.
const usual = 3

// batch is the default Batch.
func (s Sampler) batch(prior Prior) int {
	n := max(1, int(enough/footprintOf(prior, s.Guidance).Draw))
	corrects := s.corrects()
	if s.Memory > 0 || !corrects {
		budget := float64(s.Memory)
		if s.Memory == 0 {
			budget = min(available()/4, 4e9)
		}
		needs := s.needs(prior, usual)
		n = max(1, min(n, int((budget-needs.Fixed-needs.Worker*float64(s.Engine.Workers()))/needs.Draw)))
	}
	if corrects {
		return n
	}
	even := batches(s.Draws, batches(s.Draws, n)) // of about the same size
	if block := s.block(prior); even < s.Draws && even > block {
		even = batches(even, block) * block
	}
	return even
}

// fit refuses draws that no memory of this machine holds, in float64 as they are
// returned, and numbers of them beyond all integers.
func (s Sampler) fit(cells int) error {
	bytes, free := 8*float64(s.Draws)*float64(cells), min(available(), 1e15)
	if bytes > free || s.First > math.MaxInt-s.Draws {
		return fmt.Errorf("sample: %d draws of %d cells from number %d on take %.3g GB, and %.3g are free; draw fewer, or shares of them on several machines (Sampler.Share)",
			s.Draws, cells, s.First, bytes/1e9, free/1e9)
	}
	return nil
}

// corrects reports whether draws of a batch depend on each other.
func (s Sampler) corrects() bool {
	if s.Method == nil {
		return false
	}
	steps, err := stepsOf(s.Method)
	return err == nil && slices.ContainsFunc(steps, func(s Step) bool { return s.SNR > 0 })
}
