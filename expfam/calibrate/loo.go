package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/internal/speak"
)

// LOO estimates how well a posterior predicts each datum from the others, without sampling again. It reweights the
// draws by 1/p(y_k | θᵢ), and smooths the largest weights by a generalised Pareto distribution (PSIS-LOO: Vehtari,
// Gelman & Gabry 2017, Statistics and Computing 27). The method fails for a datum whose shape k is above min(1 −
// 1/log₁₀ S, 0.7), for S draws.
//
// In a smooth field neighbouring cells determine each other, so leave-one-out measures how
// well a model interpolates. To measure extrapolation hold out blocks ([Splits]).
type LOO struct {
	// Efficiency is the effective number of draws divided by the number of draws. It determines how many weights count
	// as large. Default 1, for independent draws; [Efficiency] estimates it for Markov chains.
	Efficiency float64
	// Refit samples the posterior of observations without one datum. It is called for every
	// datum whose k is too high. Default: no datum is refitted.
	Refit Fit
}

// Fit samples a posterior, and ends when ctx ends. Functions that fit a model several times take a Fit as an argument.
type Fit func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error)

// Run scores every datum of obs, from which the posterior was sampled. An interrupt of a
// refit is [expfam.ErrInterrupted].
func (l LOO) Run(post *expfam.Posterior, obs expfam.Observations) (*Elpd, error) {
	ctx, end := speak.Work("leave-one-out", "")
	defer end()
	return l.RunContext(ctx, post, obs)
}

// RunContext is [LOO.Run] with a context: it ends when ctx ends.
func (l LOO) RunContext(ctx context.Context, post *expfam.Posterior, obs expfam.Observations) (*Elpd, error) {
	logs, data, err := Pointwise(post, obs)
	if err != nil {
		return nil, err
	}
	weights, k, err := l.weights(logs)
	if err != nil {
		return nil, err
	}
	n, _ := logs.Dims()
	e := &Elpd{Method: "psis-loo", Data: data, Pointwise: make(Scores, len(data)), K: k, Limit: l.Limit(n)}
	parallel.For(len(data), parallel.Heavy, func(c int) {
		w := mat.Col(nil, c, weights)
		for i := range w {
			w[i] += logs.At(i, c)
		}
		e.Pointwise[c] = floats.LogSumExp(w)
	})
	if l.Refit != nil {
		if err := l.refits(ctx, e, post.Likelihood, obs); err != nil {
			return nil, err
		}
	}
	for c, v := range e.Pointwise {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("calibrate: loo: datum %d: its log density is %v; a draw gives it probability "+
				"0, set LOO.Refit", data[c], v)
		}
		e.P += logMeanExp(mat.Col(nil, c, logs)) - v
	}
	return e, nil
}

// Limit returns the shape k above which weights of so many draws fail: min(1 − 1/log₁₀ S, 0.7).
func (LOO) Limit(draws int) float64 { return math.Min(1-1/math.Log10(float64(draws)), 0.7) }

// Weights returns the logarithms of the weights by which the draws become draws of the posterior without one datum,
// (draws, data), and the Pareto shape of each datum. The weights of a datum sum to 1. The data are those of
// [Pointwise].
func (l LOO) Weights(post *expfam.Posterior, obs expfam.Observations) (weights *mat.Dense, k []float64, err error) {
	logs, _, err := Pointwise(post, obs)
	if err != nil {
		return nil, nil, err
	}
	return l.weights(logs)
}

