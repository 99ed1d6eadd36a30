package benchmarks

import (
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/benchmarks/internal/benchtest"
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// TestCampaign compares maps of prevalence on simulated surveys. With -full: two
// truths, five splits, all methods; else a map of a quarter of the cells, two splits,
// without the prior of images and the nuggets, in pure Go, which has nothing to compile.
func TestCampaign(t *testing.T) {
	side, draws, times := 12, 40, 2 // 95% intervals need 39 draws
	var images expfam.Prior
	if *full {
		side, draws, times = 64, 200, min(5, *dataSets)
		if _, err := engine.Open("onnx"); err == nil {
			images = imagePrior(t, side)
		}
	}
	m := must.Get(land.Frame{Rows: side}.Map())(t)
	// In the short version a few cells are held out twice. Their scores differ more between two splits than between two
	// methods, so only errors against the truth in all cells are compared, with a slack of what forty draws lose.
	compared, slack, errors := losses[:2], 0.02, 0.0
	if *full {
		compared, slack, errors = losses, 0, 1
	}
	for _, c := range []struct {
		name  string
		truth Truth
		ours  string // the method whose prior makes such truths
	}{{"field", FieldTruth, "ours, Gaussian field"}, {"image", ImageTruth, "ours, image prior"}} {
		if !*full && c.name == "image" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			campaign, err := SimulatedCampaign(m, c.truth, 1)
			must.Do(t, err)
			methods := MapMethods(images, draws)
			if !*full {
				methods[0].Sample = gaussianField(diffusion.Sampler{Draws: draws, Engine: benchtest.Open(t, "go")})
				methods = slices.DeleteFunc(methods, func(m MapMethod) bool {
					return strings.Contains(m.Name, "nugget") || m.Name == "GMRF, alpha 1, beta-binomial"
				})
			}
			table, err := campaign.CompareContext(t.Context(), calibrate.Splits{Times: times, Seed: 1}, methods...)
			must.Do(t, err)
			t.Logf("\n%v", table)
			notWorse(t, table, compared, slack, errors)
			if *full {
				coversCounts(t, table, c.ours)
			}
		})
	}
}

// coversCounts is an error if 95% intervals of the method whose prior makes such truths hold fewer than 0.93 or more
// than 0.97 of the held-out counts. Under a prior that is not the truth's no interval has to be right: it may be too
// wide, and it is too short if it holds fewer than 0.93 by two standard errors over the splits.
func coversCounts(t *testing.T, table MapTable, right string) {
	t.Helper()
	for _, name := range table.Methods {
		e := table.Of(name, func(s MapScore) float64 { return s.Held.Coverage })
		if name == right && !(e.Mean > 0.93 && e.Mean < 0.97) ||
			strings.HasPrefix(name, "ours") && !(e.Mean > 0.93-2*e.SE) {
			t.Errorf("%s: 95%% intervals hold %v of the counts", name, e)
		}
	}
}

// loss is a score by which methods are compared; less is better.
type loss struct {
	name string
	of   func(MapScore) float64
}

// losses are those against the truth in all cells, then those against held-out counts.
var losses = []loss{
	{"MAE of the median, truth", func(s MapScore) float64 { return s.Truth.Median }},
	{"MAE of the mean, truth", func(s MapScore) float64 { return s.Truth.Mean }},
	{"MAE of the median, held out", func(s MapScore) float64 { return s.Held.Median }},
	{"MAE of the mean, held out", func(s MapScore) float64 { return s.Held.Mean }},
	{"minus log score", func(s MapScore) float64 { return -s.Held.Log }},
}

// notWorse is an error for every of these losses in which the best of ours is worse than the best Gaussian Markov
// random field by more than so many standard errors of the difference and the slack.
func notWorse(t *testing.T, table MapTable, losses []loss, slack, errors float64) {
	t.Helper()
	for _, loss := range losses {
		ours, best := table.Least("ours", loss.of), table.Least("GMRF", loss.of)
		d := table.Minus(ours, best, loss.of)
		t.Logf("%s: %s is %v above %s", loss.name, ours, d, best)
		must.Be(t, d.Mean <= errors*d.SE+slack, "%s: %s is %v worse than %s", loss.name, ours, d, best)
	}
}

