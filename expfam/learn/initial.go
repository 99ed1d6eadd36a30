package learn

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/nn"
)

// measuring is the number of draws on which the measured parameters of an nn.Measured network are estimated.
const measuring = 10000

// initial returns the initial values of all parameters. The weights are random or those of From. Parameters
// that are measured get their measured values. If ctx ends meanwhile, the error is [expfam.ErrInterrupted].
func (r *trainer) initial(ctx context.Context, params []nn.Param) ([]float32, error) {
	initial := nn.Initial(params, expfam.Stream(r.Seed, "weights"))
	if r.From != nil {
		r.From.start().fill(initial, params)
	}
	network, ok := r.Net.(nn.Measured)
	if !ok {
		return initial, nil
	}
	_, unscaled := r.Net.(nn.Unscaled)
	rng := expfam.Stream(r.Seed, "measure")
	var failed error
	found, err := network.Measure(r.sim.Dim(), measuring, func(x []float64) {
		if ended(ctx) || failed != nil {
			return // what is measured is not used
		}
		if failed = drawOf(r.sim, rng, x); failed != nil {
			return
		}
		for j := range x {
			if x[j] -= r.scale.Mean[j]; !unscaled {
				x[j] /= r.scale.SD[j]
			}
		}
	})
	if ended(ctx) {
		return nil, fmt.Errorf("train: %w while %v was measured on draws; run it again", expfam.ErrInterrupted, r.Net)
	}
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, fmt.Errorf("train: %w; check the draws of %v", err, r.sim)
	}
	at := 0
	for _, p := range params {
		copy(initial[at:at+p.Size()], found[p.Name])
		at += p.Size()
	}
	return initial, nil
}
