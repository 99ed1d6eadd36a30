package diffusion

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/internal/speak"
)

// Plan is the expected cost of a run of a sampler.
type Plan struct {
	Draws, Batch int
	Batches      int // they run one after another
	Evaluations  int // of the prior's network, in each batch
	// Memory is an estimate, in bytes, of the memory that sampling adds to the process at its peak: weights, draws, and
	// for each worker of the engine the activations and the gradients of all Jacobian products of an evaluation. For
	// U-Nets on ONNX Runtime the estimate is one to three times the measured memory. A prior that is not [expfam.Sized]
	// is assumed to be small.
	Memory int64
}

func (p Plan) String() string {
	return fmt.Sprintf("%d draws in %d batches of %d, %d evaluations each, in about %.2g GB",
		p.Draws, p.Batches, p.Batch, p.Evaluations, float64(p.Memory)/1e9)
}

// batchesInFlight is the number of arrays that a batch keeps from step to step: x, D' and copies of them.
const batchesInFlight = 4

// batchCount returns the number of batches that the draws take.
func batchCount(draws, batch int) int { return (draws + batch - 1) / batch }

// announce passes the plan to Sampler.Plan if that is set. Otherwise it logs a warning if the run may need more
// memory than is available. If there is no warning, a bar in a notebook's cell shows the plan. Without a bar, the
// log shows the plan of a run of several batches.
func (s Sampler) announce(ctx context.Context, p Plan) {
	switch free := machine.Available(); {
	case s.Plan != nil:
		s.Plan(p)
	case float64(p.Memory) > free:
		advice := "take a smaller network or grid"
		if s.corrects() {
			advice = "give a smaller Batch"
		}
		speak.Logger(ctx).Warn("sample: this may need more memory than the machine has; "+advice, "plan", p.String(),
			"available", fmt.Sprintf("%.2g GB", free/1e9))
	case speak.Plan(ctx, p.String()):
	case p.Batches > 1:
		speak.Logger(ctx).Info("sample: " + p.String())
	}
}

// memoryNeeds is the memory that a run takes, in bytes. Fixed is needed once, Worker by each worker of the engine,
// and Draw by each worker for each draw of a block.
type memoryNeeds struct{ Fixed, Worker, Draw float64 }

// of returns the memory of a run with blocks of so many draws and so many workers.
func (n memoryNeeds) of(block, workers int) float64 {
	return n.Fixed + float64(workers)*(n.Worker+n.Draw*float64(block))
}

// needs returns the memory of a run whose evaluations take a number of Jacobian products. Its factors were
// measured under U-Nets on ONNX Runtime by BenchmarkMemory. An evaluation takes up to 4 footprints. Each
// product takes up to 2 more, which the runtime does not give back to the next product. Quadrature has about a
// hundred arrays of the size of x. Compiling makes several copies of the weights.
func (s Sampler) needs(prior expfam.Prior, products int) memoryNeeds {
	f, d, size := footprintOf(prior, s.Guidance), float64(prior.Dim()), float64(s.DType.Size())
	return memoryNeeds{
		Fixed:  160e6 + 8*d*float64(s.Draws),
		Worker: 8 * size * f.Fixed,
		Draw:   size * (f.Draw*float64(4+2*products) + 100*d),
	}
}

// busyNumbers is how many numbers in one evaluation keep an engine busy. Larger batches are no faster per draw.
const busyNumbers = 1 << 25

// block returns the number of draws of one evaluation, which is the same whatever the Batch. Engines add up products of
// matrices of different sizes in different orders, so only blocks of one size give draws that are the same to the bit.
// On a CPU, blocks of 128 draws of a small network (in pure Go, 32) are within a third of the speed of blocks of any
// size, and blocks of one draw of a U-Net are as fast as larger ones. A GPU takes as many draws as keep it busy. With a
// corrector the draws of a batch are one block, because the size of the corrector's step is an average over them.
func (s Sampler) block(prior expfam.Prior) int {
	if s.corrects() {
		return s.Batch
	}
	most, numbers := 128., float64(1<<18)
	switch name, _, _ := strings.Cut(s.Engine.String(), ":"); name {
	case "xla":
		most, numbers = 1024, busyNumbers
	case "go":
		most = 32
	}
	// If the weights are more than numbers, a block has more draws: large matrices serve many draws at a time.
	f, n := footprintOf(prior, s.Guidance), 1
	for most = min(most, max(numbers, f.Fixed)/f.Draw); float64(2*n) <= most; {
		n *= 2
	}
	return n
}