// TestCampaigns asks the same of the Gaussian field on so many truths (-datasets),
// five splits each. Splits of one campaign share its luck; campaigns do not.
func TestCampaigns(t *testing.T) {
	if !*full {
		t.Skip("three minutes a campaign on two cores: run with -full")
	}
	m := must.Get(land.Frame{Rows: 64}.Map())(t)
	var table MapTable
	for seed := range uint64(*dataSets) {
		campaign, err := SimulatedCampaign(m, FieldTruth, seed+1)
		must.Do(t, err)
		one, err := campaign.CompareContext(t.Context(), calibrate.Splits{Seed: seed + 1}, MapMethods(nil, 200)...)
		must.Do(t, err)
		t.Logf("campaign %d\n%v", seed+1, one)
		table.Methods, table.Truth = one.Methods, one.Truth
		table.Each = append(table.Each, meanScores(one))
	}
	t.Logf("all\n%v", table)
	notWorse(t, table, losses, 0, 1)
}

// meanScores are the means over the splits of one campaign, of every method.
func meanScores(table MapTable) []MapScore {
	out := make([]MapScore, len(table.Methods))
	for i, name := range table.Methods {
		mean := func(of func(MapScore) float64) float64 { return table.Of(name, of).Mean }
		out[i] = MapScore{
			Truth: TruthScore{
				Median:   mean(func(s MapScore) float64 { return s.Truth.Median }),
				Mean:     mean(func(s MapScore) float64 { return s.Truth.Mean }),
				CRPS:     mean(func(s MapScore) float64 { return s.Truth.CRPS }),
				Coverage: mean(func(s MapScore) float64 { return s.Truth.Coverage }),
			},
			Held: HeldScore{
				Median:   mean(func(s MapScore) float64 { return s.Held.Median }),
				Mean:     mean(func(s MapScore) float64 { return s.Held.Mean }),
				Paper:    mean(func(s MapScore) float64 { return s.Held.Paper }),
				Log:      mean(func(s MapScore) float64 { return s.Held.Log }),
				CRPS:     mean(func(s MapScore) float64 { return s.Held.CRPS }),
				Coverage: mean(func(s MapScore) float64 { return s.Held.Coverage }),
			},
			Seconds: mean(func(s MapScore) float64 { return s.Seconds }),
		}
	}
	return out
}

// BenchmarkMap256 is a Gaussian Markov random field on 256 × 256 cells with data in
// a tenth of them, hyperparameters fitted: run it with -benchtime 1x.
func BenchmarkMap256(b *testing.B) {
	m := must.Get(land.Frame{Rows: 256}.Map())(b)
	campaign := must.Get(SimulatedCampaign(m, FieldTruth, 1))(b)
	for _, c := range []struct {
		name    string
		prior   gmrf.Prior
		options gmrf.Options
	}{
		{"alpha=1", gmrf.Prior{Alpha: 1}, gmrf.Options{}},
		{"alpha=1/beta-binomial", gmrf.Prior{Alpha: 1}, gmrf.Options{Overdispersed: true}},
		{"alpha=2", gmrf.Prior{}, gmrf.Options{}},
		{"alpha=2/nugget", gmrf.Prior{FitNugget: true}, gmrf.Options{}},
		{"alpha=2/beta-binomial", gmrf.Prior{}, gmrf.Options{Overdispersed: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.prior.Grid, c.options.Draws, c.options.Fresh = campaign.Grid, 100, true
			for b.Loop() {
				post := must.Get(gmrf.Sample(c.prior, campaign.Likelihood, campaign.Obs, c.options))(b)
				b.Logf("%.0f s, %v", post.Info.Seconds, post.Info.Diagnostics)
			}
		})
	}
}