// weights returns the logarithms of the smoothed weights of the draws, (draws, data), and the
// Pareto shape of each datum. The weights of a datum sum to 1.
func (l LOO) weights(logs *mat.Dense) (weights *mat.Dense, k []float64, err error) {
	l.Efficiency = cmp.Or(l.Efficiency, 1)
	if !(l.Efficiency > 0) || math.IsInf(l.Efficiency, 1) {
		return nil, nil, fmt.Errorf("calibrate: loo: the efficiency is %g; it must be a positive number", l.Efficiency)
	}
	n, data := logs.Dims()
	tail := tailOf(n, l.Efficiency)
	if tail < 5 {
		return nil, nil, fmt.Errorf("calibrate: loo: %d draws; leave-one-out by weights needs at least 25", n)
	}
	weights, k = mat.NewDense(n, data, nil), make([]float64, data)
	parallel.For(data, parallel.Heavy, func(c int) {
		w := mat.Col(nil, c, logs)
		floats.Scale(-1, w)
		k[c] = smooth(w, tail)
		weights.SetCol(c, w)
	})
	return weights, k, nil
}

// refits replaces the log densities of the data whose Pareto k is above the limit by log densities
// of posteriors that were sampled without the datum.
func (l LOO) refits(ctx context.Context, e *Elpd, like expfam.Likelihood, obs expfam.Observations) (err error) {
	high := e.High()
	steps := speak.NewPace(ctx, "calibrate: loo", fmt.Sprintf("%d data are left out for real", len(high)), len(high))
	part, end := steps.Parts(ctx)
	defer end()
	for _, c := range high {
		if e.Pointwise[c], err = l.refit(part, like, obs, e.Data[c]); err != nil {
			return err
		}
		e.Refitted = append(e.Refitted, c)
		steps.Step(math.NaN())
	}
	return nil
}

// refit samples the posterior without datum k, and returns the log density of datum k given all others.
func (l LOO) refit(ctx context.Context, like expfam.Likelihood, obs expfam.Observations, k int) (float64, error) {
	without := slices.Clone(obs)
	without[k] = expfam.Term{}
	post, err := l.Refit(ctx, like, without)
	if err != nil {
		return 0, fmt.Errorf("calibrate: loo: without datum %d: %w", k, err)
	}
	alone := make(expfam.Observations, len(obs))
	alone[k] = obs[k]
	logs, _, err := Pointwise(post, alone)
	if err != nil {
		return 0, err
	}
	return logMeanExp(mat.Col(nil, 0, logs)), nil
}

// PIT returns the position of each datum in its prediction from the others: low = P(ỹ_k < y_k)
// and high = P(ỹ_k ≤ y_k), for replicated data ỹ under the weights of leave-one-out. If the model
// is right, low + u (high − low) with u uniform on (0, 1) is uniform.
func (l LOO) PIT(post *expfam.Posterior, obs expfam.Observations, seed uint64) (low, high []float64, err error) {
	if err := given("loo", post); err != nil {
		return nil, nil, err
	}
	if t, err := post.Likelihood.Terms(); err != nil || t.Cellwise() != nil {
		return nil, nil, errors.Join(err, errors.New(
			"calibrate: loo: PIT takes data of cells; take the posteriors of Posterior.Seen"))
	}
	logs, data, err := Pointwise(post, obs)
	if err != nil {
		return nil, nil, err
	}
	weights, _, err := l.weights(logs)
	if err != nil {
		return nil, nil, err
	}
	for c, k := range data {
		if i := slices.Index(mat.Col(nil, c, logs), math.Inf(-1)); i >= 0 {
			return nil, nil, fmt.Errorf("calibrate: loo: datum %d has probability 0 under draw %d, which no weight "+
				"can correct; look at that draw, or hold the datum out and take PredictivePIT", k, i)
		}
	}
	y, stats, err := Replicate(post, obs, nil, seed)
	if err != nil {
		return nil, nil, err
	}
	low, high = make([]float64, len(stats)), make([]float64, len(stats))
	n, _ := y.Dims()
	for i := range n {
		for c, observed := range stats {
			w := math.Exp(weights.At(i, c))
			switch v := y.At(i, c); {
			case v < observed:
				low[c], high[c] = low[c]+w, high[c]+w
			case v == observed:
				high[c] += w
			}
		}
	}
	for c := range stats { // the weights sum to 1 up to rounding
		low[c], high[c] = math.Min(low[c], 1), math.Min(high[c], 1)
	}
	return low, high, nil
}