// assumedProducts is how many Jacobian products a guidance is taken to have before its graph is built.
const assumedProducts = 3

// batch returns the default Batch, which fits into a quarter of the free memory, at most 4 GB. With a corrector there
// is no bound, because its batches determine its draws.
func (s Sampler) batch(prior expfam.Prior) int {
	return s.batchWithin(prior, min(machine.Available()/4, 4e9))
}

// batchWithin returns the default Batch for a number of bytes. The batch would fit if all of its draws were evaluated
// at once. Engines evaluate blocks, which take less; see [Plan].
func (s Sampler) batchWithin(prior expfam.Prior, budget float64) int {
	n := max(1, int(busyNumbers/footprintOf(prior, s.Guidance).Draw))
	if s.corrects() {
		return n
	}
	needs := s.needs(prior, assumedProducts)
	n = max(1, min(n, int((budget-needs.Fixed-needs.Worker*float64(s.Engine.Workers()))/needs.Draw)))
	even := batchCount(s.Draws, batchCount(s.Draws, n)) // batches of about the same size
	if block := s.block(prior); even < s.Draws && even > block {
		even = batchCount(even, block) * block
	}
	return even
}

// checkDrawsFit refuses more draws than the free memory holds, in float64 as they are returned. It also refuses draws
// whose numbers are beyond the largest integer.
func (s Sampler) checkDrawsFit(cells int) error {
	bytes, free := 8*float64(s.Draws)*float64(cells), min(machine.Available(), 1e15)
	if bytes > free || s.First > math.MaxInt-s.Draws {
		return fmt.Errorf("sample: %d draws of %d cells from number %d on take %.3g GB, and %.3g are free; draw "+
			"fewer, or shares of them on several machines (Sampler.Share)",
			s.Draws, cells, s.First, bytes/1e9, free/1e9)
	}
	return nil
}

// mostEstimate is by how much the memory of a run is overestimated at most; see [Plan].
const mostEstimate = 3

// checkMemory refuses a prior of which one evaluation does not fit into the free memory.
func (s *setup) checkMemory() error {
	n, free := s.sampler.needs(s.prior, assumedProducts), machine.Available()
	if bytes := n.of(s.block, s.workers) / mostEstimate; bytes > free {
		return fmt.Errorf("sample: an evaluation of %d cells takes at least %.3g GB, and %.3g are free; take a "+
			"smaller grid or network", s.prior.Dim(), bytes/1e9, free/1e9)
	}
	return nil
}

// corrects reports whether the method has a corrector, so that draws of a batch depend on each other.
func (s Sampler) corrects() bool {
	if s.Method == nil {
		return false
	}
	steps, err := stepsOf(s.Method)
	return err == nil && slices.ContainsFunc(steps, func(s Step) bool { return s.SNR > 0 })
}

// Footprint returns the footprint of the inference network.
func (e Evidence) Footprint() expfam.Footprint { return inferrerFootprint(e.Inference) }

// Footprint returns the footprint of the inference network.
func (e Corrected) Footprint() expfam.Footprint { return inferrerFootprint(e.Inference) }

// Footprint returns the footprint of the inference network.
func (e Tempered) Footprint() expfam.Footprint { return inferrerFootprint(e.Inference) }

func inferrerFootprint(i Inferrer) expfam.Footprint {
	if i, ok := i.(expfam.Sized); ok {
		return i.Footprint()
	}
	return expfam.Footprint{}
}

// footprintOf returns the footprint of a prior and a guidance together.
func footprintOf(prior expfam.Prior, g Guidance) expfam.Footprint {
	sum := expfam.Footprint{Draw: 8 * float64(prior.Dim())}
	if prior, ok := prior.(expfam.Sized); ok {
		own := prior.Footprint()
		sum = expfam.Footprint{Fixed: own.Fixed, Draw: max(sum.Draw, own.Draw)}
	}
	if g, ok := g.(expfam.Sized); ok {
		own := g.Footprint()
		sum.Fixed, sum.Draw = sum.Fixed+own.Fixed, sum.Draw+own.Draw
	}
	return sum
}
