package learn

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
)

// SetSaving changes the time between two saves of a training's state, and returns what puts it back.
func SetSaving(d time.Duration) (restore func()) {
	before := saving
	saving = d
	return func() { saving = before }
}

// ScaleOf estimates the scale of a prior from n draws.
func ScaleOf(sim expfam.Simulator, n int, rng *rand.Rand) (Scale, error) {
	return scaleOf(context.Background(), sim, n, rng)
}

// NetworkKey is the key under which Train stores its result, or why there is none.
func NetworkKey(sim expfam.Simulator, t Training) (string, error) {
	t, err := t.orDefault()
	if err != nil {
		return "", err
	}
	return t.key(sim, "score", t.priorLoss())
}

// LossOf returns the loss of a training of a prior, of draws x0 and noisy draws x, for weights of the given network.
func LossOf(t Training, net nn.Network, s Scale) func(w nn.Weights, x0, x *graph.Node,
	l level.Nodes) *graph.Node {
	return t.priorLoss()(net, s)
}

// ReportOf measures the report of moments that need not be a network's, with the scale of a standard normal prior.
func ReportOf(prior expfam.Prior, sim expfam.Simulator, e *engine.Engine) (*Report, error) {
	return reportOf(context.Background(), prior, Scale{Mean: make([]float64, prior.Dim()),
		SD: slices.Repeat([]float64{1}, prior.Dim())}, sim, e, 0)
}

// PyramidOf returns the pyramid of priors of grids whose cells have a standard deviation, with no side of the coarsest
// above most.
func PyramidOf(rows, cols int, most, sd float64, s Scales, at func(rows, cols int) (expfam.Prior, error)) (*Pyramid,
	error) {
	return newPyramid(rows, cols, most, sd, s, func(rows, cols int) (gridPrior, error) {
		prior, err := at(rows, cols)
		if err != nil {
			return nil, err
		}
		return prior.(gridPrior), nil
	})
}

// ScalesOf measures a simulator on the grid of a training.
func ScalesOf(sim Resizable, rows, cols int) (Scales, error) {
	return scalesOf(context.Background(), sim, rows, cols)
}
