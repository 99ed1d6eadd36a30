package diffusion

import (
	"context"
	"time"

	"github.com/gomlx/compute/dtypes"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/speak"
)

// Sampler says how to draw from a posterior. The zero value takes 500 draws, the evidence by quadrature with
// correlations between cells, and the method that suits the prior: 8 evaluations of its network for priors of up to 128
// cells that are close to a Gaussian, 17 for priors of images, 21 for images behind operators, and 30 for others.
type Sampler struct {
	Draws int // default 500
	// Seed is the seed of the draws. Draw k depends only on Seed and k, to the bit on one engine and processor. It does
	// not depend on Draws, Batch or the contents of the store. With a corrector it also depends on the batch, because
	// the step length of a corrector is an average over the batch.
	Seed uint64

	// The strategy determines the draws.

	// Method is the discretisation of the reverse diffusion. A method that is a [Refiner] takes more steps where the
	// data are more precise than its last noise level, or contradict the prior.
	//
	// The default is Restarts{} for all guidances but [Quadrature] with its default Steps. For
	// Quadrature it depends on the prior:
	//
	//   - CovarianceSteps{} for a prior of up to 128 cells that is [expfam.Linear], unless data are sums of
	//     the intensities of several cells. A linear operator that joins cells takes 12 evaluations.
	//     CovarianceSteps{} too for a prior under which no variance of x₀ | x_t changes by more than a
	//     tenth between draws of x_t, for data of single cells and for means of cells that move together;
	//   - [ImageRestarts] for a prior of more cells that is a [expfam.Lattice] of two dimensions and not
	//     Linear, and [OperatorRestarts] for it if an operator joins cells. If it is [Graded], because its grid is
	//     larger than that of the training, the two returns to noise levels of 1.3 and 0.6 are one to 2.5 with ten
	//     steps;
	//   - Restarts{First: 12, Count: 1, High: 2, Each: 16, Last: 8} for an [Augmented] prior and data of single
	//     cells, with up to seven more returns of nine steps where cells have no data;
	//   - Restarts{} for all others, these with Skew 3 for data of single cells and priors of up to 128 cells that have
	//     no parameters.
	//
	// The variances are measured once for a prior, and stored. In tests CovarianceSteps are as accurate as Restarts for
	// variances that change by up to 0.14. The variances of the network of curves that ships change by 0.03, those of
	// Student's t of 10 degrees by 0.11, those of a uniform distribution by 0.33, and those of a mixture of two
	// separate levels by 1.8. A feature of the prior that fewer than one draw in a thousand has may go unnoticed.
	// [Unguided] draws have the same default, but for images Restarts{}.
	Method Method
	// Guidance is the approximation of the likelihood score. Default Quadrature{}.
	Guidance Guidance
	// Moves is the number of transitions of Hamiltonian Monte Carlo that every draw takes in the end, under a Gaussian
	// prior of up to 1024 modes ([traits.Modes]), or of any number with a fast transform ([traits.Spectrum]). They make
	// the draws exact. Default: as many as chains of a pilot run need to forget their start, at least 3, if Method and
	// Guidance are the defaults, and none otherwise. -1: none.
	Moves int

	// The resources change how long a run takes, and no draw but in its last digits. With a corrector, draws depend on
	// the batch.

	// Engine runs the trajectory. Default engine.Default().
	Engine *engine.Engine
	// DType is the type of the trajectory, Float32 or Float64. Default Float32; where the data
	// need Float64, Float64 is used in any case.
	DType dtypes.DType
	// Batch is how many draws go through all steps before the next ones begin. An interrupt loses at most one batch,
	// and Watch sees one batch at a time. Default: as many draws as keep an engine busy and fit into a quarter of the
	// free memory, at most 4 GB, in batches of about equal size. An engine is busy with 2²⁵ numbers in an evaluation,
	// which are four million values of x_t under a Gaussian process, and 64 thousand under the default U-Net. Engines
	// always evaluate blocks of one size: 128 draws (32 in pure Go) of a small network, and one draw of a U-Net. A
	// smaller batch of a small network costs as much as a block.
	Batch int
	// Fresh ignores what is stored and stores nothing.
	Fresh bool

	// The observers look on.

	// Progress is called after each step with the number of steps done, the number of
	// steps of all batches, and the noise level. A run that continues from stored draws
	// counts their steps as done. Default none; a cell of a notebook then shows a bar.
	Progress func(done, total int, sigma float64)
	// Watch is called after each step with the noise level before the step, and the estimates E[x₀ | x_t, y] at that
	// level for the draws of a batch. The argument first is the number of the batch's first draw. A drawn step, such as
	// those of [CovarianceSteps], gives draws of x₀ instead of estimates. Draws that are loaded from the store have no
	// steps, so set Fresh. Default none.
	Watch func(first int, sigma float64, estimate *expfam.Draws)
	// Plan is called once, between compiling and the first step, with the expected cost of the run. Default: a line in
	// the log if there are several batches; in a cell the bar shows it.
	Plan func(Plan)

	// The share that these draws are of a longer run.

	// First is the number of the first draw, if the draws are a share of a longer run; see [Sampler.Share].
	First int
}

