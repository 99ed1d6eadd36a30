package gmrf

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/interrupt"
	"github.com/expfam/lab/internal/speak"
)

// Dispersion is an estimate of the correlation ρ of the trials of a cell.
type Dispersion struct {
	// Correlation is ρ, and SE its standard error. Data that scatter less than the
	// Binomial's have ρ = 10⁻⁵, the least that is tried, where SE is how much
	// larger a ρ would cost half a unit of log evidence.
	Correlation, SE float64
}

func (d Dispersion) String() string { return fmt.Sprintf("rho = %.3g ± %.2g", d.Correlation, d.SE) }

// Overdispersion estimates ρ of a [expfam.BetaBinomial] from the data of a map: the
// maximum of Laplace's approximation of the evidence, over ρ and what the prior
// leaves open together, and the standard error from its information there in all
// their logarithms.
//
// Few cells have neighbours close enough to be compared pair by pair, and a field
// that is fitted first explains some of the scatter. Evidence shares it out
// between field and cells, which is what the data can tell: with a rough field
// (Alpha 1) less. A Nugget competes for the same scatter; leave it 0.
func Overdispersion(prior Prior, like expfam.Likelihood, obs expfam.Observations) (Dispersion, error) {
	ctx, stop := interrupt.Context()
	defer stop()
	ctx, end := speak.With(ctx, "overdispersion", "")
	defer end()
	return OverdispersionContext(ctx, prior, like, obs)
}

// OverdispersionContext is [Overdispersion] that ends with ctx.
func OverdispersionContext(ctx context.Context, prior Prior, like expfam.Likelihood, obs expfam.Observations) (Dispersion, error) {
	terms, err := like.Terms()
	if err != nil {
		return Dispersion{}, fmt.Errorf("gmrf: %w", err)
	}
	m, err := newModel(prior, terms, obs)
	if err != nil {
		return Dispersion{}, err
	}
	if err := m.open(terms); err != nil {
		return Dispersion{}, err
	}
	mode, err := m.fit(ctx)
	if err != nil {
		return Dispersion{}, err
	}
	axes := m.axes()
	var failure error
	evidence := m.evidence(ctx, axes, mode, &failure)
	out := Dispersion{Correlation: mode.hyper.rho}
	centre, information := informationAt(axes, mode, evidence)
	at := len(axes) - 1
	var chol mat.Cholesky
	if out.Correlation > 2*leastRho && chol.Factorize(information) {
		var covariance mat.SymDense
		if err := chol.InverseTo(&covariance); err == nil {
			out.SE = out.Correlation * math.Sqrt(covariance.At(at, at))
		}
	} else {
		low, high := centre[at], axes[at].high
		for high-low > 0.05 {
			centre[at] = (low + high) / 2
			if evidence(centre) > mode.LogEvidence-0.5 {
				low = centre[at]
			} else {
				high = centre[at]
			}
		}
		out.SE = math.Exp(low) - out.Correlation
	}
	return out, failure
}

// open leaves ρ to be fitted.
func (m *model) open(terms *expfam.Terms) error {
	switch terms.Family.(type) {
	case expfam.Binomial, expfam.Bernoulli, expfam.BetaBinomial:
		m.mixed = terms
		return nil
	}
	return fmt.Errorf("gmrf: the family is %v; only positives of trials are overdispersed as beta-binomial ones, use Prior.Nugget", terms.Family)
}

// correlated is the likelihood with beta-binomial data; its link is the same.
func correlated(terms *expfam.Terms, rho float64) (*expfam.Terms, error) {
	trials := 0.0
	switch f := terms.Family.(type) {
	case expfam.Binomial:
		trials = f.Trials
	case expfam.BetaBinomial:
		trials = f.Trials
	}
	mixed, err := expfam.Likelihood{Family: expfam.BetaBinomial{Trials: trials, Correlation: rho}, Link: terms.Link}.Terms()
	if err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	return mixed, nil
}
