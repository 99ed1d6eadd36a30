package increments

import (
	"context"

	"github.com/expfam/lab/expfam/learn"
)

// training holds the settings with which priors of signals are learned.
var training = learn.Training{Net: Walk{Channels: 20, Blocks: 6}, Steps: 3000, Batch: 128, Seed: 1}

// Learn returns a prior of the signals of a law, learned from simulated signals. Learning takes some ten minutes on two
// cores, and the store keeps the prior.
func Learn(ctx context.Context, law Law) (*learn.Prior, error) {
	return learn.TrainContext(ctx, Paths{law}, training)
}

// LearnIncrements returns a model of the increments of a law. [Fit] learns its prior from a million simulated
// increments in a second.
func LearnIncrements(law Law) (Model, error) {
	prior, err := Fit(law, 1_000_000, 1)
	return OfIncrements(law, "learned, of increments", prior), err
}
