package gmrf

import (
	"context"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/speak"
)

// Dispersion is an estimate of the correlation ρ of the trials of a cell: its posterior median and standard deviation.
type Dispersion struct {
	Correlation, SE float64
}

func (d Dispersion) String() string { return fmt.Sprintf("rho = %.3g ± %.2g", d.Correlation, d.SE) }

// Overdispersion estimates ρ of an [expfam.BetaBinomial] from the data of a map, together with all open
// hyperparameters; see [Options].
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
	o := Options{Overdispersed: true}
	m, err := newModel(prior, like, obs, o)
	if err != nil {
		return Dispersion{}, err
	}
	post, err := m.sample(ctx, o)
	if err != nil {
		return Dispersion{}, err
	}
	rho, err := post.Parameter("correlation")
	if err != nil {
		return Dispersion{}, err
	}
	return Dispersion{Correlation: rho.Median(), SE: rho.SD()}, nil
}
