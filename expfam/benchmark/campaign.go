package benchmark

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/interrupt"
)

// Prevalence is a map of positives of those examined, on which methods are
// compared ([Prevalence.Compare]).
type Prevalence struct {
	Grid       grid.Grid
	Likelihood expfam.Likelihood // Binomial, θ = sigmoid(5 x)
	Obs        expfam.Observations
	Theta      []float64 // the truth of every cell, or nil
}

// Surveyed is the map of surveys that are real, or simulated elsewhere.
func Surveyed(cells *survey.Cells) (Prevalence, error) {
	p := Prevalence{Grid: cells.Map.Grid, Likelihood: expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(5*x)")}}
	var err error
	p.Obs, err = p.Likelihood.Observe(cells.Data())
	return p, err
}

// Truth is a field x₀ for a simulated campaign: what is true of a map that no
// method is told.
type Truth func(g grid.Grid, seed uint64) ([]float64, error)

// SimulatedCampaign visits a truth on a map as [survey.Campaign] does, with a
// correlation of 0.05 between people of a cell.
func SimulatedCampaign(m *land.Map, truth Truth, seed uint64) (Prevalence, error) {
	x0, err := truth(m.Grid, seed)
	if err != nil {
		return Prevalence{}, fmt.Errorf("benchmark: campaign: %w", err)
	}
	s, err := survey.Campaign{Overdispersion: 0.05, Seed: seed}.Simulate(m, x0)
	if err != nil {
		return Prevalence{}, err
	}
	p, err := Surveyed(s.Cells)
	p.Theta = s.Theta
	return p, err
}

// MapMethod is a way from the data that are seen to a posterior.
type MapMethod struct {
	Name   string
	Sample func(ctx context.Context, p Prevalence, seen expfam.Observations, seed uint64) (*expfam.Posterior, error)
}

// The scores of a method, each a mean over cells: of the truth over all cells of
// the land, where it is known, and of data over the cells that are held out.
const (
	MedianTruth = "MAE of the median, truth"    // |median θ − θ|
	MeanTruth   = "MAE of the mean, truth"      // |E θ − θ|
	MedianHeld  = "MAE of the median, held out" // |median y/n − y/n|, of replicated data
	MeanHeld    = "MAE of the mean, held out"   // |E y/n − y/n|, and E y/n = E θ
	PaperHeld   = "MAE of the median of θ"      // |median θ − y/n|, held out, as the paper has it
	LogHeld     = "log score"                   // log p(y) of a cell
	CRPSHeld    = "CRPS"                        // of y/n
	CRPSTruth   = "CRPS, truth"                 // of θ
	CoverHeld   = "coverage of counts"          // of 95% intervals of y
	CoverTruth  = "coverage of θ"               // of 95% intervals of θ
	Seconds     = "seconds"                     // hyperparameters included
)

// MapTable has the scores of methods over repeated hold-outs.
type MapTable struct {
	Methods []string
	// Repeated has a value "method: score" for every split.
	*calibrate.Repeated
}

// Of is the mean of a score of a method over the splits.
func (t MapTable) Of(method, score string) calibrate.Estimate { return t.Mean(method + ": " + score) }

// Minus is how much larger a score of method a is than that of b, with the
// standard error of the difference: splits are shared.
func (t MapTable) Minus(a, b, score string) calibrate.Estimate {
	return t.Difference(a+": "+score, b+": "+score)
}

// Best is the method of the best mean score among those whose name begins so, the
// largest log score, the smallest of all others.
func (t MapTable) Best(prefix, score string) string {
	best, value := "", math.Inf(1)
	for _, name := range t.Methods {
		v := t.Of(name, score).Mean
		if score == LogHeld {
			v = -v
		}
		if strings.HasPrefix(name, prefix) && v < value {
			best, value = name, v
		}
	}
	return best
}

// String is a line a method.
func (t MapTable) String() string {
	var b strings.Builder
	columns := []struct{ short, score string }{{"MAE median", MedianTruth}, {"mean", MeanTruth}, {"CRPS", CRPSTruth}, {"cover", CoverTruth},
		{"| held out: MAE median", MedianHeld}, {"mean", MeanHeld}, {"median θ", PaperHeld}, {"log score", LogHeld}, {"CRPS", CRPSHeld}, {"cover", CoverHeld}, {"seconds", Seconds}}
	for _, m := range t.Methods {
		fmt.Fprintf(&b, "%-34s", m)
		for _, c := range columns {
			if e := t.Of(m, c.score); e.N > 0 {
				fmt.Fprintf(&b, " %s %v", c.short, e)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Compare samples every method on repeated hold-outs of the cells with data, a fifth
// of them five times by default, and scores it. Counts are scored under the
// likelihood of the method's posterior. In a lesson:
//
//	campaign := expfam.Must(benchmark.SimulatedCampaign(m, benchmark.FieldTruth, 1))
//	table := expfam.Must(campaign.Compare(calibrate.Splits{}, benchmark.MapMethods(prior, 100)...))
//	fmt.Print(table)
func (p Prevalence) Compare(splits calibrate.Splits, methods ...MapMethod) (MapTable, error) {
	ctx, stop := interrupt.Context()
	defer stop()
	return p.CompareContext(ctx, splits, methods...)
}

// CompareContext is [Prevalence.Compare] that ends with ctx.
func (p Prevalence) CompareContext(ctx context.Context, splits calibrate.Splits, methods ...MapMethod) (MapTable, error) {
	splits.Grid, splits.Obs = p.Grid, p.Obs
	var table MapTable
	for _, m := range methods {
		table.Methods = append(table.Methods, m.Name)
	}
	var err error
	table.Repeated, err = splits.RunContext(ctx, func(ctx context.Context, s calibrate.Split) (map[string]float64, error) {
		values := make(map[string]float64)
		for _, m := range methods {
			if ctx.Err() != nil {
				return nil, expfam.ErrInterrupted
			}
			post, err := m.Sample(ctx, p, s.Seen, s.Seed)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
			scores, err := p.Score(post, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
			for name, v := range scores {
				values[m.Name+": "+name] = v
			}
		}
		return values, nil
	})
	return table, err
}

// Score is that of one posterior on one split.
func (p Prevalence) Score(post *expfam.Posterior, s calibrate.Split) (map[string]float64, error) {
	if err := post.Check(); err != nil {
		return nil, err
	}
	var held, inside []int
	var sizes []float64 // trials of the cells held out
	rate := make([]float64, len(p.Obs))
	for j, t := range s.Held {
		if t.Size > 0 {
			held, sizes, rate[j] = append(held, j), append(sizes, t.Size), t.Stat/t.Size
		}
		if p.Grid.Inside(j) {
			inside = append(inside, j)
		}
	}
	theta, out := post.Theta(), map[string]float64{Seconds: post.Info.Seconds}
	median, mean := theta.Median(), theta.Mean()
	var failure error
	add := func(name string, s calibrate.Scores, err error) {
		if err != nil {
			failure = err
			return
		}
		out[name] = s.Mean().Mean
	}
	absolute := func(name string, estimate, truth []float64, cells []int) {
		s, err := calibrate.AbsError(estimate, truth, cells)
		add(name, s, err)
	}
	absolute(PaperHeld, median, rate, held)
	absolute(MeanHeld, mean, rate, held)
	perTrial := func(name string, s calibrate.Scores, err error) {
		for k := range s {
			s[k] /= sizes[k]
		}
		add(name, s, err)
	}
	// The estimate with the least expected error of a rate that scatters around θ is
	// no median of θ.
	errors, err := calibrate.PredictiveAbsError(post, s.Held, held, s.Seed)
	perTrial(MedianHeld, errors, err)
	crps, err := calibrate.PredictiveCRPS(post, s.Held, held, s.Seed)
	perTrial(CRPSHeld, crps, err)
	log, err := calibrate.LogScore(post, s.Held, held)
	add(LogHeld, log, err)
	cover, err := calibrate.Coverage{Cells: held, Seed: s.Seed}.Predictive(post, s.Held)
	add(CoverHeld, cover, err)
	if p.Theta != nil {
		absolute(MedianTruth, median, p.Theta, inside)
		absolute(MeanTruth, mean, p.Theta, inside)
		crps, err := calibrate.CRPS(theta, p.Theta, inside)
		add(CRPSTruth, crps, err)
		cover, err := calibrate.Coverage{Cells: inside}.Latent(theta, p.Theta)
		add(CoverTruth, cover, err)
	}
	return out, failure
}
