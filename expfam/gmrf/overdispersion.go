package gmrf

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/speak"
)

// Dispersion is an estimate of the correlation ρ of the trials of a cell.
type Dispersion struct {
	// Correlation is ρ, and SE its standard error. For data that scatter less than a Binomial, Correlation is 10⁻⁵, the
	// smallest value that is tried. SE is then the increase of ρ that lowers the log evidence by 1/2.
	Correlation, SE float64
}

func (d Dispersion) String() string { return fmt.Sprintf("rho = %.3g ± %.2g", d.Correlation, d.SE) }

// Overdispersion estimates ρ of an [expfam.BetaBinomial] from the data of a map. It maximises Laplace's approximation
// of the evidence over ρ and all open hyperparameters together. The standard error follows from the information of the
// log evidence, at the maximum, in the logarithms of all hyperparameters.
//
// The evidence divides the scatter of the data between the field and the cells. Simpler estimates fail: few cells have
// neighbours close enough for a comparison of pairs, and a field that is fitted first explains some of the scatter.
// With a rough field (Alpha 1) the data say less about ρ. A Nugget explains the same scatter, so leave it 0.
func Overdispersion(prior Prior, like expfam.Likelihood, obs expfam.Observations) (Dispersion, error) {
	ctx, end := speak.Work("overdispersion", "")
	defer end()
	return OverdispersionContext(ctx, prior, like, obs)
}

// OverdispersionContext is [Overdispersion] that ends with ctx.
func OverdispersionContext(ctx context.Context, prior Prior, like expfam.Likelihood,
	obs expfam.Observations) (Dispersion, error) {
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
	s := m.search(ctx)
	mode, err := m.maximise(ctx, s, none)
	if err != nil {
		return Dispersion{}, err
	}
	axes, out, centre := s.axes, Dispersion{Correlation: mode.hyper.rho}, s.centre(mode.hyper)
	_, _, information, err := s.quadratic(centre, none)
	if err != nil {
		return out, err
	}
	at := len(axes) - 1
	var chol mat.Cholesky
	var covariance mat.SymDense
	if out.Correlation > 2*leastRho && chol.Factorize(information) && chol.InverseTo(&covariance) == nil {
		out.SE = out.Correlation * math.Sqrt(covariance.At(at, at))
	} else {
		low, high := centre[at], axes[at].high
		for high-low > 0.05 {
			centre[at] = (low + high) / 2
			e, err := s.evidences([][]float64{centre})
			if err != nil {
				return out, err
			}
			if e[0] > mode.LogEvidence-0.5 {
				low = centre[at]
			} else {
				high = centre[at]
			}
		}
		out.SE = math.Exp(low) - out.Correlation
	}
	return out, nil
}

// open makes ρ a hyperparameter to be fitted. The family must have positives of trials.
func (m *model) open(terms *expfam.Terms) error {
	switch terms.Family.(type) {
	case expfam.Binomial, expfam.Bernoulli, expfam.BetaBinomial:
		m.mixed = terms
		return nil
	}
	return fmt.Errorf("gmrf: the family is %v; Overdispersed is for positives of trials only; for other families "+
		"use Prior.Nugget", terms.Family)
}

// correlated returns the likelihood with the same link and a beta-binomial family of correlation rho.
func correlated(terms *expfam.Terms, rho float64) (*expfam.Terms, error) {
	trials := 0.0
	switch f := terms.Family.(type) {
	case expfam.Binomial:
		trials = f.Trials
	case expfam.BetaBinomial:
		trials = f.Trials
	}
	mixed, err := expfam.Likelihood{Family: expfam.BetaBinomial{Trials: trials, Correlation: rho},
		Link: terms.Link}.Terms()
	if err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	return mixed, nil
}
