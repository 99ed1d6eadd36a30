package benchmark

import (
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/land"
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
	m, err := land.Frame{Rows: side}.Map()
	if err != nil {
		t.Fatal(err)
	}
	// Twenty cells are held out in the short version: their scores scatter.
	slack := map[string]float64{MedianTruth: 0.01, MeanTruth: 0.01, MedianHeld: 0.02, MeanHeld: 0.02, LogHeld: 0.5}
	if *full {
		clear(slack)
	}
	for _, c := range []struct {
		name  string
		truth Truth
	}{{"field", FieldTruth}, {"image", ImageTruth}} {
		if !*full && c.name == "image" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			campaign, err := SimulatedCampaign(m, c.truth, 1)
			if err != nil {
				t.Fatal(err)
			}
			methods := MapMethods(images, draws)
			if !*full {
				methods[0].Sample = gaussianField(expfam.Sampler{Draws: draws, Engine: enginetest.Open(t, "go")})
				methods = slices.DeleteFunc(methods, func(m MapMethod) bool { return strings.Contains(m.Name, "nugget") })
			}
			table, err := campaign.CompareContext(t.Context(), calibrate.Splits{Times: times, Seed: 1}, methods...)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%v", table)
			notWorse(t, table, slack)
			for _, name := range table.Methods {
				e := table.Of(name, CoverHeld)
				if strings.HasPrefix(name, "ours") && *full && !(e.Mean > 0.93 && e.Mean < 0.97) {
					t.Errorf("%s: 95%% intervals hold %v of the counts", name, e)
				}
			}
		})
	}
}

// notWorse is an error for every score in which the best of ours is worse than the
// best Gaussian Markov random field by more than a standard error of the difference.
func notWorse(t *testing.T, table MapTable, slack map[string]float64) {
	t.Helper()
	for _, score := range []string{MedianTruth, MeanTruth, MedianHeld, MeanHeld, LogHeld} {
		ours, best := table.Best("ours", score), table.Best("GMRF", score)
		d := table.Minus(ours, best, score)
		t.Logf("%s: %s is %v above %s", score, ours, d, best)
		if score == LogHeld {
			d.Mean = -d.Mean
		}
		if !(d.Mean <= d.SE+slack[score]) {
			t.Errorf("%s: %s is %v worse than %s", score, ours, d, best)
		}
	}
}

// TestCampaigns asks the same of the Gaussian field on so many truths (-datasets),
// five splits each. Splits of one campaign share its luck; campaigns do not.
func TestCampaigns(t *testing.T) {
	if !*full {
		t.Skip("three minutes a campaign on two cores: run with -full")
	}
	m, err := land.Frame{Rows: 64}.Map()
	if err != nil {
		t.Fatal(err)
	}
	table := MapTable{Repeated: new(calibrate.Repeated)}
	for seed := range uint64(*dataSets) {
		campaign, err := SimulatedCampaign(m, FieldTruth, seed+1)
		if err != nil {
			t.Fatal(err)
		}
		one, err := campaign.CompareContext(t.Context(), calibrate.Splits{Seed: seed + 1}, MapMethods(nil, 200)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("campaign %d\n%v", seed+1, one)
		means := make(map[string]float64)
		for _, name := range one.Names() {
			means[name] = one.Mean(name).Mean
		}
		if err := table.Add(means); err != nil {
			t.Fatal(err)
		}
		table.Methods = one.Methods
	}
	t.Logf("all\n%v", table)
	notWorse(t, table, nil)
}

// BenchmarkMap256 is a Gaussian Markov random field on 256 × 256 cells with data in
// a tenth of them, hyperparameters fitted: run it with -benchtime 1x.
func BenchmarkMap256(b *testing.B) {
	m, err := land.Frame{Rows: 256}.Map()
	if err != nil {
		b.Fatal(err)
	}
	campaign, err := SimulatedCampaign(m, FieldTruth, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		prior   gmrf.Prior
		options gmrf.Options
	}{
		{"alpha=1", gmrf.Prior{Alpha: 1}, gmrf.Options{}},
		{"alpha=1/beta-binomial", gmrf.Prior{Alpha: 1}, gmrf.Options{Overdispersed: true}},
		{"alpha=2", gmrf.Prior{}, gmrf.Options{}},
		{"alpha=2/nugget", gmrf.Prior{Nugget: -1}, gmrf.Options{}},
		{"alpha=2/beta-binomial", gmrf.Prior{}, gmrf.Options{Overdispersed: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.prior.Grid, c.options.Draws, c.options.Fresh = campaign.Grid, 100, true
			for b.Loop() {
				post, err := gmrf.Sample(c.prior, campaign.Likelihood, campaign.Obs, c.options)
				if err != nil {
					b.Fatal(err)
				}
				b.Logf("%.0f s, %v", post.Info.Seconds, post.Info.Diagnostics)
			}
		})
	}
}
