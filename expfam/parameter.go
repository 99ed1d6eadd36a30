package expfam

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/law"
)

// ParameterDraws has the draws of a parameter, in its own unit, one for each draw of a posterior. It has one column,
// so figures take it like the draws of a cell.
type ParameterDraws struct {
	Name, Unit string
	Law        string    // text of the prior
	Prior      []float64 // equally probable numbers of the prior, its quantiles at (i+½)/n
	Draws      []float64
}

// AddParameter adds the draws of a parameter, one for each draw of the posterior, with its prior.
func (p *Posterior) AddParameter(q law.Parameter, draws []float64) {
	const quantiles = 400
	p.Parameters = append(p.Parameters, ParameterDraws{Name: q.Name, Unit: q.Unit, Law: law.Text(q.Law),
		Prior: law.Grid(q.Law, quantiles), Draws: draws})
}

// Parameter returns the draws of the parameter with this name. It is an error if the posterior has no such parameter.
func (p *Posterior) Parameter(name string) (ParameterDraws, error) {
	if p == nil {
		return ParameterDraws{}, errNoDraws
	}
	var names []string
	for _, q := range p.Parameters {
		if q.Name == name {
			return q, nil
		}
		names = append(names, fmt.Sprintf("%q", q.Name))
	}
	if names == nil {
		return ParameterDraws{}, fmt.Errorf("expfam: the posterior has no parameter %q, because its model has no "+
			"unknown parameters; gp.Unknown and expfam.Unknown have some", name)
	}
	return ParameterDraws{}, fmt.Errorf("expfam: the posterior has no parameter %q; it has %s", name,
		strings.Join(names, ", "))
}

// Label returns the name with the unit: "length scale (km)".
func (p ParameterDraws) Label() string {
	if p.Unit == "" {
		return p.Name
	}
	return p.Name + " (" + p.Unit + ")"
}

// Dims returns the number of draws, and 1.
func (p ParameterDraws) Dims() (draws, cells int) { return len(p.Draws), 1 }

// At returns a draw.
func (p ParameterDraws) At(draw, _ int) float64 { return p.Draws[draw] }

// column returns the draws as those of one cell.
func (p ParameterDraws) column() *Draws { return &Draws{X: mat.NewDense(len(p.Draws), 1, p.Draws)} }

// Mean returns the posterior mean.
func (p ParameterDraws) Mean() float64 { return p.column().Mean()[0] }

// SD returns the posterior standard deviation.
func (p ParameterDraws) SD() float64 { return p.column().SD()[0] }

// Median returns the posterior median.
func (p ParameterDraws) Median() float64 { return p.Quantile(0.5) }

// Quantile returns a quantile of the draws; see [Draws.Quantile].
func (p ParameterDraws) Quantile(prob float64) float64 { return p.column().Quantile(prob)[0] }

// EqualTailed returns the equal-tailed interval.
func (p ParameterDraws) EqualTailed(level float64) (low, high float64) {
	return p.Quantile((1 - level) / 2), p.Quantile((1 + level) / 2)
}

// String returns one line with the mean, the standard deviation, the median and the equal-tailed 95% interval. If the
// parameter has a heavy [ParameterDraws.Tail], median and interval come first.
func (p ParameterDraws) String() string {
	if len(p.Draws) == 1 { // it has no spread
		return fmt.Sprintf("%s: %.4g in the only draw; prior %s", p.Label(), p.Draws[0], p.Law)
	}
	low, high := p.EqualTailed(0.95)
	if tail := p.Tail(); tail != "" {
		return fmt.Sprintf("%s: median %.4g, 95%% in [%.4g, %.4g], mean %.4g, sd %.3g; %s; prior %s", p.Label(),
			p.Median(), low, high, p.Mean(), p.SD(), tail, p.Law)
	}
	return fmt.Sprintf("%s: mean %.4g, sd %.3g, median %.4g, 95%% in [%.4g, %.4g]; prior %s", p.Label(), p.Mean(),
		p.SD(), p.Median(), low, high, p.Law)
}

// checkParameters returns an error that names the first parameter and draw that is not finite, or a parameter without
// a number for each draw.
func (p *Posterior) checkParameters() error {
	for _, q := range p.Parameters {
		if draws, _ := p.Dims(); len(q.Draws) != draws {
			return fmt.Errorf("expfam: the parameter %q has %d draws, and x₀ has %d; give one for each", q.Name,
				len(q.Draws), draws)
		}
		for i, v := range q.Draws {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("expfam: draw %d of the parameter %q is %v; look at the sampler and the law", i,
					q.Name, v)
			}
		}
	}
	return nil
}

// mergeParameters joins the draws of the parameters of shares, in their order. It refuses shares with other parameters.
func mergeParameters(shares []*Posterior) (all []ParameterDraws, err error) {
	for i, q := range shares[0].Parameters {
		q.Draws = nil
		for _, share := range shares {
			if len(share.Parameters) != len(shares[0].Parameters) || share.Parameters[i].Name != q.Name {
				return nil, fmt.Errorf("merge: shares have different parameters; give shares of one run")
			}
			q.Draws = append(q.Draws, share.Parameters[i].Draws...)
		}
		all = append(all, q)
	}
	return all, nil
}

// Marginals returns the labels of the parameters with their draws and with equally probable numbers of their priors, as
// figures take them.
func (p *Posterior) Marginals() (labels []string, draws, prior [][]float64) {
	for _, q := range p.Parameters {
		labels, draws, prior = append(labels, q.Label()), append(draws, q.Draws), append(prior, q.Prior)
	}
	return labels, draws, prior
}