// Sample draws from the posterior of x₀ under a prior and a likelihood, given observations of its cells.
//
// Sample examines the data before the first step. Where the data determine a cell more precisely than the last noise
// level, the diffusion ends at a lower level. Where a log-likelihood has more digits than Float32, the evidence is
// computed in Float64. Data for which no posterior can be sampled are refused, with the cell and the cause: an
// observation 30 prior standard deviations from the mean, a field that a Gaussian prior cannot have made, an offset
// that Float64 does not resolve.
//
// The result is stored under a hash of everything that determines it, and a second call with the same
// arguments loads it. The hash covers what the code computes, including the code of your own families,
// links, priors and guidances. After a change of that code, Sample samples again.
//
// An interrupt (Ctrl-C, the notebook's stop button) returns the draws of the batches that are finished,
// with an error that is [expfam.ErrInterrupted]. These draws are stored, and a later call continues from them.
// Draw k is the same in every run, so the later call may have other Draws and another Batch. A call for
// more draws than are stored makes only the missing ones.
//
// If the prior or the likelihood has unknown parameters ([expfam.Parametric], [expfam.Likelihood.Unknown]), package
// joint draws them with the field. Under a prior that is not Gaussian one or two constants of the likelihood may be
// unknown: a Bridge of package joint draws the field at nodes of these, by the same strategy. Info.Diagnostics has the
// numbers of nodes, of draws of the field, and of evaluations in all, and an interrupt keeps the finished nodes in the
// store. A prior that was learned from a simulator with parameters ([Augmented]) has them too, and the posterior has
// their draws.
//
// Info.Certificate says how far the draws are from the posterior. Where it is [expfam.Certificate.Open], with up to 128
// cells and no learned parameters, Sample makes as many further draws of the same strategy, and twice as many if it is
// still open. The certificate is of all of them, and they are not returned.
//
// A [Gridded] prior, such as a learned prior of images, is taken to the grid of larger or smaller data of its shape.
//
// For a prior on a grid or a line, Info.Local tells whether the data vary from cell to cell as the draws predict.
//
// If the store cannot be written, a warning is logged, before the first step where possible, and the
// draws are returned.
func Sample(prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations, s Sampler) (*expfam.Posterior, error) {
	ctx, end := speak.Work("sampling", "noise level")
	defer end()
	return SampleContext(ctx, prior, like, obs, s)
}

// SampleContext is [Sample] with a context: it ends when ctx ends, and does not listen to
// interrupts. It logs to the logger of ctx ([expfam.WithLogger]).
func SampleContext(ctx context.Context, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations,
	s Sampler) (*expfam.Posterior, error) {
	prior, err := onGrid(ctx, prior, like, obs)
	if err != nil {
		return nil, err
	}
	if isGaussian(prior) && hasUnknowns(prior, like) {
		return s.joint(ctx, prior, like, obs)
	}
	if augmentationOf(prior).extraCells() > 0 {
		return s.augmented(ctx, prior, like, obs)
	}
	return s.sample(ctx, prior, like, obs)
}

// sample draws from the posterior of all cells of a prior.
func (s Sampler) sample(ctx context.Context, prior expfam.Prior, like expfam.Likelihood,
	obs expfam.Observations) (post *expfam.Posterior, err error) {
	if hasUnknowns(prior, like) {
		return s.constants(ctx, prior, like, obs)
	}
	began := time.Now()
	speak.Say(ctx, "modes of the prior")
	if bar := speak.From(ctx); bar != nil && s.Progress == nil {
		s.Progress = bar.Step
	}
	compiled, err := s.prepare(ctx, prior, like)
	if err != nil {
		return nil, err
	}
	if err := compiled.check(obs); err != nil {
		return nil, err
	}
	run, err := compiled.compiler.key(obs)
	if err != nil {
		return nil, err
	}
	defer compiled.Close()
	stored, found := compiled.storage(ctx, run)
	if found != nil {
		found.Info.Run = run
		compiled.examine(ctx, found, obs, true)
		compiled.decide(ctx, found, obs)
		return found, nil
	}
	stored.ready(compiled.sampler.Draws, prior.Dim())
	before := secondsSince(began)
	if post, err = compiled.sample(ctx, obs, s.Seed, stored); post == nil {
		return nil, err
	}
	drawn := secondsSince(began)
	post.Info.Run = run
	compiled.examine(ctx, post, obs, err == nil)
	if err == nil {
		compiled.decide(ctx, post, obs)
	}
	post.Info.Seconds += before + secondsSince(began) - drawn
	if err != nil {
		return post, err
	}
	if stored == nil {
		return post, nil
	}
	return post, stored.keep(post) // with what was examined
}

// secondsSince returns the wall time from start, in seconds.
func secondsSince(start time.Time) float64 { return time.Since(start).Seconds() }
