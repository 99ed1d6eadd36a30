package gmrf

import (
	"context"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/internal/speak"
)

// Approximation is Laplace's approximation of the posterior of x₀ given the hyperparameters of the largest evidence.
type Approximation struct {
	// LogEvidence is Laplace's approximation of log p(y) given the hyperparameters. It is exact if the log-likelihood
	// is quadratic.
	LogEvidence float64

	prior Prior // with the hyperparameters
	at    *latent.Around
}

// Fit finds the hyperparameters of the largest evidence and makes the approximation there, without draws.
func Fit(prior Prior, like expfam.Likelihood, obs expfam.Observations) (*Approximation, error) {
	ctx, end := speak.Work("Gaussian Markov field", "")
	defer end()
	return FitContext(ctx, prior, like, obs)
}

// FitContext is [Fit] that ends with ctx.
func FitContext(ctx context.Context, prior Prior, like expfam.Likelihood, obs expfam.Observations) (*Approximation,
	error) {
	m, err := newModel(prior, like, obs, Options{})
	if err != nil {
		return nil, err
	}
	a, _, err := m.largest(ctx)
	return a, err
}

// largest returns the approximation of the largest evidence, and all values.
func (m *model) largest(ctx context.Context) (*Approximation, []float64, error) {
	values, at, err := joint.Largest(ctx, m.field(), m.like, m.obs)
	if err != nil {
		return nil, nil, err
	}
	return &Approximation{LogEvidence: at.LogEvidence(), prior: m.prior.with(values), at: at}, values, nil
}

// Range returns the range of the field, given or fitted.
func (a *Approximation) Range() float64 { return a.prior.Range }

// SD returns the standard deviation of the field, given or fitted.
func (a *Approximation) SD() float64 { return a.prior.SD }

// Nugget returns the standard deviation of the effects of single cells.
func (a *Approximation) Nugget() float64 { return a.prior.Nugget }

// Mode returns the mode of x₀.
func (a *Approximation) Mode() []float64 { return a.place(make([]float64, a.at.Rank())) }

// Mean returns the mode of x₀, corrected to first order for the skewness of the log-likelihoods.
func (a *Approximation) Mean() []float64 {
	mean, _ := a.at.Moments(nil)
	return a.place(mean)
}

// Variance returns the variance of x₀ in every cell, without sampling error.
func (a *Approximation) Variance() []float64 {
	_, variances := a.at.Moments(nil)
	return variances
}

func (a *Approximation) place(z []float64) []float64 {
	x := make([]float64, a.prior.Grid.Len())
	a.at.Place(z, x)
	return x
}
