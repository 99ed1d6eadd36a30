package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/viz"
)

// Page returns the page: what was found, and after each figure what to look for. viz.Save writes it as .html.
func (r *Result) Page() viz.Page {
	what, how := r.Posterior.Describe()
	p := viz.Page{Title: r.Title,
		Lead: fmt.Sprintf("%d data, %v.\n\n%s: %s.", len(calibrate.Observed(r.Obs)), r.Like, what, how)}
	if alarm := r.Posterior.Alarm(); alarm != "" {
		p.Lead += "\n\nAlarm: " + alarm
	}
	if r.Choice != nil {
		p.Lead += "\n\n" + r.decided()
	}
	add := func(title, text string, figures ...any) {
		p.Sections = append(p.Sections, viz.Section{Title: title, Text: text, Figures: figures})
	}
	if r.PriorCheck != nil {
		add("What the prior expects", "Data that the prior alone predicts, beside the observed data. The prior "+
			"should allow the data, and more besides; an observation outside of nearly all intervals was not thought "+
			"possible.", predictive(*r.PriorCheck, "Prior predictive check"))
	}
	add("The posterior", "What is known after the data.", r.summary())
	if c := r.Posterior.Info.Certificate; c != nil {
		add("Are the draws right?", "The certificate "+c.String()+". The draws are compared with the posterior "+
			"itself, without any truth.", viz.Certificate{Of: c})
	} else if why := r.Posterior.Info.Uncertified; why != "" {
		add("Are the draws right?", "There is no certificate: "+why+".")
	}
	if r.Check != nil {
		figures := []any{predictive(*r.Check, "Posterior predictive check")}
		if root, err := r.Check.Rootogram(0, 0.95); err == nil { // only counts have one
			figures = append(figures, viz.Rootogram{Of: root, Title: "How often each count was observed"})
		}
		figures = append(figures, viz.Histogram{Of: calibrate.Uniform{Values: r.PIT},
			Title: "Each datum among predictions from the others"})
		add("Does it predict?", "The position of a datum among its predictions (PIT) is uniform if the model is "+
			"right: ∪ means that predictions are too narrow, ∩ too wide. "+r.Scores.String()+".", figures...)
	}
	if r.Comparison != nil {
		add("Which model?", "The models are ranked by the expected log density of new data.", ranking(r.Comparison),
			viz.ModelRanking{Of: r.Comparison})
	}
	if r.Choice != nil {
		add("The decision", "", r.table())
	}
	return p
}

func predictive(r calibrate.Replicates, title string) viz.Predictive {
	return viz.Predictive{Draws: r.Draws, Observed: r.Observed, Sizes: r.Sizes, Title: title, InOrder: true}
}

// summary shows the posterior, on the map if there is one.
func (r *Result) summary() viz.Summary {
	s := viz.Summary{Of: r.Posterior}
	if r.Map != nil {
		s.On, s.Blank, s.Over = r.Map.Field, r.Map.Blank, r.Map.Over
	}
	return s
}

// decided says in words what was decided, and what it is worth to know more.
func (r *Result) decided() string {
	var act []string
	for k, in := range r.Choice.Act {
		if in {
			act = append(act, r.district(k))
		}
	}
	where := fmt.Sprintf("in %d of %d districts", len(act), len(r.Choice.Act))
	if n := len(act); n > 0 && n <= 12 {
		where += " (" + strings.Join(act, ", ") + ")"
	}
	return fmt.Sprintf("Decision: act %s, at a cost of %s. The expected loss is then %s; it is %s if nothing is done, "+
		"and %s if one acts everywhere. To know the truth before deciding is worth %s.", where, amount(r.Choice.Cost),
		amount(r.Choice.Loss), amount(r.Choice.Nothing), amount(r.Choice.Everywhere), amount(r.Choice.Perfect))
}

// amount returns v to four digits, or whole if it is larger.
func amount(v float64) string {
	if math.Abs(v) >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

func (r *Result) district(k int) string {
	names := r.Decision.Names
	if names == nil {
		names = r.Districts.CellNames()
	}
	if k < len(names) {
		return names[k]
	}
	return fmt.Sprint(k)
}

// table lists the districts.
func (r *Result) table() viz.Table {
	t := viz.Table{Title: fmt.Sprintf("Districts: %v", r.Decision.Loss), Columns: []viz.Column{{Name: "district"},
		{Name: "people", Format: "%.0f"}, {Name: "mean"}, {Name: "2.5%"}, {Name: "97.5%"}, {Name: "act"},
		{Name: "saved by acting"}}}
	if r.Choice.PerfectOf != nil {
		t.Columns = append(t.Columns, viz.Column{Name: "worth of knowing"})
	}
	mean := r.Districts.Mean()
	low, high := r.Districts.EqualTailed(0.95)
	for k := range mean {
		people, act := any(nil), ""
		if r.Decision.People != nil {
			people = r.Decision.People[k]
		}
		if r.Choice.Act[k] {
			act = "act"
		}
		row := []any{r.district(k), people, mean[k], low[k], high[k], act, r.Choice.Gain[k]}
		if r.Choice.PerfectOf != nil {
			row = append(row, r.Choice.PerfectOf[k])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ranking lists the models from best to worst.
func ranking(models calibrate.Comparison) viz.Table {
	t := viz.Table{Columns: []viz.Column{{Name: "model"}, {Name: "log density (nats)", Format: "%.1f"},
		{Name: "± SE", Format: "%.1f"}, {Name: "difference", Format: "%.1f"}, {Name: "± SE", Format: "%.1f"},
		{Name: "P(worse)", Format: "%.2f"}, {Name: "weight", Format: "%.2f"}, {Name: "warning"}}}
	for _, m := range models {
		t.Rows = append(t.Rows, []any{m.Name, m.Elpd, m.SE, m.Diff, m.DSE, m.Worse, m.Weight, m.Warning})
	}
	return t
}
