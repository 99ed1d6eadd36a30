package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/internal/speak"
	"github.com/expfam/lab/viz"
)

// Analysis is a model with its data, and what is to be decided.
type Analysis struct {
	Title string
	Prior expfam.Prior
	Like  expfam.Likelihood
	Obs   expfam.Observations
	// Fit samples the posterior. Default: diffusion.Sample with Draws and Seed.
	Fit   calibrate.Fit
	Draws int // default 500
	Seed  uint64
	// Others are further models of the same data, such as another likelihood or prior. They are compared with the first
	// by leave-one-out.
	Others []Model

	Decision *decide.Problem    // nil: nothing is decided
	Through  expfam.RowOperator // makes the districts of the decision from cells; nil: each cell is one
	// how cells are drawn: its Field, whose values are not used, Blank, Over; nil: as a Summary
	Map *viz.Map
}

// Model is another model of the data.
type Model struct {
	Name  string
	Prior expfam.Prior      // nil: that of the analysis
	Like  expfam.Likelihood // the zero value: that of the analysis
	// Obs are the same data as Like observes them. Nil: those of the analysis, for a likelihood of the same family.
	Obs expfam.Observations
	Fit calibrate.Fit // default: that of the analysis, and diffusion.Sample for a Prior of its own
}

// Result has all that an analysis found. A part that the model does not have is nil.
type Result struct {
	Analysis
	PriorCheck *calibrate.Replicates // data that the prior predicts; nil if one cannot draw from it
	Posterior  *expfam.Posterior     // Info.Certificate says how far its draws are off
	Check      *calibrate.Replicates // data that the posterior predicts
	PIT        []float64             // of each datum among predictions from the others
	Scores     *calibrate.Elpd
	Comparison calibrate.Comparison
	Districts  *expfam.Posterior
	Choice     *decide.Choice
}

// Run does all steps. An interrupt is [expfam.ErrInterrupted].
func (a Analysis) Run() (*Result, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return a.RunContext(ctx)
}

// RunContext is [Analysis.Run] with a context: it ends when ctx ends.
func (a Analysis) RunContext(ctx context.Context) (*Result, error) {
	if a.Prior == nil && a.Fit == nil {
		return nil, errors.New("report: there is no Prior; set one, or Fit")
	}
	if a.Draws = cmp.Or(a.Draws, 500); a.Draws < 1 {
		return nil, fmt.Errorf("report: %d Draws; give a positive number, or 0 for 500", a.Draws)
	}
	if c, ok := a.Prior.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	r := &Result{Analysis: a}
	var err error
	if r.PriorCheck, err = a.priorCheck(); err != nil {
		return nil, fmt.Errorf("report: prior predictive check: %w", err)
	}
	if r.Posterior, err = a.sample(a.Prior, a.Fit)(ctx, a.Like, a.Obs); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if err := r.compare(ctx); err != nil {
		return nil, err
	}
	if a.Decision == nil {
		return r, nil
	}
	r.Districts = r.Posterior
	if a.Through != nil {
		if r.Districts, err = r.Posterior.Through(a.Through); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	if r.Choice, err = a.Decision.Choose(r.Districts); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return r, nil
}

// sample returns fit, or the default for a prior.
func (a Analysis) sample(prior expfam.Prior, fit calibrate.Fit) calibrate.Fit {
	if fit != nil {
		return fit
	}
	return func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
		return diffusion.SampleContext(ctx, prior, like, obs, diffusion.Sampler{Draws: a.Draws, Seed: a.Seed})
	}
}

// priorCheck replicates the data from the prior, if one can draw from it.
func (a Analysis) priorCheck() (*calibrate.Replicates, error) {
	sim, ok := a.Prior.(expfam.Simulator)
	if !ok {
		return nil, nil
	}
	x := mat.NewDense(a.Draws, a.Prior.Dim(), nil)
	for i := range a.Draws {
		sim.Draw(expfam.Stream(a.Seed, fmt.Sprintf("report/prior-%d", i)), x.RawRowView(i))
	}
	return a.replicate(&expfam.Posterior{X: x, Likelihood: a.Like})
}

// replicate returns replicates of the data. It returns nil for data of several sets, which have several kinds.
func (a Analysis) replicate(post *expfam.Posterior) (*calibrate.Replicates, error) {
	seen, err := post.Seen()
	if err != nil || len(seen) > 1 {
		return nil, err
	}
	r, err := calibrate.Replicated(seen[0], a.Obs, a.Seed)
	return &r, err
}

// check makes the posterior predictive check, and the scores by leave-one-out.
func (r *Result) check() (err error) {
	if r.Check, err = r.replicate(r.Posterior); err != nil {
		return fmt.Errorf("posterior predictive check: %w", err)
	}
	if r.Scores, err = (calibrate.LOO{}).Run(r.Posterior, r.Obs); err != nil {
		return err
	}
	if r.Check == nil {
		return nil
	}
	seen, err := r.Posterior.Seen()
	if err != nil {
		return err
	}
	low, high, err := calibrate.LOO{}.PIT(seen[0], r.Obs, r.Seed)
	rng := expfam.Stream(r.Seed, "report/pit")
	for k := range low {
		r.PIT = append(r.PIT, min(low[k]+rng.Float64()*(high[k]-low[k]), 1-1e-12))
	}
	return err
}

// compare fits the other models and ranks all.
func (r *Result) compare(ctx context.Context) error {
	if len(r.Others) == 0 {
		return nil
	}
	all := []calibrate.Candidate{{Name: "this model", Elpd: r.Scores}}
	for k, m := range r.Others {
		m.Name = cmp.Or(m.Name, fmt.Sprintf("model %d", k+2))
		if m.Prior == nil {
			if m.Prior = r.Prior; m.Fit == nil {
				m.Fit = r.Fit
			}
		}
		if reflect.ValueOf(m.Like).IsZero() {
			m.Like = r.Like
		}
		if err := m.Like.Check(); err != nil {
			return fmt.Errorf("report: %s: %w", m.Name, err)
		}
		if m.Obs == nil {
			if own, first := families(m.Like), families(r.Like); !reflect.DeepEqual(own, first) {
				return fmt.Errorf("report: %s: the data were observed for %v, and the model has %v; set its Obs to "+
					"what its own Observe returns", m.Name, first, own)
			}
			m.Obs = r.Obs
		}
		post, err := r.sample(m.Prior, m.Fit)(ctx, m.Like, m.Obs)
		if err != nil {
			return fmt.Errorf("report: %s: %w", m.Name, err)
		}
		scores, err := calibrate.LOO{}.Run(post, m.Obs)
		if err != nil {
			return fmt.Errorf("report: %s: %w", m.Name, err)
		}
		all = append(all, calibrate.Candidate{Name: m.Name, Elpd: scores})
	}
	var err error
	r.Comparison, err = calibrate.Compare(all...)
	return err
}

// families returns the families of all data sets. Each reduces data in its own way.
func families(like expfam.Likelihood) (all []expfam.Family) {
	for _, l := range like.Parts() {
		all = append(all, l.Family)
	}
	return all
}
