// Package hmc has Hamiltonian Monte Carlo for latent Gaussian models,
//
//	x₀ ~ N(μ, K),  yⱼ | x₀ⱼ ~ p(yⱼ | θⱼ = g⁻¹(x₀ⱼ)).
//
// Other samplers are tested against it. The chains run in coordinates in which the
// Laplace approximation of the posterior is N(0, I). One step size therefore suits all
// coordinates, whether the data have little or much information.
package hmc

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/internal/speak"
)

// Prior is a Gaussian prior of x₀, such as gp.Gaussian and gp.RBF.
type Prior interface {
	Mean() []float64
	Cov() *mat.SymDense
}

// Options are the options of [Sample]. The zero value gives 4000 draws.
type Options struct {
	Chains int     // default 4
	Warmup int     // transitions per chain that adapt the step size; default 500
	Draws  int     // draws kept per chain; default 1000
	Accept float64 // acceptance probability that the step size is adapted to; default 0.9
	Seed   uint64
	// Fresh ignores what is stored and stores nothing.
	Fresh bool
}

// revision is part of the key of stored posteriors. Raise it when a change of the code makes the same options give
// other draws.
const revision = 4

func (o Options) orDefault() (Options, error) {
	for _, v := range []struct {
		name     string
		value    *int
		standard int
		least    int
	}{{"chains", &o.Chains, 4, 1}, {"warm-up", &o.Warmup, 500, 1}, {"draws", &o.Draws, 1000, 8}} {
		*v.value = cmp.Or(*v.value, v.standard)
		if *v.value < v.least {
			return o, fmt.Errorf("hmc: %s is %d; use at least %d, or 0 for %d", v.name, *v.value, v.least, v.standard)
		}
	}
	o.Accept = cmp.Or(o.Accept, 0.9)
	if !(o.Accept > 0 && o.Accept < 1) {
		return o, fmt.Errorf("hmc: acceptance %v; use an acceptance between 0 and 1", o.Accept)
	}
	return o, nil
}

// NotConverged is the error of a run whose draws cannot be trusted. The draws are returned with it.
type NotConverged struct {
	RHat        float64 // the largest R-hat of all cells
	Cell        int     // the cell with this R-hat
	Divergences int
}

func (e *NotConverged) Error() string {
	return fmt.Sprintf("hmc: not converged: R-hat %.3f in cell %d (want at most %g), %d divergent transitions; use "+
		"more warm-up and draws, or a higher Accept", e.RHat, e.Cell, maxRHat, e.Divergences)
}

// maxRHat is the largest R-hat of draws that converged, by Vehtari et al. (2021).
const maxRHat = 1.01

// Sample draws from the posterior of x₀, with the chains in parallel. The draws of chain c are the rows c·Draws …
// (c+1)·Draws − 1, and depend on Seed and c alone. Info.Diagnostics has
//
//	rhat         the largest R-hat of all cells
//	ess_bulk     the smallest effective sample size of the bulk, of all cells
//	ess_tail     the smallest effective sample size of the tails, of all cells
//	divergences  transitions with an error in energy above 1000
//	accept       mean acceptance probability
//	ebfmi        the smallest E-BFMI of all chains
//	step         mean step size, in whitened units
//	gradients    evaluations of the gradient per draw, those of the warm-up included
//
// If R-hat is above 1.01 or a transition diverged, the draws are returned with a [*NotConverged] error. Draws that
// converged are stored, and the same call loads them ([expfam.Forward.Stored]). An interrupt (Ctrl-C, the notebook's
// stop button) gives the error [expfam.ErrInterrupted] and no draws, because chains that are cut short are not a sample
// of the posterior.
func Sample(prior Prior, like expfam.Likelihood, obs expfam.Observations, options Options) (*expfam.Posterior, error) {
	ctx, end := speak.Work("Hamiltonian Monte Carlo", "divergent")
	defer end()
	return SampleContext(ctx, prior, like, obs, options)
}

// SampleContext is [Sample] with a context: it ends when ctx ends.
func SampleContext(ctx context.Context, prior Prior, like expfam.Likelihood, obs expfam.Observations,
	options Options) (*expfam.Posterior, error) {
	if err := traits.Check(prior); err != nil {
		return nil, fmt.Errorf("hmc: %w", err)
	}
	f, err := like.Forward(prior.Cov().SymmetricDim())
	if err == nil {
		err = f.Check(obs)
	}
	if err != nil {
		return nil, fmt.Errorf("hmc: %w", err)
	}
	if n := len(prior.Mean()); n != f.Cells() {
		return nil, fmt.Errorf("hmc: the prior has %d means and a %d×%d covariance; give one mean for each cell", n,
			f.Cells(), f.Cells())
	}
	o, err := options.orDefault()
	if err != nil {
		return nil, err
	}
	draw := func() (*expfam.Posterior, error) {
		return sample(ctx, prior, f.LogLikelihood(obs), f.Terms().Likelihood, o)
	}
	post, err := f.Stored(ctx, o.Fresh, obs, draw, "hmc", revision, prior.Mean(),
		mat.DenseCopyOf(prior.Cov()).RawMatrix().Data, o)
	if post == nil {
		return nil, err
	}
	post.Info.Missing = obs.Blanks()
	post.Examine(f, obs)
	if post.Info.Certificate == nil {
		began := time.Now()
		post.SetCertificate(post.Certify(prior, obs))
		post.Info.Seconds += time.Since(began).Seconds()
	}
	return post, err
}

// sample runs the chains and returns their draws with statistics and diagnostics.
func sample(ctx context.Context, prior Prior, data logLik, like expfam.Likelihood,
	o Options) (*expfam.Posterior, error) {
	began := time.Now()
	mean, cov := prior.Mean(), prior.Cov()
	if err := machine.Fits(fmt.Sprintf("hmc: %d chains of %d draws of %d cells", o.Chains, o.Draws, len(mean)),
		16*float64(o.Chains)*float64(o.Draws)*float64(len(mean)), "draw fewer"); err != nil {
		return nil, err
	}
	speak.Say(ctx, "whitening the prior")
	m, err := newModel(mean, cov, data)
	if err != nil {
		return nil, err
	}
	post, err := m.sample(ctx, o, began)
	if post != nil {
		post.Likelihood = like
	}
	return post, err
}
