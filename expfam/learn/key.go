package learn

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/internal/graphcheck"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// trainingRevision is part of the key of stored networks. Raise it when a change of the code makes the same
// configuration train another network.
const trainingRevision = 3

// key returns a hash of all that determines a trained network: what the simulator draws, the graph of a
// step, and the numbers of the configuration. The graph shows what the code of the network and of the loss
// computes. It is built with a fixed stand-in for the scale, which would take thousands of draws to
// estimate; the draws, which are part of the key, determine the scale.
func (t Training) key(sim expfam.Simulator, purpose string, make func(nn.Network, Scale) objective) (string, error) {
	draws, err := fingerprint.Simulator(sim, expfam.Stream)
	if err != nil {
		return "", err
	}
	d := sim.Dim()
	params := t.Net.Params(d, heads)
	scale := Scale{Mean: slices.Repeat([]float64{0.25}, d), SD: slices.Repeat([]float64{1.5}, d)}
	r := &trainer{Training: t, sim: sim, scale: scale, objective: make(t.Net, scale)}
	state, batch := shapes.Make(dtypes.Float32, nn.Count(params)), shapes.Make(dtypes.Float32, 2, d)
	program, err := graphcheck.Fingerprint(t.Engine.Backend,
		[]shapes.Shape{state, state, state, state, shapes.Make(dtypes.Float32, len(t.Optimizer.Scalars(0, t.Rate))+1),
			batch, batch, shapes.Make(dtypes.Float32, 2, 1)}, r.stepGraph(params))
	if err != nil {
		return "", err
	}
	var measured any
	if m, ok := t.Net.(nn.Measured); ok {
		measured = fingerprint.Attempt(func() (any, error) {
			rng := expfam.Stream(0, "fingerprint")
			return m.Measure(d, 2, func(x []float64) {
				for j := range x {
					x[j] = rng.NormFloat64()
				}
			})
		})
	}
	// The 0 was an option. It stays, so that stored networks are found.
	parts := []any{purpose, trainingRevision, draws, fingerprint.NameOf(t.Net), params, program, measured, t.Steps,
		t.Batch, t.Rate, t.Average, longest, 0, r.parts(), t.Seed, t.Engine.String(), t.Engine.Version()}
	if t.Ahead != 0 { // without Ahead the key is the one from before Ahead existed
		parts = append(parts, "ahead", t.Ahead)
	}
	if from := t.from(); from != "" { // without From the key is the one from before From existed
		parts = append(parts, "from", from)
	}
	if _, adam := t.Optimizer.(Adam); !adam { // likewise
		parts = append(parts, "optimizer", t.Optimizer.String(), t.Optimizer.Scalars(0, 1), t.Optimizer.Scalars(99, 1))
	}
	return store.Key(parts...), nil
}
