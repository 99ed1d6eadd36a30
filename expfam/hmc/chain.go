package hmc

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/internal/whitened"
)

// record holds the draws and the statistics of one chain.
type record struct {
	x         [][]float64 // x₀, (draws, cells)
	energy    []float64   // of every draw
	accept    []float64   // acceptance probability of the transition to every draw
	diverging []float64   // 1 where this transition diverged, else 0
	gradients int         // evaluations of the gradient, those of the warm-up included
	step      float64     // step size after the warm-up
}

// run runs one chain and returns its record, which is empty if ctx is done before the end. After each transition it
// calls step: with 1 if the transition is after the warm-up and diverged, else with 0.
func run(ctx context.Context, t *whitened.Target, o Options, rng *rand.Rand, step func(diverged float64)) record {
	w := whitened.NewWalker(t.Density(), t.Rank(), rng)
	w.Scatter()
	adapt := whitened.NewAdapt(t.Rank(), o.Accept)
	for range o.Warmup {
		if ctx.Err() != nil {
			return record{}
		}
		adapt.Update(w.Move(adapt.Step(), o.Length))
		step(0)
	}
	out := record{
		x: make([][]float64, o.Draws), energy: make([]float64, o.Draws), step: adapt.Final(),
		accept: make([]float64, o.Draws), diverging: make([]float64, o.Draws),
	}
	for i := range o.Draws {
		if ctx.Err() != nil {
			return record{}
		}
		out.accept[i] = w.Move(out.step, o.Length)
		if w.Diverged {
			out.diverging[i] = 1
		}
		out.energy[i] = w.Energy
		out.x[i] = make([]float64, t.Cells())
		t.Place(w.U, out.x[i])
		step(out.diverging[i])
	}
	out.gradients = w.Gradients
	return out
}

// newTarget returns the target whitened by the prior alone, or by the Laplace approximation at the mode.
func newTarget(mean []float64, cov *mat.SymDense, data whitened.Data, laplace bool) (*whitened.Target, error) {
	d := cov.SymmetricDim()
	if err := machine.Fits(fmt.Sprintf("hmc: a prior of %d cells", d), 48*float64(d)*float64(d),
		"take a coarser grid, gmrf.Sample or expfam.Sample"); err != nil {
		return nil, err
	}
	l, err := gp.Factor(cov)
	if err != nil {
		return nil, err
	}
	if !laplace {
		return whitened.ByPrior(mean, l, data), nil
	}
	to, err := whitened.ByLaplace(mean, l, data)
	if err != nil {
		return nil, fmt.Errorf("hmc: %w, or sample with PriorWhitened", err)
	}
	return to, nil
}
