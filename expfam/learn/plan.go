package learn

import (
	"context"
	"fmt"
	"time"

	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/speak"
)

// cost is the expected cost of a training.
type cost struct {
	Network    string
	Parameters int
	Steps      int // of the whole training
	From       int // steps done by former runs
	Batch      int
	// Memory is an estimate, in bytes, of the memory that training adds to the process at its peak: the activations of
	// a batch, weights, averages and the moments of the optimizer. It tends to be too large rather than too small.
	Memory int64
	// Seconds is how long the remaining steps will take, at the speed of the first ones.
	Seconds float64
}

func (p cost) String() string {
	from := ""
	if p.From > 0 {
		from = fmt.Sprintf(" from step %d on", p.From)
	}
	return fmt.Sprintf("%s of %d parameters, %d steps of %d draws%s, in about %.2g GB and %s",
		p.Network, p.Parameters, p.Steps, p.Batch, from, float64(p.Memory)/1e9,
		time.Duration(p.Seconds*float64(time.Second)).Round(roundTo(p.Seconds)))
}

// roundTo returns the unit to which a duration is rounded in a text.
func roundTo(seconds float64) time.Duration {
	if seconds < 10 {
		return 100 * time.Millisecond
	}
	return time.Second
}

// The first steps are timed until one of these limits is reached. The very first step is not timed, because
// engines compile in it.
const (
	timed     = 500 * time.Millisecond
	mostTimed = 20 // steps
)

// planner times the first steps and announces the plan.
type planner struct {
	first int // number of steps done when the timing began
	began time.Time
	over  bool // the plan has been announced
}

// look times the steps and announces the plan once. It is called after each step.
func (p *planner) look(ctx context.Context, r *trainer) {
	done := r.next + 1
	switch {
	case p.over:
	case p.began.IsZero():
		p.first, p.began = done, time.Now()
	case time.Since(p.began) >= timed || done-p.first >= mostTimed || done == r.Steps:
		p.over = true
		seconds := time.Since(p.began).Seconds() / float64(done-p.first) // of a step
		r.announce(ctx, r.plan(p.first-1, seconds*float64(r.Steps-done)))
	}
}

// plan returns the plan of a run from a step on, of which so many seconds are left.
func (r *trainer) plan(from int, seconds float64) cost {
	cells := r.sim.Dim()
	weights := nn.Count(r.Net.Params(cells, heads))
	return cost{Network: r.Net.String(), Parameters: weights, Steps: r.Steps, From: from, Batch: r.Batch,
		Memory: memory(r.Net, weights, cells, r.Batch), Seconds: seconds}
}

// memory estimates the memory of a training, in bytes. It counts 100 MB for the engine, the state twice, the
// gradient and copies of the weights in the graph, and for each draw eight times what the network keeps for
// the gradient. On ONNX Runtime the estimate is 1 to 2.4 times the memory that was measured for experts, a
// perceptron, and U-Nets of 16×16 and 32×32 cells. Pure Go takes less.
func memory(net nn.Network, weights, cells, batch int) int64 {
	return 100e6 + 4*(2*states+4)*int64(weights) + int64(4*8*nn.Footprint(net, cells, heads)*float64(batch))
}

// announce shows the plan in the bar of ctx. Without a bar it logs the plan of a training that takes long.
func (r *trainer) announce(ctx context.Context, p cost) {
	if !speak.Plan(ctx, p.String()) && p.Seconds > long {
		speak.Logger(ctx).Info("train: "+p.String(), "engine", r.Engine.String())
	}
}

// long is the number of remaining seconds above which a plan is logged.
const long = 60
