package learn

import (
	"context"
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/speak"
)

// objective returns the mean loss of a batch: x0 holds the draws x₀ and x the noisy x_t, both
// (batch, d), and l their noise levels, (batch, 1).
type objective func(w nn.Weights, x0, x *Node, l level.Nodes) *Node

// trained is a trained network, with all that is stored with it.
type trained struct {
	net     nn.Network
	scale   Scale
	weights []float32
	curve   Curve
	// coupling holds the coupling at each of couplingLevels. Only a score network has it.
	coupling []float64
	scales   Scales  // of a score network of images whose simulator is [Resizable]
	report   *Report // of a score network without parameters
	augmentation
}

// heads is the number of outputs per cell: mean and variance for a score network, location and
// concentration for an inference network.
const heads = 2

// task describes a network to train. Its fields are what differs between priors and inference networks.
type task struct {
	// purpose is a part of the key of the stored network. It tells apart networks of different tasks
	// that have the same configuration.
	purpose string
	// kind is aPrior or anInferrer.
	kind         string
	loss         func(net nn.Network, scale Scale) objective
	augmentation // of the last cells
	// snapshot is called with the network at each point of the curve; see [Training].Snapshot. It may be nil.
	snapshot func(step int, prior expfam.Prior)
	// measure adds to a trained network what is measured on it, before it is stored. It may be nil.
	measure func(ctx context.Context, done *trained) error
}

// train returns the trained network of a task. It loads the network if it is stored. Otherwise it runs
// the optimizer, from the state that an interrupted run saved or from the beginning.
func train(ctx context.Context, sim expfam.Simulator, t Training, what task) (*trained, error) {
	t, err := t.orDefault()
	if err != nil {
		return nil, err
	}
	if err := t.suits(sim); err != nil {
		return nil, err
	}
	if err := t.begins(sim.Dim(), what.kind); err != nil {
		return nil, err
	}
	if bar := speak.From(ctx); bar != nil && t.Progress == nil {
		t.Progress = bar.Step
	}
	run := &trainer{Training: t, task: what, sim: sim, log: speak.Logger(ctx)}
	if !t.Fresh {
		if run.key, err = t.key(sim, what.purpose, what.loss); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
		run.cache = store.UseContext(ctx)
		if done := run.stored(); done != nil {
			return done, nil
		}
	}
	if run.scale, err = scaleOf(ctx, sim, 10000, expfam.Stream(t.Seed, "scale")); err != nil {
		return nil, err
	}
	for j, mean := range run.scale.Mean {
		if sd := run.scale.SD[j]; math.Abs(mean) > mostFar*sd {
			return nil, fmt.Errorf("train: cell %d of %v has mean %g and sd %g, and a network computes with seven "+
				"digits; subtract a constant from the draws and from the data", j, sim, mean, sd)
		}
	}
	for j := sim.Dim() - len(what.parameters); j < sim.Dim(); j++ { // their scores are standard normal
		run.scale.Mean[j], run.scale.SD[j] = 0, augmentedOf(sim).scale
	}
	if _, _, uniform := run.scale.uniform(); t.Windows && !uniform {
		return nil, fmt.Errorf("train: Windows, and the cells of %v have scales of their own; give a simulator that "+
			"is Stationary, or leave Windows out", sim)
	}
	if c, ok := t.Net.(nn.ScaleChecker); ok {
		if err := c.CheckScale(run.scale.SD); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	run.objective = what.loss(t.Net, run.scale)
	return run.run(ctx)
}

// mostFar is the largest mean of a cell in its standard deviations. Rounding to float32 has an sd of 1.7e-8 to 3.4e-8
// of the mean, which is then about the lowest noise of a training, 0.003 sd.
const mostFar = 1e5

// suits refuses a simulator that the network cannot be trained on.
func (t Training) suits(sim expfam.Simulator) error {
	if sim == nil {
		return errors.New("train: there is nothing to draw from; give a Simulator, such as gp.RBF{}")
	}
	if err := traits.Check(sim); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	d := sim.Dim()
	if d < 1 {
		return fmt.Errorf("train: %v has %d cells; it needs at least 1", sim, d)
	}
	if c, ok := t.Net.(nn.Checker); ok {
		if err := c.Check(d); err != nil {
			return fmt.Errorf("train: %w", err)
		}
	}
	return t.sameLattice(sim)
}

// sameLattice refuses a network for a grid with as many cells as the grid of the draws and other rows and columns.
func (t Training) sameLattice(sim expfam.Simulator) error {
	draws, drawn := sim.(expfam.Lattice)
	net, ok := t.Net.(expfam.Lattice)
	if !drawn || !ok {
		return nil
	}
	rows, cols := draws.Lattice()
	r, c := net.Lattice()
	if rows < 2 || cols < 2 || rows*cols != sim.Dim() || rows == r && cols == c {
		return nil
	}
	return fmt.Errorf("train: %v is for %d rows and %d columns, and the draws of %v have %d rows and %d columns; "+
		"set Rows and Columns to those of the draws", t.Net, r, c, sim, rows, cols)
}
