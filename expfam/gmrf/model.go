package gmrf

import (
	"context"
	"errors"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
)

// model is a prior with data that were checked.
type model struct {
	prior Prior
	like  expfam.Likelihood // with an unknown correlation if the options say so
	obs   expfam.Observations

	cellwise bool // each datum is of a cell
}

// unknown is the prior as package joint takes it: all hyperparameters may be given.
type unknown struct{ gp.Unknown }

// Check overrides that of gp.Unknown, which refuses a prior without unknown parameters.
func (u unknown) Check() error { return traits.Check(u.Of) }

func (m *model) field() unknown { return unknown{gp.Unknown{Of: m.prior}} }

// correlation is the law of ρ. The smallest correlation doubles the variance of the Binomial at a hundred thousand
// trials.
var correlation = law.LogStudent{Median: 0.02, Scale: 1, Low: 1e-5, High: 0.9}

// newModel checks the prior, the likelihood and the data.
func newModel(prior Prior, like expfam.Likelihood, obs expfam.Observations, o Options) (*model, error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	m := &model{prior: prior, like: like, obs: obs, cellwise: terms.Cellwise() == nil}
	if m.prior, err = prior.orDefault(); err != nil {
		return nil, err
	}
	if err := m.prior.fits(); err != nil {
		return nil, err
	}
	if o.Draws < 0 {
		return nil, fmt.Errorf("gmrf: %d draws; ask for at least 1, or 0 for 500", o.Draws)
	}
	if cells := prior.Grid.Len(); o.Draws > 0 {
		if err := machine.Fits(fmt.Sprintf("gmrf: %d draws of %d cells", o.Draws, cells),
			8*float64(o.Draws)*float64(cells), "draw fewer"); err != nil {
			return nil, err
		}
	}
	f, err := terms.Forward(prior.Grid.Len())
	if err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	if m.cellwise {
		err = prior.Grid.CheckObservations(obs)
	}
	if err == nil {
		err = f.Check(obs)
	}
	if err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	if !m.cellwise && (o.Window > 0 || o.Overdispersed) {
		return nil, errors.New("gmrf: Window and Overdispersed are for data of single cells; leave them out where " +
			"data look through an operator")
	}
	if o.Overdispersed {
		if err := m.overdisperse(terms); err != nil {
			return nil, err
		}
	}
	if n := len(obs); m.open() > 0 && obs.Blanks() == n {
		return nil, fmt.Errorf("gmrf: none of the %d observations has data, so nothing can be fitted to them; give "+
			"Range, SD and every other hyperparameter", n)
	}
	if !m.cellwise {
		return m, m.inside(f)
	}
	return m, nil
}

// open returns the number of open hyperparameters.
func (m *model) open() int { return len(m.prior.Unknown()) + len(m.like.Unknown) }

// overdisperse makes ρ a hyperparameter. The family must have positives of trials.
func (m *model) overdisperse(terms *expfam.Terms) error {
	var trials float64
	switch f := terms.Family.(type) {
	case expfam.Binomial:
		trials = f.Trials
	case expfam.Bernoulli:
	case expfam.BetaBinomial:
		trials = f.Trials
	default:
		return fmt.Errorf("gmrf: the family is %v; Overdispersed is for positives of trials only; for other families "+
			"use Prior.Nugget", terms.Family)
	}
	m.like = expfam.Likelihood{Family: expfam.BetaBinomial{Trials: trials}, Link: terms.Link,
		Unknown: law.Laws{"correlation": correlation}}
	return nil
}

// inside refuses data that look at cells outside of the domain.
func (m *model) inside(f *expfam.Forward) error {
	start := make([]float64, m.prior.Grid.Len())
	for j := range start {
		start[j] = m.prior.Level
	}
	rows, _ := f.Precision(start, m.obs)
	for k, term := range m.obs {
		outside := -1
		if term != (expfam.Term{}) {
			rows(k, func(j int, _ float64) {
				if !m.prior.Grid.Inside(j) {
					outside = j
				}
			})
		}
		if outside >= 0 {
			return fmt.Errorf("gmrf: datum %d looks at cell %d, which lies outside of the domain; leave such cells "+
				"out of the operator", k, outside)
		}
	}
	return nil
}

// sample makes the draws, and adds the hyperparameters to their diagnostics.
func (m *model) sample(ctx context.Context, o Options) (*expfam.Posterior, error) {
	post, err := joint.SampleContext(ctx, m.field(), m.like, m.obs, joint.Options{Draws: o.Draws, Seed: o.Seed,
		Fresh: o.Fresh, Approximate: true})
	if post == nil {
		return nil, err
	}
	d := post.Info.Diagnostics
	d["range"], d["sd"], d["nugget"] = m.prior.Range, m.prior.SD, m.prior.Nugget
	if m.prior.KnownLevel {
		d["level"], d["level_sd"] = m.prior.Level, 0
	}
	for _, p := range post.Parameters {
		d[p.Name] = p.Median()
	}
	post.Info.Method, post.Info.Rows, post.Info.Cols = "gmrf", m.prior.Grid.Rows, m.prior.Grid.Cols
	return post, err
}
