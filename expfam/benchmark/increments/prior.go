package increments

import (
	"context"

	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
)

// training is how priors of the benchmark are learned.
var training = learn.Training{Net: nn.Walk{Channels: 20, Blocks: 6}, Steps: 3000, Batch: 128, Seed: 1}

// Learn is a prior of the signals of a law, learned from simulated ones. It takes some ten minutes on two
// cores, and the store keeps it.
func Learn(ctx context.Context, law Law) (*learn.Prior, error) {
	return learn.TrainContext(ctx, Paths{law}, training)
}
