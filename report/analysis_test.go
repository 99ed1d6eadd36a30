package report_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/report"
	"github.com/expfam/lab/viz"
)

// One call goes through all steps, and its page has a section for each.
func TestAnalysis(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := must.Get(like.Observe1(3, 0, 4, 9, 7, 2, 1, 0, 2, 6, 5, 3))(t)
	a := report.Analysis{Title: "Twelve rates", Prior: gp.RBF{Cells: 12}, Like: like, Obs: obs, Draws: 200, Seed: 1,
		Others:   []report.Model{{Name: "long range", Prior: gp.RBF{Cells: 12, Length: 0.5}}},
		Decision: &decide.Problem{Loss: decide.Threshold{At: 3, Missed: 1, False: 1}, People: []float64{100, 200, 300}},
		Through: &operator.Areas{Labels: []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, Mean: true,
			Names: []string{"north", "<middle>", "south"}}}
	r := must.Get(a.Run())(t)
	n, d := r.Posterior.Dims()
	must.Be(t, n == 200 && d == 12 && len(r.Comparison) == 2 && len(r.Choice.Act) == 3 && len(r.PIT) == 12 &&
		r.Posterior.Info.Certificate != nil,
		"%d draws of %d cells, %d models, %d districts, %d PIT values", n, d, len(r.Comparison), len(r.Choice.Act),
		len(r.PIT))
	page := string(must.Get(r.Page().Encode(viz.HTML))(t))
	for _, want := range []string{"Twelve rates", "What the prior expects", "Are the draws right?", "Does it predict?",
		"Which model?", "The decision", "&lt;middle&gt;", "Decision: act"} {
		must.Be(t, strings.Contains(page, want), "the page has no %q", want)
	}
	must.Be(t, !strings.Contains(page, "<middle>"), "a name of the data is markup")
	must.Do(t, viz.Save(r.Page(), filepath.Join(t.TempDir(), "page.html")))
	must.Refuse(report.Analysis{Like: like, Obs: obs}.Run())(t, "no Prior")
	must.Refuse(report.Analysis{Prior: gp.RBF{}, Like: like, Obs: obs, Draws: -5}.Run())(t, "-5 Draws")
	must.Refuse(report.Analysis{Prior: gp.RBF{Cells: 12, Length: -1}, Like: like, Obs: obs}.Run())(t, "a Length of -1")
}

// TestOtherFamilies: a model of another family is compared by its own reduction of the data, and never by that of the
// first family. Its scores are those of an analysis of its own.
func TestOtherFamilies(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	one, wide := expfam.Likelihood{Family: expfam.Normal{SD: 1}}, expfam.Likelihood{Family: expfam.Normal{SD: 3}}
	y := []float64{3, 0.5, 4, 9, 7, 2}
	obs, others := must.Get(one.Observe1(y...))(t), must.Get(wide.Observe1(y...))(t)
	a := report.Analysis{Prior: gp.RBF{Cells: 6}, Like: one, Obs: obs, Draws: 40,
		Others: []report.Model{{Name: "wide", Like: wide}}}
	must.Refuse(a.Run())(t, "observed for [normal(sd=1)], and the model has [normal(sd=3)]; set its Obs")
	a.Others[0].Obs = others
	own := must.Get(report.Analysis{Prior: a.Prior, Like: wide, Obs: others, Draws: 40}.Run())(t)
	for _, m := range must.Get(a.Run())(t).Comparison {
		if want := own.Scores.Total().Mean; m.Name == "wide" && m.Elpd != want {
			t.Errorf("elpd %g, alone %g", m.Elpd, want)
		}
	}
	a.Others[0] = report.Model{Name: "link alone", Like: expfam.Likelihood{Link: expfam.MustLink("2*x")}}
	must.Refuse(a.Run())(t, "report: link alone: likelihood: there is no family")
	a.Prior, a.Fit = nil, func(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior,
		error) {
		return diffusion.SampleContext(ctx, gp.RBF{Cells: 6}, like, obs, diffusion.Sampler{Draws: 40})
	}
	a.Others[0] = report.Model{Name: "by the same Fit", Like: wide, Obs: others}
	must.Equal(t, len(must.Get(a.Run())(t).Comparison), 2, "models")
}
