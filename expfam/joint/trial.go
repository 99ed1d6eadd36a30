package joint

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/latent"
)

const (
	// pilots is the number of draws of the trial that chooses the number of steps. The steps of the leapfrog become
	// shorter by the factor shorter where fewer of the trial are accepted than leastAccept, at most mostTrials times: a
	// step that suits the centre of the parameters may be too long for values under which the field varies more.
	pilots, leastAccept, shorter, mostTrials = 24, 0.85, 1.5, 6
	// mostMoves is the largest number of moves of the parameters of a draw, and offMoves how many times more they are
	// where the Laplace evidence is off.
	mostMoves, offMoves = 40, 8
	// left is the share of a first deviation that the steps leave.
	left = 0.02
	// leastSteps is the least number of transitions of the field where it costs more than a proposal of the parameters:
	// in its coordinates it hardly depends on these, so it forgets sooner where it began.
	leastSteps = 4
)

// adapt chooses the step size at a target.
func (r *run) adapt(target target) {
	rng := expfam.Stream(r.o.Seed, "joint/step")
	adapt := latent.NewAdapt(target.Rank(), 0.9)
	walker, chain := r.walker(target), latent.NewChain(target.Rank(), 0, rng)
	walker.Start(chain)
	for range 60 {
		chain.Step = adapt.Step()
		walker.Move(length, chain)
		adapt.Update(chain.Accept)
	}
	r.step = math.Min(adapt.Final(), length) // under N(0, I) any step is accepted
}

// prepare chooses the step size and the number of steps in a trial.
func (r *run) prepare(ctx context.Context) error {
	target, err := r.target(r.proposal.node(r.proposal.order[0]))
	if err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	r.adapt(target)
	transitions := r.steps
	if r.sparse != nil && !r.skewed {
		worst, _, err := shifts(r.centre, r.sparse.Seen())
		if err != nil {
			return err
		}
		if r.skewed = worst > skewed; r.skewed {
			transitions = forget
		}
	}
	r.steps, r.moves = 1, 1
	r.allocate(pilots)
	from, order := make([]*member, pilots), make([]int, pilots)
	for i := range pilots {
		from[i], order[i] = r.pool.pick(expfam.Stream(r.o.Seed, fmt.Sprintf("joint/start-%d", i)).Float64()), i
	}
	for trial := 0; ; trial++ {
		r.tried.Store(0)
		r.accepted.Store(0)
		if _, err := r.all(ctx, "trial", 0, from, order, func() {}); err != nil {
			return err
		}
		if floats.Sum(r.accept) >= leastAccept*pilots || trial == mostTrials {
			break
		}
		r.step /= shorter
	}
	r.moves = stepsFor(r.rate())
	if r.off {
		r.moves = min(mostMoves, offMoves*r.moves)
	}
	if r.steps = r.moves; r.cells > leaveCells {
		r.steps = min(r.moves, max(leastSteps, (r.moves+2)/3))
	}
	if r.skewed {
		r.steps, r.moves = max(r.steps, transitions), max(r.moves, transitions)
	}
	r.tried.Store(0)
	r.accepted.Store(0)
	return nil
}

// stepsFor returns the number of steps for a share of proposals that are accepted. A step forgets the first
// place with the probability that its proposal is accepted.
func stepsFor(rate float64) int {
	kept := 1 - math.Min(0.99, rate)
	return int(math.Min(mostMoves, math.Max(3, math.Ceil(math.Abs(math.Log(left)/math.Log(kept))))))
}

// rate returns the share of proposals of parameters that were accepted.
func (r *run) rate() float64 {
	return float64(r.accepted.Load()) / math.Max(1, float64(r.tried.Load()))
}
