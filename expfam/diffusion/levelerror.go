package diffusion

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/certify"
	"github.com/expfam/lab/internal/speak"
)

// mostLevels is the largest number of noise levels of [LevelErrors].
const mostLevels = 40

// LevelError is how far a sampler's estimate of x₀ is off at a noise level.
type LevelError struct {
	Sigma float64 // noise level
	// Shift is the error of the mean over cells, in posterior standard deviations. A right estimate has 0.
	Shift, ShiftSE float64
	// Variance is the variance of the mean over cells that the estimate takes for granted, over the posterior's. A
	// right one has 1. It is negative if the estimate moves against x_σ. At low noise all estimates have nearly 1.
	Variance, VarianceSE float64
	// Cell is the same variance for single cells, the average over cells.
	Cell, CellSE float64
}

// LevelErrors measures the errors of a sampler's estimates D of x₀ at the noise levels of its trajectory, without the
// truth. It needs draws x₀ of the posterior that are right, such as those of the default sampler if the certificate of
// the draws agrees. Each level of the trajectory of s is evaluated twice for each draw. For x_σ = x₀ + σ e with e ~
// N(0, I) the right estimate is E[x₀ | x_σ, y], so that x₀ − D has the mean 0 given x_σ. Along a, the mean over cells
// or one cell,
//
//	Shift = E[a·(D − x₀)]/sd(a·x₀),  Variance = Cov(a·D, a·x_σ)/Var(a·x₀).
//
// Both are averages over e and −e. Correctors are left out, and all but 40 levels of longer trajectories. The levels
// ascend. A step's clip is part of its estimate.
func LevelErrors(post *expfam.Posterior, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations,
	s Sampler) ([]LevelError, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	if post == nil || post.X == nil {
		return nil, errors.New("level errors: there are no draws; give a posterior")
	}
	s.Plan = func(Plan) {}
	c, err := CompileContext(ctx, prior, like, s)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if draws, d := post.Dims(); draws < certify.LeastDraws || d != prior.Dim() {
		return nil, fmt.Errorf("level errors: %d draws of %d cells under a prior of %d; give at least %d draws of its "+
			"posterior", draws, d, prior.Dim(), certify.LeastDraws)
	}
	if err := post.Latent().Check(); err != nil {
		return nil, fmt.Errorf("level errors: %w", err)
	}
	if err := c.check(obs); err != nil {
		return nil, err
	}
	r, err := c.run(ctx, obs)
	if err != nil {
		return nil, err
	}
	r.data = append(r.data, r.observationTensors(r.graphs, obs))
	defer engine.Release(r.data[0][:]...)
	var out []LevelError
	for _, step := range r.levels() {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("level errors: %w at sigma %.3g", expfam.ErrInterrupted, step.Level.Sigma())
		}
		table, err := r.covariance.table(ctx, step.Level.Sigma(), step.kind())
		if err != nil {
			return nil, err
		}
		e, err := r.levelError(post.X, step, table)
		if err != nil {
			return nil, fmt.Errorf("level errors: sigma %.3g: %w", step.Level.Sigma(), err)
		}
		out = append(out, e)
	}
	return out, nil
}

// levels returns the steps of a run that have an estimate, one for each noise level, from low to high.
func (r *run) levels() []Step {
	steps := slices.DeleteFunc(slices.Clone(r.steps), func(s Step) bool { return s.SNR > 0 })
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(a.Level.Sigma(), b.Level.Sigma()) })
	steps = slices.CompactFunc(steps, func(a, b Step) bool { return a.Level == b.Level })
	if every := (len(steps) + mostLevels - 1) / mostLevels; every > 1 {
		for k := range len(steps) / every {
			steps[k] = steps[k*every]
		}
		steps = steps[:len(steps)/every]
	}
	return steps
}

// levelError evaluates a step at draws x with noise.
func (r *run) levelError(x *mat.Dense, step Step, table []float64) (LevelError, error) {
	draws, d := x.Dims()
	sigma, kind := step.Level.Sigma(), step.kind()
	in := stepInputs{kind: kind, row: r.scalars(r.graphs, step, false), noise: make([]float64, r.block*d),
		table: table, data: r.data[0]}
	if kind == drawn {
		in.more = make([]float64, r.block*(d+r.forward.Data())) // the mean of the draws
	}
	whole := make([]float64, draws) // the mean over cells of x₀
	for i := range whole {
		whole[i] = floats.Sum(x.RawRowView(i)) / float64(d)
	}
	mean, variance := stat.MeanVariance(whole, nil)
	means, variances := make([]float64, d), make([]float64, d) // of cells
	for j := range d {
		if means[j], variances[j] = stat.MeanVariance(mat.Col(nil, j, x), nil); !(variances[j] > 0) {
			return LevelError{}, fmt.Errorf("cell %d is %v in all draws, so its error has no unit; leave it out",
				j, means[j])
		}
	}
	if !(variance > 1e-24*stat.Mean(variances, nil)) { // the rest is rounding
		return LevelError{}, fmt.Errorf("the mean over cells is %.3g in all draws, so its error has no unit; give "+
			"draws of a prior that does not fix it", mean)
	}
	shift, ratio, cell := make([]float64, draws), make([]float64, draws), make([]float64, draws)
	noisy := make([]float64, r.block*d)                 // x₀ + σ e
	for first := 0; first < 2*draws; first += r.block { // evaluations 2i and 2i + 1 are those of draw i
		n := min(r.block, 2*draws-first)
		for k := range n {
			i, sign := (first+k)/2, sigma*float64(1-2*((first+k)%2))
			rng := expfam.Stream(0, fmt.Sprintf("level/%d", i))
			for j, v := range x.RawRowView(i) {
				noisy[k*d+j] = v + sign*rng.NormFloat64()
			}
		}
		for k := n; k < r.block; k++ { // copies, because rows of zeros could overflow
			copy(noisy[k*d:(k+1)*d], noisy[:d])
		}
		scaled := slices.Clone(noisy)
		floats.Scale(step.Level.SqrtAlpha, scaled)
		state := r.newBlock(r.graphs, scaled)
		if _, err := r.step(r.graphs.execs[r.program(step)][0], &state, in); err != nil {
			return LevelError{}, err
		}
		estimate, err := float64s(state.previous)
		if err != nil {
			return LevelError{}, err
		}
		if err := state.release(); err != nil {
			return LevelError{}, err
		}
		for k := range n {
			i, at, x0 := (first+k)/2, noisy[k*d:(k+1)*d], x.RawRowView((first+k)/2)
			off := floats.Sum(estimate[k*d:(k+1)*d])/float64(d) - whole[i]
			shift[i] += off / math.Sqrt(variance) / 2
			ratio[i] += (1 + (floats.Sum(at)/float64(d)-mean)*off/variance) / 2
			for j, v := range at {
				cell[i] += (1 + (v-means[j])*(estimate[k*d+j]-x0[j])/variances[j]) / 2 / float64(d)
			}
		}
	}
	e, root := LevelError{Sigma: sigma}, math.Sqrt(float64(draws))
	e.Shift, e.ShiftSE = stat.MeanStdDev(shift, nil)
	e.Variance, e.VarianceSE = stat.MeanStdDev(ratio, nil)
	e.Cell, e.CellSE = stat.MeanStdDev(cell, nil)
	e.ShiftSE, e.VarianceSE, e.CellSE = e.ShiftSE/root, e.VarianceSE/root, e.CellSE/root
	return e, nil
}
