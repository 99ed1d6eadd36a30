package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
)

// Candidate is one of the models for the same data that [Compare] ranks.
type Candidate struct {
	Name string // default "model 1"
	// Posterior was sampled from Obs, and is scored by leave-one-out ([LOO]).
	Posterior *expfam.Posterior
	Obs       expfam.Observations
	// Elpd, if it is given, is used instead of Posterior and Obs. Use it for leave-one-out
	// with options, or for thinning.
	Elpd *Elpd
}

// Comparison has the models from best to worst.
type Comparison []Ranked

// Ranked is a model of a [Comparison]. Elpd, SE, Diff and DSE are in nats.
type Ranked struct {
	Rank int // 0 is the best
	Name string
	Elpd float64 // expected log density of new data; higher is better
	SE   float64 // its standard error
	P    float64 // effective number of parameters, NaN where unknown
	Diff float64 // Elpd minus the Elpd of the best model
	DSE  float64 // standard error of Diff, from the differences of the log densities of each datum
	// Worse is the probability that the model predicts worse than the best one, by a normal approximation; NaN for the
	// best. The approximation is poor for few data or small differences (Sivula et al. 2020, arXiv:2008.10296).
	Worse float64
	// Weight is the weight of the model in the mixture of models that predicts best (stacking).
	Weight float64
	// Warning says why the row cannot be trusted: a Pareto k above its limit, fewer than 100 data,
	// or a difference below 4 nats.
	Warning string
}

// Compare ranks models of the same data by their expected log predictive density, as
// compare of ArviZ does. The models must be scored on the same data by the same method.
func Compare(models ...Candidate) (Comparison, error) {
	if len(models) < 2 {
		return nil, fmt.Errorf("calibrate: compare: %d models; give at least 2", len(models))
	}
	models = slices.Clone(models) // the caller's have no default names
	elpds := make([]*Elpd, len(models))
	for i, m := range models {
		if m.Name == "" {
			models[i].Name = fmt.Sprintf("model %d", i+1)
		}
		elpds[i] = m.Elpd
		if m.Elpd == nil {
			if m.Posterior == nil {
				return nil, fmt.Errorf("calibrate: compare: %s has neither a posterior nor an Elpd", models[i].Name)
			}
			var err error
			if elpds[i], err = (LOO{}).Run(m.Posterior, m.Obs); err != nil {
				return nil, fmt.Errorf("calibrate: compare: %s: %w", models[i].Name, err)
			}
		}
		if elpds[i].Method != elpds[0].Method {
			return nil, fmt.Errorf("calibrate: compare: %s is scored by %s and %s by %s; score all by one method",
				models[0].Name, elpds[0].Method, models[i].Name, elpds[i].Method)
		}
		if !slices.Equal(elpds[i].Data, elpds[0].Data) {
			return nil, fmt.Errorf("calibrate: compare: %s and %s are scored on different data (%d and %d of them); "+
				"score them on the same data", models[0].Name, models[i].Name, len(elpds[0].Data), len(elpds[i].Data))
		}
	}
	if len(elpds[0].Data) == 0 {
		return nil, errors.New("calibrate: compare: there are no data")
	}
	return rank(models, elpds), nil
}

// rank makes the comparison of models that were scored on the same data.
func rank(models []Candidate, elpds []*Elpd) Comparison {
	logs := make([]Scores, len(models))
	for i, e := range elpds {
		logs[i] = e.Pointwise
	}
	weights := stack(logs)
	order := make([]int, len(models))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(floats.Sum(logs[b]), floats.Sum(logs[a])) })
	best := logs[order[0]]
	var out Comparison
	for at, i := range order {
		total := elpds[i].Total()
		r := Ranked{Rank: at, Name: models[i].Name, Elpd: total.Mean, SE: total.SE, P: elpds[i].P, Weight: weights[i],
			Worse: math.NaN()}
		var warnings []string
		if w := elpds[i].Warning(); w != "" {
			warnings = append(warnings, w)
		}
		if at > 0 {
			diff := logs[i].Minus(best)
			n := float64(len(diff))
			r.Diff, r.DSE = floats.Sum(diff), math.Sqrt(n*stat.PopVariance(diff, nil))
			if r.Diff != 0 {
				r.Worse = distuv.UnitNormal.CDF(-r.Diff / (r.DSE + 1e-12))
			}
			switch {
			case n < 100:
				warnings = append(warnings, "fewer than 100 data")
			case r.Diff > -4:
				warnings = append(warnings, "difference below 4")
			}
		}
		r.Warning = strings.Join(warnings, "; ")
		out = append(out, r)
	}
	return out
}

// String returns the comparison as a table of text.
func (c Comparison) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rank\tmodel\telpd\tse\tp\tdiff\tdse\tworse\tweight\twarning\t")
	for _, r := range c {
		worse := ""
		if !math.IsNaN(r.Worse) {
			worse = fmt.Sprintf("%.2f", r.Worse)
		}
		p := ""
		if !math.IsNaN(r.P) {
			p = fmt.Sprintf("%.1f", r.P)
		}
		fmt.Fprintf(w, "%d\t%s\t%.1f\t%.1f\t%s\t%.1f\t%.1f\t%s\t%.2f\t%s\t\n", r.Rank, r.Name, r.Elpd, r.SE, p, r.Diff,
			r.DSE, worse, r.Weight, r.Warning)
	}
	w.Flush()
	return b.String()
}

// Model returns row i of a figure: the name of the model, its Elpd and the difference to the best
// model, each with its standard error.
func (c Comparison) Model(i int) (name string, elpd, se, diff, dse float64) {
	return c[i].Name, c[i].Elpd, c[i].SE, c[i].Diff, c[i].DSE
}

// Len returns the number of models.
func (c Comparison) Len() int { return len(c) }
