// Package gmrf has the baseline for grids: a Gaussian Markov random field with data of
// any family. With Poisson counts it is the log-Gaussian Cox process. The model is
//
//	x₀ = μ + f + e,  f ~ N(0, P⁻¹),  e ~ N(0, τ²I),  yⱼ | x₀ⱼ ~ p(yⱼ | θⱼ = g⁻¹(x₀ⱼ)),
//
// with a sparse precision P. The effects e of single cells are optional ([Prior.Nugget]). Posterior and evidence are
// computed by Laplace's approximation (Rue & Held 2005, Gaussian Markov Random Fields, section 4.4; Rue, Martino &
// Chopin 2009, JRSS B 71). Hyperparameters that are not given are integrated out.
//
//	post, err := gmrf.Sample(gmrf.Prior{Grid: g}, like, obs, gmrf.Options{Draws: 64})
//
// Data may have an operator, for example areas or a blur, and the operator may be linear or sum intensities. Several
// data sets may be joined. The R packages inlabru and disaggregation solve the same problems.
//
// This package has the priors and their options; the posterior is drawn by package joint, with the sparse precision of
// [Prior.Sparse] and the mathematics of package latent. A [Prior] is also a gp.Family, so gp.Unknown takes it beside
// other priors. The precision is factorised in a fill-reducing order: 12 ms at 64×64 cells, .1 s at 128×128. Where data
// look through an operator, all cells of a datum are neighbours. For rays the factor is the complete matrix.
package gmrf

import (
	"context"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/speak"
)

// Options are the options of [Sample].
//
// A priori the logarithms of the open hyperparameters have Student's t distribution with four degrees of freedom
// ([law.LogStudent]), which data overrule where they tell anything. Median and scale are
//
//	SD      0.7, which suits logarithms and logits     0.5
//	Range   half of the longer side of the grid        0.7
//	Nugget  0.3                                        0.7
//	ρ       0.02                                       1
//
// In other units of x₀, give SD where data are few.
type Options struct {
	Draws int // default 500
	Seed  uint64
	// Overdispersed treats Binomial data as beta-binomial, for proportions that scatter more than their trials explain.
	// The correlation ρ is one of the hyperparameters. The family of the posterior's Likelihood is then an
	// [expfam.BetaBinomial] with the median of ρ, ready for other samplers.
	Overdispersed bool
	// Window is the side, in cells, of the parts of the grid to which the hyperparameters are fitted: of each quarter
	// of the grid the part with the most cells with data. The field covers the complete grid. Default: the complete
	// grid, or 64 if the shorter side has more than 128 cells. Up to 256 by 256 cells it is the complete grid, too, if
	// windows have less than 300 data. With windows the hyperparameters have the values of the largest evidence there,
	// and are taken as known.
	Window int
	// Fresh neither loads a stored posterior nor stores the new one.
	Fresh bool
}

// Sample makes independent draws of x₀ and of the hyperparameters that the prior leaves open, which
// [expfam.Posterior.Parameter] has by the names range, sd, nugget and correlation. Where draws of the exact joint
// posterior would take more than some seconds, as with a few hundred cells and more, the hyperparameters have some
// dozens of values, weighted by their Laplace evidence, and draws are those of Laplace's approximation, moved from the
// mode to the mean. Posteriors that are skewed, as that of a log rate with few events is, are drawn exactly up to some
// thousand cells. Draws whose certificate is wrong are made anew with transitions of Hamiltonian Monte Carlo, which may
// take minutes. Draw k depends on the data, the seed and k alone. Info.Diagnostics has those of joint.Sample, and
//
//	range, sd, nugget  the hyperparameters, or the medians of their draws
//	correlation        the median of ρ
//	level, level_sd    the mean of μ and its standard deviation, at the mode of the hyperparameters
//	fitted, data       how many hyperparameters were fitted to windows, and to how many data
//	at_bound           how many of them lie at a bound of the search
//
// Info.Certificate compares the draws with the posterior given the hyperparameters of each. It is nil for less than 100
// draws.
//
// The result is stored, and a second call with the same arguments loads it. After an interrupt (Ctrl-C, the notebook's
// stop button) Sample returns the draws that are finished, if there are any, and [expfam.ErrInterrupted].
func Sample(prior Prior, like expfam.Likelihood, obs expfam.Observations, o Options) (*expfam.Posterior, error) {
	ctx, end := speak.Work("Gaussian Markov field", "")
	defer end()
	return SampleContext(ctx, prior, like, obs, o)
}

// SampleContext is [Sample] that ends with ctx; see [diffusion.SampleContext].
func SampleContext(ctx context.Context, prior Prior, like expfam.Likelihood, obs expfam.Observations,
	o Options) (*expfam.Posterior, error) {
	m, err := newModel(prior, like, obs, o)
	if err != nil {
		return nil, err
	}
	side, err := m.window(o)
	if err != nil {
		return nil, err
	}
	if side == 0 || m.open() == 0 {
		return m.sample(ctx, o)
	}
	fitted, data, bound, err := m.local(ctx, side)
	if err != nil {
		return nil, err
	}
	post, err := fitted.sample(ctx, o)
	if post != nil {
		d := post.Info.Diagnostics
		d["fitted"], d["data"], d["at_bound"] = float64(m.open()), float64(data), bound
		if f, ok := post.Likelihood.Family.(expfam.BetaBinomial); ok && o.Overdispersed {
			d["correlation"] = f.Correlation
		}
	}
	return post, err
}
