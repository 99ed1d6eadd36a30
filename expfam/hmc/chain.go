package hmc

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/internal/newton"
	"github.com/expfam/lab/internal/speak"
)

// length is the mean length of a trajectory in whitened units, a quarter of the period under a normal distribution.
const length = math.Pi / 2

// record holds the draws and the statistics of one chain.
type record struct {
	x         *mat.Dense // (draws, cells)
	energy    []float64  // of every draw
	accept    []float64  // acceptance probability of the transition to every draw
	diverging []float64  // 1 where this transition diverged, else 0
	gradients int        // evaluations of the gradient, those of the warm-up included
	step      float64    // step size after the warm-up
}

// model is what chains sample: a density, and what a place in its coordinates stands for.
type model struct {
	density density // of goroutines at once
	rank    int     // number of coordinates
	cells   int     // number of values that place writes
	place   func(u, x []float64)
	stream  string // of random numbers
	what    string // for a person
}

// run runs one chain and returns its record, which is empty if ctx is done before the end. After each transition it
// calls step: with 1 if the transition is after the warm-up and diverged, else with 0.
func (m model) run(ctx context.Context, o Options, name string, step func(diverged float64)) record {
	w := newWalker(m.density, m.rank, expfam.Stream(o.Seed, m.stream+name))
	for range o.Warmup {
		if ctx.Err() != nil {
			return record{}
		}
		w.adapt(o.Accept)
		step(0)
	}
	out := record{
		x: mat.NewDense(o.Draws, m.cells, nil), energy: make([]float64, o.Draws), step: w.step(),
		accept: make([]float64, o.Draws), diverging: make([]float64, o.Draws),
	}
	for i := range o.Draws {
		if ctx.Err() != nil {
			return record{}
		}
		out.accept[i] = w.move(out.step)
		if w.diverged {
			out.diverging[i] = 1
		}
		out.energy[i] = w.energy
		m.place(w.u, out.x.RawRowView(i))
		step(out.diverging[i])
	}
	out.gradients = w.gradients
	return out
}

// sample runs all chains, each on its own goroutine, and returns their draws with statistics and diagnostics.
func (m model) sample(ctx context.Context, o Options, began time.Time) (*expfam.Posterior, error) {
	p := speak.NewPace(ctx, "hmc", fmt.Sprintf("%d chains of %d transitions of warm-up and %d draws, %s", o.Chains,
		o.Warmup, o.Draws, m.what), o.Chains*(o.Warmup+o.Draws))
	var divergent atomic.Int64
	step := func(diverged float64) { p.Step(float64(divergent.Add(int64(diverged)))) }
	records := make([]record, o.Chains)
	var wg sync.WaitGroup
	for c := range records {
		wg.Go(func() { records[c] = m.run(ctx, o, fmt.Sprintf("chain-%d", c), step) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("hmc: %w before the chains were complete; the same call starts again from the beginning",
			expfam.ErrInterrupted)
	}
	x := mat.NewDense(o.Chains*o.Draws, m.cells, nil)
	post := &expfam.Posterior{X: x, Info: expfam.Info{Method: "hmc", Engine: "go", Seed: o.Seed, Chains: o.Chains},
		Stats: map[string][]float64{}}
	for c, r := range records {
		x.Slice(c*o.Draws, (c+1)*o.Draws, 0, m.cells).(*mat.Dense).Copy(r.x)
		post.Stats["energy"] = append(post.Stats["energy"], r.energy...)
		post.Stats["acceptance_rate"] = append(post.Stats["acceptance_rate"], r.accept...)
		post.Stats["diverging"] = append(post.Stats["diverging"], r.diverging...)
	}
	speak.Say(ctx, "comparing the chains")
	diagnostics, failure := diagnose(x, records, o)
	post.Info.Diagnostics = diagnostics
	post.Info.Seconds = time.Since(began).Seconds()
	if failure != nil {
		return post, failure
	}
	return post, nil
}

// newModel returns the posterior of a field in coordinates in which it is near N(0, I).
func newModel(mean []float64, cov *mat.SymDense, data logLik) (model, error) {
	d := cov.SymmetricDim()
	if err := machine.Fits(fmt.Sprintf("hmc: a prior of %d cells", d), 48*float64(d)*float64(d),
		"take a coarser grid, gmrf.Sample or expfam.Sample"); err != nil {
		return model{}, err
	}
	l, err := root(cov)
	if err != nil {
		return model{}, fmt.Errorf("hmc: %w", err)
	}
	w, err := whiten(mean, l, data)
	if err != nil {
		return model{}, fmt.Errorf("hmc: %w", err)
	}
	posterior := func(u, gradient []float64) float64 {
		z, slope := w.place(u), make([]float64, d)
		logp := data.LogLikSlope(at(mean, l, z), slope) - floats.Dot(z, z)/2
		mat.NewVecDense(d, gradient).MulVec(l.T(), mat.NewVecDense(d, slope))
		floats.Sub(gradient, z)
		w.pull(gradient)
		return newton.Finite(logp)
	}
	return model{posterior, d, d, func(u, x []float64) { copy(x, at(mean, l, w.place(u))) }, "hmc/",
		fmt.Sprintf("%d cells", d)}, nil
}
