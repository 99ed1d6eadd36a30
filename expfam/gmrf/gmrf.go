// Package gmrf has the baseline for grids: a Gaussian Markov random field with data of
// any family. With Poisson counts it is the log-Gaussian Cox process. The model is
//
//	x₀ = μ + f + e,  f ~ N(0, P⁻¹),  e ~ N(0, τ²I),  yⱼ | x₀ⱼ ~ p(yⱼ | θⱼ = g⁻¹(x₀ⱼ)),
//
// with a sparse precision P. The effects e of single cells are optional ([Prior.Nugget]). Posterior and evidence are
// computed by Laplace's approximation (Rue & Held 2005, Gaussian Markov Random Fields, section 4.4; Rue, Martino &
// Chopin 2009, JRSS B 71). Draws of skewed posteriors are corrected by Hamiltonian Monte Carlo. The hyperparameters
// either maximise the evidence or, where the data do not tell them, are integrated out: the draws are then mixed over
// them.
//
//	post, err := gmrf.Sample(gmrf.Prior{Grid: g}, like, obs, gmrf.Options{Draws: 64})
//
// Data may have an operator, for example areas or a blur, and the operator may be linear or sum
// intensities. Several data sets may be joined. The R packages inlabru and disaggregation solve
// the same problems. With an operator the model is linearised at the mode.
//
// The precision is factorised as a band matrix, along the shorter side of the grid. For n cells and a shorter side of m
// cells a band takes 16 n m bytes and a factorisation 4 n m² operations. [Sample] keeps up to three bands. Fitting the
// hyperparameters takes some 200 factorisations: seconds at 64×64, a minute at 128×128. On larger grids they are fitted
// to a part of the grid ([Options].Window). At 256×256 the complete grid then takes five factorisations, half a minute.
// The variances, which the mean needs, take as long as three further factorisations. Much larger grids would need a
// sparse factorisation with nested dissection. With an operator the band is as wide as the largest distance between two
// cells of one datum. For rays the band is the complete matrix.
package gmrf

import (
	"context"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/speak"
)

// Options are the options of [Sample].
type Options struct {
	Draws int // default 500
	Seed  uint64
	// Integrate mixes the draws over the open hyperparameters (Rue, Martino & Chopin 2009, section 3.1). Default: they
	// are mixed wherever the data do not tell the hyperparameters: one of them lies at a bound of its search, or the
	// standard deviation of the logarithm of one is above a third. Elsewhere the hyperparameters of the largest
	// evidence are taken as known (empirical Bayes). Mixing takes two to five times as long, and longer
	// if the data hardly distinguish ρ (Overdispersed) from 0.
	//
	// A priori the logarithms of the open hyperparameters have Student's t distribution with four degrees of freedom,
	// which data overrule where they tell anything. Median and scale are
	//
	//	SD      0.7, which suits logarithms and logits     0.5
	//	Range   half of the longer side of the grid        0.7
	//	Nugget  0.3                                        0.7
	//	ρ       0.02                                       1
	//
	// In other units of x₀, give SD where data are few.
	Integrate bool
	// Overdispersed treats Binomial data as beta-binomial, for proportions that scatter more than their trials explain.
	// The correlation ρ is fitted with the hyperparameters. The family of the posterior's Likelihood is then an
	// [expfam.BetaBinomial] with that ρ, ready for other samplers. [Overdispersion] gives the standard error of ρ.
	Overdispersed bool
	// Window is the side, in cells, of the part of the grid to which the hyperparameters are fitted: the part with the
	// most cells with data. The field covers the complete grid. Default: the complete grid, or 64 if the shorter side
	// has more than 128 cells. With a window the hyperparameters are not integrated.
	Window int
	// Fresh neither loads a stored posterior nor stores the new one.
	Fresh bool
}

// revision is part of the key of stored posteriors. It is raised whenever a change of the
// code changes the draws that the same arguments give.
const revision = 6

// Sample fits the hyperparameters that the prior leaves open. It then makes independent draws from the Gaussian
// approximation of the posterior of x₀, which is moved from the mode to the mean ([Approximation.Mean]). Where the
// posterior is skewed, as that of a log rate with few events is, the draws of the approximation are starts: each takes
// up to forty transitions of Hamiltonian Monte Carlo, which make it a draw of the exact posterior, hyperparameters
// included. On grids of more than some 3000 cells that would take too long, and draws stay those of the approximation
// unless it is far off. Draw k depends on the data, the seed and k alone. Info.Diagnostics has
//
//	range, sd, nugget  the hyperparameters
//	correlation        ρ, if it is fitted
//	at_bound           how many fitted hyperparameters lie at a bound of the search
//	fitted, data       how many hyperparameters were fitted, and to how many data; if they are not integrated out
//	level, level_sd    the posterior mean of μ and its standard deviation
//	log_evidence       log p(y) given the hyperparameters, by Laplace's approximation
//	newton             Newton steps of all fits together
//	fits               how many Laplace approximations were made
//	not_concave        how many cells have a log-likelihood that is not concave at the
//	                   mode; the approximation takes their information as 0
//	points             how many points of hyperparameters the draws are mixed over
//	transitions        transitions of Hamiltonian Monte Carlo that each draw took, if any
//	accept             mean acceptance probability of these
//
// Info.Certificate compares the draws with the posterior given the hyperparameters of each, along the coarsest cosines
// of the grid. It is nil with Overdispersed, and for less than 100 draws.
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
	side, err := o.window(prior)
	if err != nil {
		return nil, err
	}
	if side == 0 || m.open() == 0 {
		return m.sample(ctx, o)
	}
	fitted, bound, err := m.local(ctx, side)
	if err != nil {
		return nil, err
	}
	post, err := fitted.sample(ctx, o)
	if post != nil {
		d := post.Info.Diagnostics
		d["fitted"], d["data"], d["at_bound"] = float64(m.open()), float64(len(obs)-obs.Blanks()), bound
		if f, ok := post.Likelihood.Family.(expfam.BetaBinomial); ok && o.Overdispersed {
			d["correlation"] = f.Correlation
		}
	}
	return post, err
}
